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
}
#endif
