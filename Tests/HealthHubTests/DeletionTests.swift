import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// 2A35: 142/88 mmHg at 2026-11-20T08:00:00, pulse 72, user 1.
private let cuff = "1E8E0058006900EA070B140800004800010000"

@Suite("The deletion of a person", .blocksThread, .timeLimit(.minutes(5)))
struct DeletionTests {
    private typealias Device = SubmittedReading.Device
    private let arrived = Date(timeIntervalSince1970: 1_795_200_000)

    private func send(_ store: HubStore, _ device: Device, hex: String = cuff) throws -> ReadingResult {
        var reading = SubmittedReading()
        (reading.device, reading.characteristic, reading.hex, reading.clockOffset) = (device, "2A35", hex, 0)
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

    @Test("A user index of a deleted person belongs to nobody", arguments: StoreKind.all)
    func userIndex(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let (anna, tom) = (
            try store.addPerson(name: "Anna", born: "1961-04-30").id,
            try store.addPerson(name: "Tom", born: "1959-01-02").id
        )
        _ = try store.assign("BP-1", to: tom)
        _ = try store.assign("BP-1", to: anna, user: 1)
        let device = Device(serial: "BP-1")
        #expect(try send(store, device).person == "\(anna)")
        _ = try store.deletePerson(anna)
        #expect(try send(store, device).status == .known)
        let later = cuff.replacing("EA070B14", with: "EA070B15")
        let result = try send(store, device, hex: later)
        #expect(result.status == .stored && result.person == nil)
        #expect(try store.unassignedReadings().total == 1)
        let assignments = [DeviceAssignment(user: nil, person: "\(tom)"), DeviceAssignment(user: 1, person: nil)]
        #expect(try store.devices().map(\.assignments) == [assignments])
        let json = String(decoding: try JSONEncoder().encode(assignments[1]), as: UTF8.self)
        #expect(json.contains(#""person":null"#) && json.contains(#""user":1"#))
        // Another assignment of the whole device leaves it with nobody.
        #expect(try store.assign("BP-1", to: tom) == 0)
        #expect(try store.assign("BP-1", to: tom, user: 1) == 1)
        #expect(try store.unassignedReadings().total == 0)
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

    // MARK: Names of devices

    @Test("A device that is known only by its name is recognized without it", arguments: StoreKind.all)
    func nameOnly(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let person = try store.addPerson(name: "Annabella", born: "1961-04-30")
        let device = Device(name: "Annabella's cuff")
        #expect(try send(store, device).status == .stored)
        #expect(try store.assign("Annabella's cuff", to: person.id) == 1)
        #expect(try store.deletePerson(person.id).readings == 1)
        try expectNoFile(in: temporary.directory, contains: Data("Annabella".utf8))
        let again = try send(store, device)
        #expect(again.status == .known && again.id == nil)
        #expect(try store.devices().map(\.name) == [nil])
        // Another reading is a new one, of the same device.
        let other = cuff.replacing("8E00", with: "8F00")
        #expect(try send(store, device, hex: other).status == .stored)
        #expect(try store.devices().map(\.name) == ["Annabella's cuff"])
        #expect(try send(store, device).status == .known)
    }

    /// Returns a Bundle with a temperature that has the given members, each followed by a comma.
    private func bundle(_ members: String) -> [UInt8] {
        Array(
            """
            {"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"POST","url":"Observation"},
            "resource":{"resourceType":"Observation","status":"final",\(members)
            "code":{"coding":[{"system":"http://loinc.org","code":"8310-5"}]},
            "effectiveDateTime":"2026-11-20T08:00:00Z","valueQuantity":{"value":36.6,"unit":"C",
            "system":"http://unitsofmeasure.org","code":"Cel"}}}]}
            """.utf8)
    }

    private func status(_ answer: FHIRAnswer) -> String? {
        answer.resource["entry"]?.elements.first?["response"]?["status"]?.string
    }

    @Test("The subject of an Observation without a device is erased", arguments: StoreKind.all)
    func subject(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let person = try store.addPerson(name: "Anna", born: "1961-04-30")
        let bundle = bundle(#""subject":{"display":"Annabella Unmistakable"},"#)
        let first = try await store.storeFHIR(bundle, gateway: "g", maySayPerson: false)
        #expect(status(first) == "201 Created")
        #expect(try store.assign("fhir:g|subject|Annabella Unmistakable", to: person.id) == 1)
        #expect(try store.deletePerson(person.id).readings == 1)
        try expectNoFile(in: temporary.directory, contains: Data("Unmistakable".utf8))
        let again = try await store.storeFHIR(bundle, gateway: "g", maySayPerson: false)
        #expect(status(again) == "200 OK" && again.people.isEmpty)
        #expect(try store.devices().map(\.identifier) == [nil])
        #expect(try store.unassignedReadings().readings.isEmpty)
    }

    @Test("The name of a device without an assignment is erased", arguments: StoreKind.all)
    func notAssigned(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let person = try store.addPerson(name: "Anna", born: "1961-04-30")
        let bundle = bundle(
            #""subject":{"reference":"Patient/\#(person.id)"},"#
                + #""device":{"identifier":{"value":"T-1"},"display":"Thermometer of the Unmistakables"},"#)
        let answer = try await store.storeFHIR(bundle, gateway: "g", maySayPerson: true)
        #expect(answer.people == [person.id])
        #expect(try store.devices().map(\.name) == ["Thermometer of the Unmistakables"])
        #expect(try store.deletePerson(person.id).readings == 1)
        #expect(try store.devices().map(\.name) == [nil])
        try expectNoFile(in: temporary.directory, contains: Data("Unmistakable".utf8))
    }

    @Test("A device that others use loses a name that contains that of the person", arguments: StoreKind.all)
    func sharedDevice(_ kind: StoreKind) throws {
        let names: [(String, String?)] = [("Scale of ANNA and Ben", nil), ("Living room", "Living room")]
        for (name, remaining) in names {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let anna = try store.addPerson(name: "Anna Unmistakable", born: "1961-04-30")
            let ben = try store.addPerson(name: "Ben", born: "1959-01-02")
            let device = Device(name: name)
            _ = try send(store, device)
            // The reading of user 2.
            let second = String(cuff.dropLast(6)) + "020000"
            #expect(try send(store, device, hex: second).status == .stored)
            #expect(try store.assign(name, to: anna.id, user: 1) == 1)
            #expect(try store.assign(name, to: ben.id, user: 2) == 1)
            #expect(try store.deletePerson(anna.id).readings == 1)
            #expect(try store.devices().map(\.name) == [remaining])
            // Both readings are still those of this device.
            let again = try send(store, device, hex: second)
            #expect(again.status == .known && again.person == "\(ben.id)")
            #expect(try send(store, device).status == .known)
            #expect(try store.devices().count == 1)
        }
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
        #expect(try store.auditLog().first?.action == "person delete \(person.id)")
        #expect(try store.eraseDeleted())
        #expect(try !store.eraseDeleted())
        try expectNoFile(in: temporary.directory, contains: Data("Annabella".utf8))
    }
}
