import BluetoothModel
import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The devices of readings", .blocksThread, .timeLimit(.minutes(5)))
struct DeviceIdentityTests {
    private typealias Device = SubmittedReading.Device
    private let arrived = Date(timeIntervalSince1970: 1_795_200_000)

    /// 2A35: 142/88 mmHg at 08:00 on a day of November 2026, pulse 72, user 1.
    private func reading(_ device: Device, day: UInt8 = 20) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = device
        reading.characteristic = "2A35"
        reading.hex = "1E8E0058006900EA070B\([day].hexText())0800004800010000"
        reading.clockOffset = 0
        return reading
    }

    private func send(_ store: HubStore, _ devices: [Device], day: UInt8 = 20) throws -> [ReadingResult.Status] {
        try devices.map {
            try store.store([reading($0, day: day)], gateway: "g", arrived: arrived).results[0].status
        }
    }

    private func owners(_ store: HubStore) throws -> [Int64?] {
        try store.database.read { try $0.rows("SELECT person_id FROM reading ORDER BY id").map { $0["person_id"] } }
    }

    // MARK: Devices with the same serial number

    @Test("Devices with the same serial number are different if another attribute differs", arguments: StoreKind.all)
    func sameSerial(_ kind: StoreKind) throws {
        for (first, second) in [
            (Device(serial: "0001", model: "BP-A"), Device(serial: "0001", model: "BP-B")),
            (
                Device(serial: "0001", systemID: "0011223344556677"),
                Device(serial: "0001", systemID: "0011223344556688")
            ),
            (
                Device(serial: "0001", address: "02:48:41:00:00:01", model: "BP-A"),
                Device(serial: "0001", address: "02:48:41:00:00:02", model: "BP-A")
            ),
        ] {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
            #expect(try send(store, [first, second, first, second]) == [.stored, .stored, .known, .known])
            let devices = try store.devices()
            #expect(devices.count == 2)
            #expect(Set(devices.map { FHIRResources.identifier(of: $0, in: nil).value }).count == 2)
            let listed = store.perform(.listDevices).items.map {
                $0.text.components(separatedBy: "  last ")[0].dropFirst()
            }
            #expect(Set(listed).count == 2)
            // The serial number names both.
            #expect {
                try store.assign("0001", to: people[0])
            } throws: { error in
                (error as? HubProblem)?.description.contains("id:\(devices[0].id), id:\(devices[1].id)") == true
            }
            for (device, person) in zip(devices, people) {
                #expect(try store.assign("id:\(device.id)", to: person) == 1)
            }
            #expect(try owners(store) == people)
            #expect(try send(store, [second, first], day: 21) == [.stored, .stored])
            #expect(try owners(store) == people + people.reversed())
        }
    }

    @Test("A gateway that knows less or more of a device names the same device", arguments: StoreKind.all)
    func moreOrLess(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let known = Device(
            id: "cuff", serial: "BP-1", systemID: "0011223344556677", address: "02:48:41:00:00:01", model: "A",
            name: "Cuff")
        let parts = [
            Device(serial: "BP-1"), known, Device(serial: "BP-1", model: "a"), Device(address: "02:48:41:00:00:01"),
            Device(systemID: "0011223344556677"), Device(id: "cuff"),
            Device(serial: "BP-1", systemID: "7766554433221100"),
        ]
        #expect(try send(store, parts) == [.stored] + Array(repeating: .known, count: parts.count - 1))
        #expect(try store.devices().count == 1)
        // An address that may be private, and changes.
        let changed = [
            Device(serial: "T-1", address: "4A:11:11:11:11:11"), Device(serial: "T-1", address: "5B:22:22:22:22:22"),
        ]
        #expect(try send(store, changed) == [.stored, .known])
    }

    @Test("A reading that fits several devices belongs to none of them, and is stored once", arguments: StoreKind.all)
    func ambiguous(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let (first, second) = (Device(serial: "0001", model: "A"), Device(serial: "0001", model: "B"))
        let vague = Device(serial: "0001")
        #expect(try send(store, [first, second]) == [.stored, .stored])
        #expect(try store.assign("id:1", to: anna.id) == 1)
        // Known readings are recognized.
        #expect(try send(store, [vague]) == [.known])
        #expect(try send(store, [vague, vague, first], day: 21) == [.stored, .known, .known])
        #expect(try owners(store) == [anna.id, nil, nil])
        #expect(try store.devices().map(\.model) == ["A", "B", nil])
    }

    @Test("A reading that fits several devices is stored once in one request", arguments: StoreKind.all)
    func ambiguousInOneRequest(_ kind: StoreKind) throws {
        let (first, second) = (Device(serial: "0001", model: "A"), Device(serial: "0001", model: "B"))
        let vague = Device(serial: "0001")
        let cases: [(devices: [Device], days: [UInt8], statuses: [ReadingResult.Status])] = [
            ([vague, first], [21, 21], [.stored, .known]),
            ([first, vague], [21, 21], [.stored, .known]),
            // The device is known before the row exists that shares its serial number.
            ([first, vague, first], [20, 21, 21], [.known, .stored, .known]),
            ([first, vague, first, second], [21, 22, 22, 21], [.stored, .stored, .known, .stored]),
        ]
        for (devices, days, statuses) in cases {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            #expect(try send(store, [first, second]) == [.stored, .stored])
            let readings = zip(devices, days).map { reading($0, day: $1) }
            let results = try store.store(readings, gateway: "g", arrived: arrived).results
            #expect(results.map(\.status) == statuses, "\(days)")
            // Sent again, all are known.
            let again = try store.store(readings, gateway: "g", arrived: arrived).results
            #expect(again.map(\.id) == results.map(\.id), "\(days)")
        }
    }

    // MARK: One device with several identifiers

    @Test("Devices that turn out to be one are merged with their readings", arguments: StoreKind.all)
    func merged(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.addReceiver(
            kind: .webhook, url: "http://127.0.0.1:9/", name: nil, options: .init(), isPlain: false)
        _ = try store.assign("02:48:41:00:00:01", to: anna.id)
        _ = try store.assign("BP-1", to: anna.id)
        let (byAddress, bySerial) = (Device(address: "02:48:41:00:00:01"), Device(serial: "BP-1"))
        #expect(try send(store, [byAddress, bySerial]) == [.stored, .stored])
        #expect(try send(store, [byAddress], day: 21) == [.stored])
        let both = Device(serial: "BP-1", address: "02:48:41:00:00:01")
        // One batch: a reading of the address, then the report of both.
        let batch = [reading(byAddress, day: 22), reading(both, day: 23), reading(both, day: 22)]
        let results = try store.store(batch, gateway: "g", arrived: arrived).results
        #expect(results.map(\.status) == [.stored, .stored, .known])
        #expect(try store.devices().count == 1)
        #expect(try store.readings(of: anna.id, kind: nil, since: arrived.addingTimeInterval(-30 * 86400))?.total == 4)
        #expect(try store.unassignedReadings().total == 0)
        for day in [20, 21, 22, 23] as [UInt8] {
            #expect(try send(store, [byAddress, bySerial, both], day: day) == [.known, .known, .known], "\(day)")
        }
        let again = try store.store([reading(byAddress)], gateway: "g", arrived: arrived)
        #expect(again.people == [anna.id])
        // The copy that was forwarded is retracted.
        let retracted: [Int64] = try await store.database.read { db in
            try db.values("SELECT reading_id FROM outbox WHERE retraction = 1", [])
        }
        #expect(retracted.count == 1)
        let file = temporary.directory.appending(path: "export.jsonl").path
        #expect(try store.export(to: file, format: .jsonl, person: nil).written == 4)
        // Nothing of the person is left, and all forms are recognized.
        #expect(try store.deletePerson(anna.id).readings == 4)
        #expect(try await store.database.read { try $0.value("SELECT count(*) FROM reading", []) as Int? } == 0)
        #expect(try send(store, [byAddress, bySerial, both]) == [.known, .known, .known])
    }

    @Test(
        "An assignment before the first contact applies when its attribute is sent", arguments: StoreKind.all,
        ["BP-1", "c01122334455", "0x0011223344556677", "gateway's cuff", "Cuff"])
    func assignmentInAdvance(_ kind: StoreKind, text: String) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        #expect(try store.assign(text, to: anna.id) == 0)
        let all = Device(
            id: "gateway's cuff", serial: "BP-1", systemID: "0011223344556677", address: "C0:11:22:33:44:55",
            name: "Cuff")
        // A reading without the attribute comes first.
        let first = text == "BP-1" ? Device(address: all.address) : Device(serial: all.serial)
        #expect(try send(store, [first], day: 20) == [.stored])
        #expect(try owners(store) == [nil])
        #expect(try send(store, [all], day: 21) == [.stored])
        #expect(try owners(store) == [anna.id, anna.id])
        #expect(try store.devices().count == 1)
    }

    @Test("An address is the same with 0x", arguments: ["C01122334455", "0xC01122334455", "0XC0:11:22:33:44:55"])
    func addressForms(_ text: String) { #expect(Device.address(text) == "C0:11:22:33:44:55") }

    @Test(
        "Placeholders of System IDs and addresses identify no device",
        arguments: ["0000000000000000", "FF-FF-FF-FF-FF-FF-FF-FF", "00:00:00:00:00:00", "0xffffffffffff"])
    func placeholders(_ text: String) throws {
        let temporary = try TemporaryStore()
        func device(_ serial: String?, name: String? = nil) -> Device {
            text.filter(\.isHexDigit).count > 13
                ? Device(serial: serial, systemID: text, name: name) : Device(serial: serial, address: text, name: name)
        }
        let sent = [device("A"), device("B"), device(nil, name: "C")]
        #expect(try send(temporary.store, sent) == [.stored, .stored, .stored])
        let devices = try temporary.store.devices()
        #expect(devices.map(\.serial) == ["A", "B", nil] && devices.allSatisfy { $0.systemID == nil })
        #expect(devices.allSatisfy { $0.address == nil })
        #expect(try send(temporary.store, [device(nil)]) == [.refused])
    }

    @Test("An assignment is that of the merged device", arguments: StoreKind.all)
    func mergedAssignment(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        let (byID, bySerial) = (Device(systemID: "0011223344556677"), Device(serial: "BP-1"))
        #expect(try send(store, [byID]) == [.stored])
        #expect(try store.assign("0011223344556677", to: anna.id) == 1)
        #expect(try send(store, [bySerial], day: 21) == [.stored])
        let both = Device(serial: "BP-1", systemID: "00-11-22-33-44-55-66-77")
        #expect(try send(store, [both], day: 22) == [.stored])
        #expect(try owners(store) == [anna.id, anna.id, anna.id])
        #expect(try store.assign("BP-1", to: anna.id) == 3)
        #expect(try store.gateway("g", hasReadingsOf: anna.id))
    }

    @Test("A user index of nobody stays so in a merger, unless the other device has a person", arguments: StoreKind.all)
    func mergedNobody(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30").id
        let (byID, bySerial) = (Device(systemID: "0011223344556677"), Device(serial: "BP-1"))
        #expect(try send(store, [byID]) == [.stored])
        #expect(try send(store, [bySerial], day: 21) == [.stored])
        for (name, users) in [("0011223344556677", [2, 3]), ("BP-1", [3, 4])] {
            for user in users {
                _ = try store.assign(name, to: anna, user: user)
                _ = try store.unassign(name, user: user)
            }
        }
        _ = try store.assign("BP-1", to: anna, user: 2)
        _ = try store.assign("0011223344556677", to: anna, user: 4)
        _ = try store.assign("BP-1", to: anna)
        #expect(try send(store, [Device(serial: "BP-1", systemID: "0011223344556677")], day: 22) == [.stored])
        let expected = [(nil, "\(anna)"), (2, "\(anna)"), (3, nil), (4, "\(anna)")] as [(Int?, String?)]
        #expect(
            try store.devices().map(\.assignments) == [expected.map { DeviceAssignment(user: $0.0, person: $0.1) }])
    }

    @Test("Devices that are assigned to different people are not merged", arguments: StoreKind.all)
    func differentPeople(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
        let (byAddress, bySerial) = (Device(address: "02:48:41:00:00:01"), Device(serial: "BP-1"))
        #expect(try send(store, [bySerial, byAddress]) == [.stored, .stored])
        _ = try store.assign("02:48:41:00:00:01", to: people[0])
        _ = try store.assign("BP-1", to: people[1])
        let both = Device(serial: "BP-1", address: "02:48:41:00:00:01")
        #expect(try send(store, [both], day: 21) == [.stored])
        #expect(try store.devices().count == 2)
        #expect(try send(store, [byAddress, bySerial], day: 22) == [.stored, .stored])
        #expect(try owners(store) == [people[1], people[0], people[1], people[0], people[1]])
    }

    // MARK: Forms of identifiers and times

    @Test("System IDs and addresses are the same in any form", arguments: StoreKind.all)
    func forms(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let ids = [
            "00112233aabbccdd", "00-11-22-33-AA-BB-CC-DD", "00:11:22:33:aa:bb:cc:dd", "0x00112233AABBCCDD",
            " 0011 2233 AABB CCDD ",
        ]
        #expect(try send(store, ids.map { Device(systemID: $0) }) == [.stored, .known, .known, .known, .known])
        let addresses = ["02:48:41:00:00:0a", "02-48-41-00-00-0A", "02484100000a"]
        #expect(try send(store, addresses.map { Device(address: $0) }) == [.stored, .known, .known])
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        #expect(try store.assign("0x00112233AABBCCDD", to: anna.id) == 1)
        #expect(try store.assign("02-48-41-00-00-0a", to: anna.id) == 1)
    }

    @Test("A serial number with control characters names one device", arguments: StoreKind.all)
    func controlCharacters(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let serials = ["A\u{7}", "A", "A\u{7F}", "\u{1B}A\n"]
        #expect(try send(temporary.store, serials.map { Device(serial: $0) }) == [.stored, .known, .known, .known])
        #expect(try temporary.store.devices().map(\.serial) == ["A"])
    }

    @Test("Times are the same in any form", arguments: StoreKind.all)
    func times(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        func weight(deviceTime: String? = nil, time: String? = nil) -> SubmittedReading {
            var reading = SubmittedReading()
            reading.device = Device(serial: "W-1")
            reading.fields = ["weight": .object(["value": .string("70.5"), "unit": .string("kg")])]
            (reading.deviceTime, reading.time) = (deviceTime, time)
            return reading
        }
        func statuses(_ readings: [SubmittedReading]) throws -> [ReadingResult.Status] {
            try store.store(readings, gateway: "g", arrived: arrived).results.map(\.status)
        }
        let deviceTimes = [
            "2026-11-20T08:00:00", "2026-11-20 08:00:00", "2026-11-20t08:00:00.000", "2026-11-20T08:00:00Z",
            "2026-11-20T08:00:00.25+01:00", "2026-11-20T08:00", "2026-11-20 08:00+01:00", "2026-11-20T08:00-05:00",
            " 2026-11-20T08:00:00 ",
        ]
        #expect(
            try statuses(deviceTimes.map { weight(deviceTime: $0) })
                == [.stored] + Array(repeating: .known, count: deviceTimes.count - 1))
        let times = [
            "2026-11-20T07:00:00Z", "2026-11-20T08:00:00+01:00", "2026-11-20T07:00:00.000Z", "2026-11-20 07:00:00Z",
            "2026-11-20t07:00:00z",
        ]
        #expect(
            try statuses(times.map { weight(time: $0) })
                == [.stored] + Array(repeating: .known, count: times.count - 1))
        #expect(
            try statuses(["2026-11-20T07:00:00.5Z", "2026-11-20T07:00:00.500Z"].map { weight(time: $0) })
                == [.stored, .known])
    }

    // MARK: Contexts of glucose measurements

    @Test("The context of a glucose measurement is stored once", arguments: StoreKind.all)
    func contexts(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        var number = 0
        func octets(_ characteristic: String, _ hex: String, _ device: Device = Device(serial: "G-1"))
            -> SubmittedReading
        {
            var reading = SubmittedReading()
            number += 1
            (reading.device, reading.id) = (device, "queued \(number)")
            (reading.characteristic, reading.hex) = (characteristic, hex)
            return reading
        }
        func send(_ readings: [SubmittedReading]) throws -> [ReadingResult.Status] {
            try store.store(readings, gateway: "g", arrived: arrived).results.map(\.status)
        }
        // Number 7 on a day of November 2026, 100 mg/dL; its context: before a meal.
        func measurement(day: UInt8) -> SubmittedReading {
            octets("2A18", "020700EA070B\([day].hexText())08000064B011")
        }
        func context(meal: UInt8 = 1) -> SubmittedReading { octets("2A34", "020700\([meal].hexText())") }
        #expect(try send([measurement(day: 10), context()]) == [.stored, .stored])
        // Again by another gateway, from the memory of the device, and alone.
        #expect(try send([measurement(day: 10), context()]) == [.known, .known])
        #expect(try send([context()]) == [.known])
        #expect(try send([context(meal: 2)]) == [.stored])
        // After a reset the device uses the number again.
        #expect(try send([measurement(day: 11), context()]) == [.stored, .stored])
        #expect(
            try send([measurement(day: 11), context(), measurement(day: 10), context()]) == [
                .known, .known, .known, .known,
            ])
        // A context that precedes its measurement.
        let other = Device(serial: "G-2")
        #expect(try send([octets("2A34", "02070001", other)]) == [.stored])
        #expect(try send([octets("2A18", "020700EA070B0A08000064B011", other)]) == [.stored])
        #expect(try send([octets("2A34", "02070001", other)]) == [.known])
        // The same in one request.
        let third = Device(serial: "G-3")
        let mixed = [
            octets("2A34", "02070001", third), octets("2A18", "020700EA070B0A08000064B011", third),
            octets("2A34", "02070001", third),
        ]
        #expect(try send(mixed) == [.stored, .stored, .known])
        #expect(try store.unassignedReadings().readings.contains { $0.text == "preprandial" })
    }

    @Test("A context that was deleted with its person is not stored again", arguments: StoreKind.all)
    func forgottenContext(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
        func send(_ values: [(String, String)]) throws -> [ReadingResult.Status] {
            var readings: [SubmittedReading] = []
            for (characteristic, hex) in values {
                var reading = SubmittedReading()
                reading.device = Device(serial: "G-1")
                (reading.characteristic, reading.hex) = (characteristic, hex)
                readings.append(reading)
            }
            return try store.store(readings, gateway: "g", arrived: arrived).results.map(\.status)
        }
        // Number 7 on two days of November 2026; its context: before a meal.
        let (first, second) = (("2A18", "020700EA070B0A08000064B011"), ("2A18", "020700EA070B0B08000064B011"))
        let context = ("2A34", "02070001")
        _ = try store.assign("G-1", to: people[0])
        #expect(try send([first, context]) == [.stored, .stored])
        #expect(try store.deletePerson(people[0]).readings == 2)
        #expect(try send([first, context]) == [.known, .known])
        _ = try store.assign("G-1", to: people[1])
        #expect(try send([first, context]) == [.known, .known])
        #expect(try owners(store) == [])
        // The device was reset, and uses the number again.
        #expect(
            try send([first, context, second, context, first, context]) == [
                .known, .known, .stored, .stored, .known, .known,
            ])
        #expect(try owners(store) == [people[1], people[1]])
    }
}
