import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Tokens that are bound to devices or people", .blocksThread)
struct AccessScopeTests {
    private func pressure(_ serial: String, day: Int = 20) throws -> SubmittedReading {
        var reading = try SubmittedReading.ofOneDevice(
            json: #"{"systolic":{"value":"142","unit":"mmHg"},"diastolic":{"value":"88","unit":"mmHg"}}"#,
            time: "2026-11-\(day)T08:00:00")
        reading.device = .init(serial: serial)
        return reading
    }

    /// Anna has BP-1, Ben has BP-2.
    private func household(_ store: HubStore) throws {
        for (name, device) in [("Anna", "BP-1"), ("Ben", "BP-2")] {
            _ = try store.assign(device, to: store.addPerson(name: name, born: "1961-04-30").id)
        }
    }

    private func scope(_ text: String, _ store: HubStore) async throws -> AccessScope? {
        try #require(try await store.token(text)).scope
    }

    @Test(
        "A bound token stores readings of its devices and people, and gets the states of its people only",
        arguments: StoreKind.all)
    func posts(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try household(store)
        _ = try store.store([pressure("BP-1", day: 1), pressure("BP-2", day: 1)], gateway: "earlier")
        let queue = ReadingQueue(store: store)
        func post(people: [Int64], devices: [String]) async throws -> (statuses: [String], states: [Int64]) {
            let name = "t\(people)\(devices)"
            let token = try store.addToken(name: name, role: .gateway, people: people, devices: devices)
            let day = 2 + people.count * 2 + devices.count
            let result = try await queue.store(
                ["BP-1", "BP-2", "BP-3"].map { try pressure($0, day: day) }, gateway: name,
                scope: scope(token, store))
            return (result.results.map(\.status.rawValue), result.states.keys.sorted())
        }
        #expect(try await post(people: [], devices: []) == (["stored", "stored", "stored"], [1, 2]))
        let count = try store.devices().count
        #expect(try await post(people: [1], devices: []) == (["stored", "refused", "stored"], [1]))
        #expect(try await post(people: [], devices: ["BP-2"]) == (["refused", "stored", "refused"], []))
        #expect(try await post(people: [1], devices: ["BP-2"]) == (["stored", "stored", "stored"], [1]))
        #expect(try store.devices().count == count)
    }

    @Test("A refused reading of a bound token adds no device", arguments: StoreKind.all)
    func devices(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try household(store)
        let token = try store.addToken(name: "ward", role: .gateway, devices: ["BP-2"])
        let results = try await ReadingQueue(store: store).store(
            [pressure("BP-9"), pressure("BP-2")], gateway: "ward", scope: scope(token, store)
        ).results
        #expect(results.map(\.status) == [.refused, .stored])
        #expect(results[0].problem?.contains("bound to other devices or people") == true)
        #expect(try store.devices().allSatisfy { $0.serial != "BP-9" })
        // The scope follows a device that is merged into another one.
        var both = try pressure("BP-7", day: 22)
        both.device = .init(serial: "BP-7", address: "C0:00:00:00:00:01")
        var address = try pressure("", day: 23)
        address.device = .init(address: "C0:00:00:00:00:01")
        _ = try store.store([pressure("BP-7", day: 21), address], gateway: "other")
        let second = try store.addToken(name: "second", role: .gateway, devices: ["C0:00:00:00:00:01"])
        _ = try store.store([both], gateway: "other")
        let after = try await ReadingQueue(store: store).store(
            [pressure("BP-7", day: 24)], gateway: "second", scope: scope(second, store))
        #expect(after.results.map(\.status) == [.stored])
    }

    @Test("A token whose person was deleted is bound to nobody, not to everybody", arguments: StoreKind.all)
    func deleted(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try household(store)
        let token = try store.addToken(name: "k", role: .gateway, people: [1])
        _ = try store.deletePerson(1)
        let results = try await ReadingQueue(store: store).store(
            [pressure("BP-2")], gateway: "k", scope: scope(token, store))
        #expect(results.results.map(\.status) == [.refused] && results.states.isEmpty)
        #expect(store.perform(.listTokens).items.map(\.text) == ["k  gateway  person 1"])
    }

