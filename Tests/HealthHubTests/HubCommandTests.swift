import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The administration commands of the hub", .blocksThread)
struct HubCommandTests {
    /// Performs a command with one object in its answer.
    private func answer(_ command: HubCommand, _ store: HubStore) throws -> (object: [String: Any], text: String) {
        let answer = store.perform(command)
        let item = try #require(answer.items.first, "\(answer.problem ?? "no object")")
        let object = try JSONSerialization.jsonObject(with: Data(item.json.utf8)) as? [String: Any]
        return (try #require(object), item.text)
    }

    @Test("An assignment says if no device of this name has sent a reading", arguments: StoreKind.all)
    func assignment(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.store(
            [.ofOneDevice(json: #"{"weight":{"value":"70","unit":"kg"}}"#)], gateway: "g")
        let known = try answer(.assign(device: "d-1", person: anna.id, user: nil), store)
        #expect(known.object["known"] as? Bool == true && known.object["readings"] as? Int == 1)
        #expect(known.text == "d-1 is assigned to person 1, with 1 stored reading")
        for _ in 0..<2 {
            let unknown = try answer(.assign(device: "D-2", person: anna.id, user: nil), store)
            #expect(unknown.object["known"] as? Bool == false)
            #expect(unknown.text.contains("No device with this name, number or address has sent a reading yet"))
        }
    }

    @Test("The end of an assignment leaves the readings of the person without a person", arguments: StoreKind.all)
    func unassignment(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let people = try ["Anna", "Ben"].map { try store.addPerson(name: $0, born: "1961-04-30").id }
        // Of an unknown user, and of the users 1 and 2.
        let readings = try [255, 1, 2].enumerated().map { index, user in
            try SubmittedReading.ofOneDevice(
                json: #"{"weight":{"value":"70","unit":"kg"},"userID":\#(user)}"#,
                time: "2026-11-10T1\(index):00:00")
        }
        func total(_ person: Int64) throws -> Int? {
            try store.readings(of: person, kind: nil, since: .distantPast)?.total
        }
        #expect(try store.store(readings, gateway: "g").results.map(\.status) == [.stored, .stored, .stored])
        _ = try store.assign("D-1", to: people[0], user: 2)
        _ = try store.assign("D-1", to: people[1])
        #expect(try total(people[0]) == 1 && total(people[1]) == 2)
        let user = try answer(.unassign(device: "d-1", user: 2), store)
        #expect(user.object["person"] as? String == "1" && user.object["readings"] as? Int == 1)
        #expect(user.text == "user 2 of d-1 is no longer assigned to person 1; 1 stored reading belongs to nobody now")
        #expect(try total(people[0]) == 0 && total(people[1]) == 2 && store.unassignedReadings().total == 1)
        let again = store.perform(.unassign(device: "D-1", user: 2))
        #expect(again.code == .notFound && again.problem == "user 2 of 'D-1' belongs to nobody already")
        let reason = "has no assignment of its own; the assignment of the device to person 2 applies to it"
        #expect(store.perform(.unassign(device: "D-1", user: 1)).problem == "user 1 of 'D-1' \(reason)")
        let device = try answer(.unassign(device: "D-1", user: nil), store)
        #expect(
            device.text == "D-1 is no longer assigned to person 2; 2 stored readings belong to nobody now"
                && device.object["readings"] as? Int == 2)
        #expect(try total(people[1]) == 0 && store.unassignedReadings().total == 3)
        #expect(store.perform(.unassign(device: "D-1", user: nil)).problem == "'D-1' is not assigned")
        _ = try store.assign("D-1", to: people[0], user: 1)
        #expect(
            store.perform(.unassign(device: "D-1", user: nil)).problem
                == "'D-1' is assigned only by user index: --user 1")
        #expect(store.perform(.unassign(device: "D-9", user: nil)).code == .notFound)
        #expect(store.perform(.unassign(device: "D-1", user: 255)).code == .invalid)
        // A later assignment has the same readings, except those of the user index that belongs to nobody.
        #expect(try store.assign("D-1", to: people[0]) == 1)
        #expect(try store.assign("D-1", to: people[0], user: 2) == 1)
        #expect(try store.store(readings, gateway: "g").results.map(\.status) == [.known, .known, .known])
        #expect(try total(people[0]) == 3)
    }

    @Test("The password of an account is changed, and the audit log says so", arguments: StoreKind.all)
    func password(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        try store.addUser(name: "dr", role: .reader, hash: "old")
        #expect(try answer(.changeUser(name: "dr", hash: "new"), store).text == "changed the password of 'dr'")
        #expect(try store.user("dr")?.hash == "new" && store.user("dr")?.role == .reader)
        #expect(try store.auditLog().first?.action == "user set dr")
        #expect(store.perform(.changeUser(name: "nobody", hash: "new")).code == .notFound)
    }

    @Test("Intervals have no zeros, and the list of people has the height and a pregnancy")
    func people() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        _ = try store.addPerson(
            name: "Anna", born: "1991-04-30", pregnant: true, height: Decimal(string: "1.72"))
        var change = PersonChange()
        change.every = ["bloodPressure=2", "glucose=0.5", "weight=1"]
        #expect(
            try answer(.changePerson(id: 1, change), store).text == """
                1  Anna  born 1991-04-30  esc  home  pregnant  1.72 m
                  bloodPressure: every 2 days
                  glucose: every 0.5 days
                  weight: every day
                """)
        #expect(try answer(.listPeople, store).text == "1  Anna  born 1991-04-30  esc  home  pregnant  1.72 m")
    }

