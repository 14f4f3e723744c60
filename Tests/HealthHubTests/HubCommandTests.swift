#if Programs
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
        let change = HubCommand.changePerson(
            id: 1, guideline: nil, setting: nil, pregnant: nil, targets: [], withoutTargets: [],
            every: ["bloodPressure=2", "glucose=0.5", "weight=1"])
        #expect(
            try answer(change, store).text == """
                1  Anna
                  bloodPressure: every 2 days
                  glucose: every 0.5 days
                  weight: every day
                """)
        #expect(try answer(.listPeople, store).text == "1  Anna  born 1991-04-30  esc  home  pregnant  1.72 m")
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
#endif
