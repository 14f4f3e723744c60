import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// 2A35: 142/88 mmHg at 2026-11-20T08:00:00, pulse 72, user 1.
private let cuff = "1E8E00580069 00EA070B14080000 4800 01 0000".replacing(" ", with: "")

@Suite("The store of the hub", .blocksThread, .timeLimit(.minutes(5)))
struct StoreTests {
    private let arrived = Date(timeIntervalSince1970: 1_795_200_000)

    private func reading(
        serial: String? = "BP-1", hex: String = cuff, characteristic: String = "2A35", id: String? = nil,
        offset: Double? = 0
    ) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.id = id
        reading.device = .init(serial: serial, address: "02:48:41:00:00:01")
        reading.characteristic = characteristic
        reading.hex = hex
        reading.clockOffset = offset
        return reading
    }

    @Test("A reading sent twice, or by two gateways, is stored once", arguments: StoreKind.all)
    func sentTwice(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let first = try store.store([reading(id: "a")], gateway: "one", arrived: arrived)
        let second = try store.store([reading(id: "b"), reading(id: "c")], gateway: "two", arrived: arrived)
        #expect(first.results.map(\.status) == [.stored])
        #expect(second.results.map(\.status) == [.known, .known])
        #expect(second.results[0].id == first.results[0].id)
        // A gateway that sends only the address refers to the same device.
        var byAddress = reading()
        byAddress.device = .init(address: "02:48:41:00:00:01")
        #expect(try store.store([byAddress], gateway: "three", arrived: arrived).results[0].status == .known)
    }

    @Test("A reading without a device time has the gateway's identifier", arguments: StoreKind.all)
    func withoutTime(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let beat = { (id: String?) in reading(hex: "0648", characteristic: "2A37", id: id) }
        let results = try temporary.store.store([beat("1"), beat("2"), beat("1"), beat(nil)], gateway: "g").results
        #expect(results.map(\.status) == [.stored, .stored, .known, .refused])
        #expect(results[3].problem?.contains("requires an id") == true)
    }

    @Test("A refused reading does not affect others, and adds no device", arguments: StoreKind.all)
    func refused(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let results = try store.store(
            [
                reading(serial: "X", hex: "1E"), reading(serial: "X", hex: "zz"),
                reading(serial: "X", characteristic: "nonsense"), reading(),
            ], gateway: "g", arrived: arrived
        ).results
        #expect(results.map(\.status) == [.refused, .refused, .refused, .stored])
        #expect(results.map(\.index) == [0, 1, 2, 3])
        #expect(try store.devices().count == 1)
    }

    @Test("A large batch, assessed by two threads, has one result for each reading, in order", arguments: StoreKind.all)
    func largeBatch(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let person = try store.addPerson(name: "Anna", born: "1961-04-30", setting: .office)
        _ = try store.assign("BP-1", to: person.id)
        // The seconds of the device's time and the systolic value count the readings; the last 20 repeat the first.
        var batch = (0..<80).map { number in
            let count = String(number % 60, radix: 16)
            let digits = count.count == 1 ? "0" + count : count
            return reading(hex: "1E\(digits)00580069 00EA070B140800\(digits) 4800 01 0000".replacing(" ", with: ""))
        }
        batch[5].hex = "00"
        batch[45].hex = "00"
        let result = try store.store(batch, gateway: "one", arrived: arrived)
        #expect(result.results.map(\.index) == Array(0..<80))
        for (index, result) in result.results.enumerated() {
            // Reading 65 repeats one that was refused.
            let isRefused = index == 5 || index == 45
            #expect(result.status == (isRefused ? .refused : index < 60 || index == 65 ? .stored : .known))
            #expect((result.judgement == nil) == (result.status == .refused))
            guard case .judged(_, let sentence) = result.judgement else { continue }
            #expect(sentence.hasPrefix("\(index % 60)/88 mmHg"))
        }
        #expect(result.people == [person.id])
    }

    @Test("A later assignment moves readings; each user index has its person", arguments: StoreKind.all)
    func assignment(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let ben = try store.addPerson(name: "Ben", born: "1959-01-02")
        let first = try store.store([reading()], gateway: "g", arrived: arrived)
        #expect(first.people.isEmpty)
        #expect(first.results[0].judgement == .notJudged(reason: "the device is not assigned to a person"))
        #expect(try store.assign("bp-1", to: anna.id) == 1)
        let again = try store.store([reading()], gateway: "g", arrived: arrived)
        #expect(again.results[0].status == .known && again.people == [anna.id])
        #expect(again.results[0].judgement?.code == "hypertension")
        #expect(try store.assign("02:48:41:00:00:01", to: ben.id, user: 1) == 1)
        #expect(try store.store([reading()], gateway: "g", arrived: arrived).people == [ben.id])
        #expect(throws: HubProblem.self) { try store.assign("bp-1", to: 99) }
    }

    @Test("A device can be assigned before its first reading", arguments: StoreKind.all)
    func assignedBefore(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        #expect(try temporary.store.assign("BP-1", to: anna.id) == 0)
        #expect(try temporary.store.store([reading()], gateway: "g", arrived: arrived).people == [anna.id])
        #expect(try temporary.store.devices().map(\.serial) == ["BP-1"])
    }

    @Test("The clock offset of the device gives the true time", arguments: StoreKind.all)
    func clockOffset(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        _ = try store.store([reading(offset: 3600)], gateway: "g", arrived: arrived)
        let state = try #require(try store.state(of: anna.id, now: arrived))
        #expect(state.latest.map(\.time) == ["2026-11-20T07:00:00Z"])
        #expect(state.latest[0].text == "142/88 mmHg")
    }

    @Test("Every commit is durable, and only the user can read the file")
    func durable() throws {
        let temporary = try TemporaryStore()
        let mode = try #require(temporary.store.database as? SQLiteDatabase).pool.writeWithoutTransaction {
            try Int.fetchOne($0, sql: "PRAGMA synchronous")
        }
        #expect(mode == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test("A second process cannot lock the store")
    func lock() throws {
        let temporary = try TemporaryStore()
        var first = try StoreLock(path: temporary.path)
        #expect(first != nil)
        #expect(try StoreLock(path: temporary.path) == nil)
        first = nil
        #expect(try StoreLock(path: temporary.path) != nil)
    }

    @Test("Tokens are stored as digests, and revocation is immediate", arguments: StoreKind.all)
    func tokens(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let text = try store.addToken(name: "kitchen", role: .gateway)
        #expect(try await store.token(text) == TokenRecord(name: "kitchen", role: .gateway))
        #expect(try await store.token(text + "x") == nil)
        #expect(throws: HubProblem.self) { try store.addToken(name: "kitchen", role: .reader) }
        try store.revokeToken(name: "kitchen")
        #expect(try await store.token(text) == nil)
        #expect(
            !Role.gateway.includes(.reader) && Role.administrator.includes(.editor) && !Role.reader.includes(.gateway))
    }

    @Test("A backup can be opened as a store")
    func backup() throws {
        let temporary = try TemporaryStore()
        _ = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        let path = temporary.directory.appending(path: "copy.sqlite").path
        try temporary.store.backup(to: path)
        let copy = try HubStore(path: path, assessor: Assessor())
        #expect(try copy.people().map(\.name) == ["Anna"])
        try copy.close()
        #expect(throws: HubProblem.self) { try temporary.store.backup(to: path) }
    }

    @Test("Fields are stored with octets that only the gateway can decode", arguments: StoreKind.all)
    func fieldsBesideOctets(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("V-1", to: anna.id)
        var reading = SubmittedReading()
        reading.device = .init(serial: "V-1")
        (reading.id, reading.characteristic, reading.hex) = ("1", "0000FFF4-0000-1000-8000-00805F9B34FB", "0102")
        reading.fields = ["systolic": .number(150), "diastolic": .number(95)]
        _ = try store.store([reading], gateway: "g")
        let latest = try #require(try store.state(of: anna.id)?.latest.first)
        #expect(latest.text == "150/95 mmHg" && latest.judgement.code == "hypertension")
        let listed = try #require(try store.readings(of: anna.id, kind: nil, since: .distantPast)?.readings.first)
        #expect(listed.text == "150/95 mmHg")
    }

    @Test("A store of a development version is refused with advice", arguments: StoreKind.all)
    func developmentStore(_ kind: StoreKind) throws {
        let location = try StoreLocation(kind)
        let store = try location.open()
        _ = try store.database.write(.rows) { db in
            switch kind {
            case .sqlite: try db.run("UPDATE grdb_migrations SET identifier = '1 people, devices, readings'", [])
            case .postgres: try db.run("UPDATE migration SET number = 22", [])
            }
        }
        try store.close()
        #expect {
            _ = try location.open()
        } throws: { error in
            (error as? HubProblem)?.description.contains("before 0.9.0") == true
        }
    }

    @Test("An identifier that another gateway reports as serial number is the same device", arguments: StoreKind.all)
    func identifierOfASerialNumber(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        var reading = SubmittedReading()
        reading.device = .init(serial: "BP-1", address: "C0:00:00:00:00:01")
        (reading.characteristic, reading.hex, reading.clockOffset) = (
            "2A35", "1E8E0058006900EA070B140800004800FF0000", 0
        )
        _ = try temporary.store.store([reading], gateway: "a")
        reading.device = .init(id: "BP-1")
        #expect(try temporary.store.store([reading], gateway: "b").results.map(\.status) == [.known])
        reading.device = .init(id: "BP-2")
        #expect(try temporary.store.store([reading], gateway: "b").results.map(\.status) == [.stored])
        #expect(try temporary.store.devices().map(\.serial) == ["BP-1", nil])
    }
}