    @Test("What cannot be bound is refused")
    func invalid() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        try household(store)
        #expect(store.perform(.addToken(name: "a", role: .gateway, people: [9])).code == .notFound)
        #expect(store.perform(.addToken(name: "a", role: .administrator, people: [1])).code == .invalid)
        #expect(store.perform(.addToken(name: "a", role: .reader, devices: ["BP-1"])).code == .invalid)
        #expect(store.perform(.addUser(name: "a", role: .administrator, hash: "h", people: [1])).code == .invalid)
        #expect(store.perform(.addUser(name: "a", role: .reader, hash: "h", people: [2])).problem == nil)
        #expect(try store.user("a")?.scope == #"{"devices":[],"people":[2]}"#)
        #expect(store.perform(.addToken(name: "all", role: .gateway)).items[0].text.contains("for everybody"))
        #expect(store.perform(.listTokens).items.map(\.text) == ["all  gateway  all"])
        #expect(throws: HubProblem.self) { try AccessScope("later") }
    }

    @Test("Who read the data of whom is recorded once an hour", arguments: StoreKind.all)
    func reads(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for _ in 0..<3 { store.noteRead(by: "dr", of: [1, 2]) }
        store.noteRead(by: "token k", of: [2])
        await store.finishAccessLog()
        // The test may run over the end of an hour.
        let all = Set(try store.accessLog().map { "\($0.who) \($0.person)" })
        #expect(all == ["dr 1", "dr 2", "token k 2"])
        #expect(try store.accessLog(of: 1).allSatisfy { $0.who == "dr" && $0.person == "1" })
        let old: Int64 = 5
        _ = try await store.database.write(.rows) { db in
            try db.run("DELETE FROM access", [])
            try db.run("INSERT INTO access(hour, who, person_id) VALUES (?, 'old', 1)", [old])
        }
        store.noteRead(by: "new", of: [1])
        await store.finishAccessLog()
        #expect(try store.accessLog().map(\.who) == ["new"])
    }

    // MARK: Restoring a backup

    @Test("A restored backup brings back no revoked token, removed account, old password or deleted person")
    func restore() async throws {
        let temporary = try StoreLocation(.sqlite)
        let original = try temporary.open()
        try household(original)
        let kept = try original.addToken(name: "kept", role: .gateway)
        let revoked = try original.addToken(name: "revoked", role: .gateway)
        for name in ["anna", "gone"] { try original.addUser(name: name, role: .reader, hash: "old") }
        _ = try original.store([pressure("BP-1"), pressure("BP-2")], gateway: "g")
        let backup = temporary.directory.appending(path: "backup.sqlite").path
        try original.backup(to: backup)
        // After the backup.
        try original.revokeToken(name: "revoked")
        try original.removeUser(name: "gone")
        try original.changeUser(name: "anna", hash: "new")
        _ = try original.store([pressure("BP-2", day: 21)], gateway: "g")
        _ = try original.deletePerson(2)
        try original.close()
        for withRemoved in [false, true] {
            let path = temporary.directory.appending(path: "copy\(withRemoved).sqlite").path
            try FileManager.default.copyItem(atPath: temporary.path, toPath: path)
            var said: [String] = []
            _ = try HubStore.restore(backup, to: path, withRemoved: withRemoved) { said.append($0?.text ?? "unknown") }
            #expect(said == ["the token 'revoked', the account 'gone', person 2"])
            let store = try HubStore(path: path, assessor: Assessor())
            #expect(try await store.token(kept)?.name == "kept")
            #expect(try await store.token(revoked)?.name == (withRemoved ? "revoked" : nil))
            #expect(try store.users().map(\.name) == (withRemoved ? ["anna", "gone"] : ["anna"]))
            #expect(try store.user("anna")?.hash == (withRemoved ? "old" : "new"))
            #expect(try store.people().map(\.name) == (withRemoved ? ["Anna", "Ben"] : ["Anna"]))
            let again = try store.store([pressure("BP-2", day: 21)], gateway: "g").results[0]
            #expect(again.status == (withRemoved ? .stored : .known))
            try store.close()
            #expect(!FileManager.default.fileExists(atPath: path + ".restoring"))
        }
    }

    @Test("If the present store is not the one of the backup, that is said before anything is replaced")
    func unknownStore() throws {
        let temporary = try TemporaryStore()
        let other = try StoreLocation(.sqlite)
        let backup = temporary.directory.appending(path: "backup.sqlite").path
        try temporary.store.backup(to: backup)
        try other.open().close()
        let before = try Data(contentsOf: URL(filePath: other.path))
        #expect(throws: HubProblem.self) {
            try HubStore.restore(backup, to: other.path) { removed in
                #expect(removed == nil)
                throw HubProblem(.conflict, "nothing was restored")
            }
        }
        #expect(try Data(contentsOf: URL(filePath: other.path)) == before)
    }
}