    @Test("A name and a date of birth can be corrected")
    func corrections() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        _ = try store.addPerson(name: "Ana", born: "1961-04-03")
        func change(name: String? = nil, born: String? = nil, every: [String] = [], targets: [String] = [])
            -> HubCommand
        {
            var change = PersonChange()
            (change.name, change.born, change.every, change.targets) = (name, born, every, targets)
            return .changePerson(id: 1, change)
        }
        #expect(
            try answer(change(name: "Anna", born: "1961-04-30"), store).text == "1  Anna  born 1961-04-30  esc  home")
        #expect(store.perform(change(name: " ")).code == .invalid)
        #expect(store.perform(change(born: "1961-02-30")).code == .invalid)
        #expect(store.perform(change(every: ["other=1"])).code == .invalid)
        #expect(store.perform(change(every: ["weight=0x10"])).code == .invalid)
        #expect(store.perform(change(targets: ["systolic=-5..-2 mmHg"])).code == .invalid)
        #expect(try answer(.listPeople, store).text == "1  Anna  born 1961-04-30  esc  home")
    }

    @Test("A date of birth is today at the latest in the zone of the hub")
    func birthToday() throws {
        let (now, zone) = (
            Date(timeIntervalSince1970: 1_795_000_000), try #require(TimeZone(secondsFromGMT: 13 * 3600))
        )
        // 2026-11-18 11:06:40 in UTC.
        try HubStore.checkBirth("2026-11-19", now: now, zone: zone)
        #expect(throws: HubProblem.self) { try HubStore.checkBirth("2026-11-20", now: now, zone: zone) }
        #expect(throws: HubProblem.self) { try HubStore.checkBirth("2026-11-19", now: now, zone: .gmt) }
    }

    @Test("An export says how many readings the format cannot express", arguments: StoreKind.all)
    func omitted(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        _ = try store.store(
            [
                .ofOneDevice(json: #"{"weight":{"value":"70","unit":"kg"}}"#),
                .ofOneDevice(json: #"{"steps":1000}"#, time: "2026-11-10T11:00:00"),
            ], gateway: "g")
        let path = temporary.directory.appending(path: "a").path
        for (format, lack) in [(ExportFormat.csv, "values"), (.fhir, "a FHIR code")] {
            let export = try answer(.export(path: path + format.rawValue, format: format, person: nil), store)
            #expect(export.object["readings"] as? Int == 1 && export.object["omitted"] as? Int == 1)
            #expect(export.text.hasSuffix("; 1 reading without \(lack) is not in it"), "\(export.text)")
        }
        let all = try answer(.export(path: path, format: .jsonl, person: nil), store)
        #expect(all.object["readings"] as? Int == 2 && all.text == "wrote 2 readings to \(path)")
    }
}
