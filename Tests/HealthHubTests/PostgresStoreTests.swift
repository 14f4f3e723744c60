#if os(Linux)
import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The store in PostgreSQL", .blocksThread, .timeLimit(.minutes(5)))
struct PostgresStoreTests {
    /// Skipped tests against peers are failures if they are required.
    @Test(
        "There is a PostgreSQL server for the tests of the store",
        .enabled(if: PostgresServer.isRequired || PostgresServer.problem == nil, "no PostgreSQL server"))
    func isThere() throws {
        #expect(PostgresServer.problem == nil)
        _ = try PostgresServer.shared.get()
    }

    @Test("Marks of parameters become numbers")
    func numbered() {
        #expect(PostgresConnection.numbered("a = ? AND b = '?' AND c = ?") == "a = $1 AND b = '?' AND c = $2")
        #expect(PostgresConnection.numbered("a = ?1 AND b = ?12 OR c = ?1") == "a = $1 AND b = $12 OR c = $1")
    }

    @Test("An address is displayed without its password", .enabled(if: PostgresServer.problem == nil))
    func shown() throws {
        let address = try #require(try PostgresAddress("postgres://anna:secret@db.example:5433/hub?sslmode=require"))
        #expect(address.shown == "postgres://anna@db.example:5433/hub?sslmode=require")
        #expect(try PostgresAddress("hub.sqlite") == nil)
        #expect(throws: HubProblem.self) { try PostgresAddress("postgres://h/db?sslmod=require") }
    }

    // MARK: Two hubs on one database

