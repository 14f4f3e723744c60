#if Programs
import Foundation
import GRDB
import PeerSupport
import Testing

@testable import HealthHub

/// 2A35: 142/88 mmHg at 2026-11-20T08:00:00, pulse 72, user 1.
private let cuff = "1E8E0058006900EA070B140800004800010000"

@Suite("The deletion of a person")
struct DeletionTests {
    private typealias Device = SubmittedReading.Device
    private let arrived = Date(timeIntervalSince1970: 1_795_200_000)

    private func send(_ store: HubStore, _ device: Device) throws -> ReadingResult {
        var reading = SubmittedReading()
        (reading.device, reading.characteristic, reading.hex, reading.clockOffset) = (device, "2A35", cuff, 0)
        return try store.store([reading], gateway: "g", arrived: arrived).results[0]
    }

    /// Checks that no file in a directory contains the octets.
    private func expectNoFile(in directory: URL, contains octets: Data) throws {
        for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil) {
            #expect(try Data(contentsOf: file).range(of: octets) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test("The data is erased, and readings sent again are recognized")
    func deletion() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let person = try store.addPerson(name: "Annabella Unmistakable", born: "1961-04-30")
        _ = try store.assign("BP-1", to: person.id)
        _ = try send(store, Device(serial: "BP-1"))
        let deletion = try store.deletePerson(person.id)
        #expect(deletion == PersonDeletion(id: "\(person.id)", readings: 1))
        let again = try send(store, Device(serial: "BP-1"))
        #expect(again.status == .known && again.id == nil)
        try expectNoFile(in: temporary.directory, contains: Data("Annabella".utf8))
        try expectNoFile(in: temporary.directory, contains: Data(try #require(HealthMeasurement.bytes(cuff))))
        let next = try store.addPerson(name: "Ben", born: "1959-01-02")
        #expect(next.id > person.id)
    }

    @Test("The name of the device is erased, also when a reading is sent again", arguments: StoreKind.all)
    func nameOfDevice(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("BP-1", to: anna.id)
        let named = Device(serial: "BP-1", name: "Anna's cuff")
        _ = try send(store, named)
        #expect(try store.devices().map(\.name) == ["Anna's cuff"])
        _ = try store.deletePerson(anna.id)
        #expect(try store.devices().map(\.name) == [nil])
        #expect(try send(store, named).status == .known)
        #expect(try store.devices().map(\.name) == [nil])
    }

    // MARK: Cleaning

    @Test("A deletion whose files cannot be cleaned is logged, and the cleaning is repeated")
    func laterCleaning() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let person = try store.addPerson(name: "Annabella Unmistakable", born: "1961-04-30")
        let pool = try #require(store.database as? SQLiteDatabase).pool
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
        // Another program reads the file meanwhile.
        let reader = try DatabaseQueue(path: temporary.path)
        let answer = try reader.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM person")
            return store.perform(.deletePerson(id: person.id))
        }
        try reader.close()
        #expect(answer.code == nil)
        let item = try #require(answer.items.first)
        #expect(item.text.hasPrefix("deleted person \(person.id) and 0 readings\nthe rows are deleted, but the files"))
        #expect(item.json.contains(#""erased":false"#))
        #expect(try store.people().isEmpty)
        #expect(try store.auditLog().map(\.action) == ["person delete \(person.id)"])
        #expect(try store.eraseDeleted())
        #expect(try !store.eraseDeleted())
        try expectNoFile(in: temporary.directory, contains: Data("Annabella".utf8))
    }
}
#endif