    /// A second hub on the database of a store.
    private func other(_ path: String) throws -> HubStore {
        try HubStore(try #require(try PostgresAddress(path)), assessor: Assessor())
    }

    private func reading(_ number: Int, of serial: String = "BP-1") -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: serial)
        reading.id = "id \(number)"
        reading.time = Date(timeIntervalSince1970: 1_795_000_000 + Double(number)).formatted(.iso8601)
        reading.fields = ["systolic": .int(100 + number % 80), "diastolic": .number(70)]
        return reading
    }

    @Test("Two hubs answer alike after each reading", .enabled(if: PostgresServer.problem == nil))
    func alike() async throws {
        let temporary = try TemporaryStore(.postgres)
        let second = try other(temporary.path)
        defer { try? second.close() }
        let hubs = [temporary.store, second]
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try second.assign("BP-1", to: anna.id)
        for number in 0..<20 {
            _ = try hubs[number % 2].store([reading(number)], gateway: "g")
            let state = try #require(try await hubs[0].currentStateJSON(of: anna.id))
            #expect(try await hubs[1].currentStateJSON(of: anna.id) == state)
            #expect(state.contains("\(100 + number)/70 mmHg"))
        }
        let token = try second.addToken(name: "kitchen", role: .gateway)
        #expect(try await temporary.store.token(token)?.name == "kitchen")
        try second.revokeToken(name: "kitchen")
        #expect(try await temporary.store.token(token) == nil)
    }

    @Test(
        "Readings that several hubs get at the same time are stored once", .enabled(if: PostgresServer.problem == nil))
    func concurrently() async throws {
        let temporary = try TemporaryStore(.postgres)
        let stores = try (0..<3).map { _ in try other(temporary.path) }
        defer { for store in stores { try? store.close() } }
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.addReceiver(
            kind: .webhook, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
        let devices = ["BP-1", "BP-2", "BP-3", "BP-4"]
        // Each hub gets all readings, in another order, while devices are assigned.
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    var count = 0
                    for part in 0..<10 {
                        var readings = devices.flatMap { device in
                            (0..<5).map { self.reading(part * 5 + $0, of: device) }
                        }
                        if number == 1 { readings.reverse() }
                        let sent = readings
                        let result = try await store.perform { try $0.store(sent, gateway: "gateway \(number)") }
                        count += result.results.count { $0.status == .stored }
                    }
                    return count
                }
            }
            group.addTask {
                for device in devices { _ = try await stores[0].perform { try $0.assign(device, to: anna.id) } }
                return 0
            }
            var count = 0
            for try await stored in group { count += stored }
            #expect(count == 200)
        }
        let counts = try await temporary.store.database.read { db in
            try [
                "SELECT count(*) FROM reading", "SELECT count(*) FROM reading WHERE person_id IS NULL",
                "SELECT count(*) FROM device", "SELECT count(*) FROM outbox", "SELECT count(*) FROM lane",
            ].map { try db.value($0) ?? -1 as Int }
        }
        #expect(counts == [200, 0, 4, 200, 1])
    }

    @Test(
        "A lane has one lease; a hub whose lease is lost changes nothing", .enabled(if: PostgresServer.problem == nil))
    func lease() async throws {
        let temporary = try TemporaryStore(.postgres)
        let second = try other(temporary.path)
        defer { try? second.close() }
        let first = temporary.store
        let anna = try first.addPerson(name: "Anna", born: "1961-04-30")
        _ = try first.assign("BP-1", to: anna.id)
        let receiver = try first.addReceiver(
            kind: .webhook, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
        _ = try first.store([reading(1)], gateway: "g")
        let now = HubStore.now
        let lane = try #require(try await first.claimLanes(of: receiver.id, limit: 4, now: now).first)
        #expect(try await second.claimLanes(of: receiver.id, limit: 4, now: now).isEmpty)
        let message = try #require(try await first.firstMessage(of: lane))
        let later = now + HubStore.leaseTime + 1
        let taken = try #require(try await second.claimLanes(of: receiver.id, limit: 4, now: later).first)
        #expect(try await first.firstMessage(of: lane) == nil)
        try await first.park(message, lane, error: "refused")
        try await first.release(lane, pause: 0, error: nil)
        #expect(try first.outboxes()[0].parked == 0)
        #expect(try await first.claimLanes(of: receiver.id, limit: 4, now: later).isEmpty)
        #expect(try await second.firstMessage(of: taken)?.id == message.id)
        // A message added meanwhile keeps the lane.
        _ = try first.store([reading(2)], gateway: "g")
        try await second.delivered(message, taken)
        let next = try #require(try await second.firstMessage(of: taken))
        try await second.delivered(next, taken)
        #expect(try await second.firstMessage(of: taken) == nil)
        #expect(try await second.nextAttempt(of: receiver.id) == nil)
    }

    @Test("A connection that the server ends is established again", .enabled(if: PostgresServer.problem == nil))
    func lostConnection() throws {
        let temporary = try TemporaryStore(.postgres)
        let second = try other(temporary.path)
        defer { try? second.close() }
        let end = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        for number in 0..<5 {
            _ = try second.database.read { try $0.value(end) as Int? }
            let result = try temporary.store.store([reading(number)], gateway: "g").results[0]
            #expect(result.status == .stored)
            // The connection of a transaction ends before its commit; the transaction is repeated.
            var attempts = 0
            let people = try temporary.store.database.write(.administration) { db in
                attempts += 1
                if attempts == 1 { _ = try second.database.read { try $0.value(end) as Int? } }
                return try db.value("SELECT count(*) FROM person") as Int?
            }
            #expect(people == 0 && attempts == 2)
        }
    }

    @Test(
        "Readings are in partitions by month; a detached one leaves the keys, and late readings get a new one",
        .enabled(if: PostgresServer.problem == nil))
    func partitions() throws {
        let temporary = try TemporaryStore(.postgres)
        let store = temporary.store
        var old = reading(1)
        old.time = "2019-02-03T00:00:00Z"
        var december = reading(2)
        december.time = "2025-12-31T23:59:59Z"
        var january = reading(3)
        january.time = "2026-01-01T00:00:00Z"
        let readings = [old, december, january]
        #expect(try store.store(readings, gateway: "g").results.map(\.status) == [.stored, .stored, .stored])
        #expect(try partitions(of: store) == ["reading_2025_12", "reading_2026_01", "reading_before_2020"])
        // A hub whose connections know the partition, and another one.
        let second = try other(temporary.path)
        defer { try? second.close() }
        for (number, hub) in [store, second].enumerated() {
            let attached = number == 0 ? "reading_2025_12" : "reading_2025_12_2"
            _ = try second.database.write(.administration) { db in
                try db.run("ALTER TABLE reading DETACH PARTITION \(attached)", [])
            }
            #expect(try hub.store(readings, gateway: "g").results.map(\.status) == [.known, .known, .known])
            var late = december
            late.id = "late \(number)"
            #expect(try hub.store([january, late], gateway: "g").results.map(\.status) == [.known, .stored])
            #expect(try hub.store([late], gateway: "g").results.map(\.status) == [.known])
        }
        #expect(try partitions(of: store) == ["reading_2025_12_3", "reading_2026_01", "reading_before_2020"])
    }

    @Test(
        "Several hubs add the partition of a month at the same time", .enabled(if: PostgresServer.problem == nil))
    func partitionsConcurrently() async throws {
        let temporary = try TemporaryStore(.postgres)
        let stores = try (0..<3).map { _ in try other(temporary.path) }
        defer { for store in stores { try? store.close() } }
        for year in 2020..<2030 {
            let readings = (0..<3).map { hub in
                var reading = reading(year, of: "BP-\(hub)")
                reading.time = "\(year)-05-01T00:00:00Z"
                return reading
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (store, reading) in zip(stores, readings) {
                    group.addTask {
                        let result = try await store.perform { try $0.store([reading], gateway: "g") }
                        #expect(result.results.map(\.status) == [.stored])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The names of the attached partitions.
    private func partitions(of store: HubStore) throws -> [String] {
        try store.database.read { db in
            try db.values(
                """
                SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
                WHERE inhparent = CAST('reading' AS regclass) ORDER BY 1
                """, [])
        }
    }

    @Test(
        "A partition whose detachment was interrupted is named; a partition of several months is used",
        .enabled(if: PostgresServer.problem == nil))
    func unusualPartitions() throws {
        let temporary = try TemporaryStore(.postgres)
        var old = reading(1)
        old.time = "2023-05-06T00:00:00Z"
        let year = try temporary.store.database.write(.administration) { db in
            try db.run("CREATE TABLE year_2023 (LIKE reading INCLUDING ALL)", [])
            return try db.run(
                "ALTER TABLE reading ATTACH PARTITION year_2023 FOR VALUES FROM (1672531200) TO (1704067200)", [])
        }
        #expect(year == 0)
        #expect(try temporary.store.store([old], gateway: "g").results.map(\.status) == [.stored])
        #expect(try partitions(of: temporary.store) == ["year_2023"])
        // As DETACH ... CONCURRENTLY leaves it when it is cancelled while it waits.
        _ = try temporary.store.database.write(.administration) { db in
            try db.run(
                "UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = CAST('year_2023' AS regclass)", [])
        }
        old.id = "late"
        let late = old
        let second = try other(temporary.path)
        defer { try? second.close() }
        let problem = #expect(throws: HubProblem.self) { try second.store([late], gateway: "g") }
        #expect(problem?.description.contains("DETACH PARTITION year_2023 FINALIZE") == true)
        #expect(try second.store([reading(2)], gateway: "g").results.map(\.status) == [.stored])
    }

    // MARK: Copy

    @Test(
        "A copy is equal to its source, and continues after an interruption",
        .enabled(if: PostgresServer.problem == nil))
    func copy() async throws {
        let source = try TemporaryStore()
        let target = try TemporaryStore(.postgres)
        let address = try #require(try PostgresAddress(target.path))
        let anna = try source.store.addPerson(name: "Anna", born: "1961-04-30", height: 1.72)
        // PostgreSQL stores no NUL.
        _ = try await source.store.database.write(.rows) { try $0.run("UPDATE person SET name = ?", ["Anna\0"]) }
        let ben = try source.store.addPerson(name: "Ben", born: "1959-01-02")
        _ = try source.store.assign("BP-1", to: anna.id)
        _ = try source.store.addReceiver(
            kind: .webhook, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
        let token = try source.store.addToken(name: "kitchen", role: .gateway)
        for part in 0..<5 {
            let readings = (0..<1000).map { reading(part * 1000 + $0, of: "BP-\($0 % 3)") }
            _ = try source.store.store(readings, gateway: "g")
        }
        // The user index of a deleted person belongs to nobody.
        _ = try source.store.assign("BP-1", to: ben.id, user: 7)
        _ = try source.store.deletePerson(ben.id)
        struct Interruption: Error {}
        // The first portions of readings remain.
        #expect(throws: Interruption.self) {
            try StoreCopy(from: source.store, to: address).run { _ in throw Interruption() }
        }
        #expect(throws: HubProblem.self) { try other(target.path) }
        let (first, second) = try StoreCopy(from: source.store, to: address).run()
        #expect(first == second && first.people == 1 && first.devices == 3 && first.readings == 5000)
        // Repeated, it only compares.
        #expect(try StoreCopy(from: source.store, to: address).run().target == first)
        let hub = try other(target.path)
        defer { try? hub.close() }
        #expect(try await hub.token(token)?.name == "kitchen")
        let nobody = DeviceAssignment(user: 7, person: nil)
        #expect(try hub.devices().contains { $0.assignments?.contains(nobody) == true })
        #expect(try hub.store([reading(1), reading(9999)], gateway: "g").results.map(\.status) == [.known, .stored])
        #expect(try hub.addPerson(name: "Carla", born: "1970-01-01").id == ben.id + 1)
        // A database with other content is refused.
        #expect(throws: HubProblem.self) { try StoreCopy(from: source.store, to: address).run() }
    }
}
#endif
