import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("The resources of several hubs", .blocksThread, .timeLimit(.minutes(5)))
struct FHIRHubTests {
    @Test("Devices and gateways of two hubs differ at a FHIR server", arguments: StoreKind.all)
    func hubs(_ kind: StoreKind) async throws {
        var (identifiers, texts): ([Set<String>], [String]) = ([], [])
        for _ in 0..<2 {
            let temporary = try TemporaryStore(kind)
            let store = temporary.store
            let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
            _ = try store.assign("Thermometer", to: anna.id)
            var reading = SubmittedReading()
            (reading.device, reading.id) = (.init(name: "Thermometer"), "a")
            (reading.characteristic, reading.hex) = ("2A1C", "006E0100FF")
            _ = try store.store([reading], gateway: "g")
            let bundle = try #require(try store.fhirBundle(of: anna.id))
            let resources = bundle["entry"]?.elements.compactMap { $0["resource"] } ?? []
            let values = resources.flatMap { $0["identifier"]?.elements ?? [] }.filter {
                $0["system"]?.string == FHIRResources.system
            }
            // The person, the device, the gateway and the Observation.
            identifiers.append(Set(values.compactMap { $0["value"]?.string }))
            #expect(identifiers.last?.count == 4)
            texts.append(bundle.text)
        }
        #expect(identifiers[0].isDisjoint(with: identifiers[1]))
        let receiver = try TemporaryStore(kind)
        let answer = try await receiver.store.storeFHIR(Array(texts[0].utf8), gateway: "g", maySayPerson: false)
        #expect(answer.status == 200)
        let identifier = try #require(try receiver.store.devices().first?.identifier)
        #expect(identifier.wholeMatch(of: /fhir:g\|device\|hub-[0-9a-f]{16}-device-1/) != nil)
    }

    @Test("A device that gets another identity stays one device in all hubs of a chain", arguments: StoreKind.all)
    func laterIdentity(_ kind: StoreKind) async throws {
        let first = try TemporaryStore(kind)
        let second = try TemporaryStore(kind)
        let third = try TemporaryStore(kind)
        let stores = [first.store, second.store, third.store]
        for store in stores { _ = try store.addPerson(name: "Anna", born: "1961-04-30") }
        _ = try first.store.assign("9C1F", to: 1)
        for (number, serial) in [nil, "S77"].enumerated() {
            var reading = SubmittedReading()
            (reading.device, reading.id) = (.init(id: "9C1F", serial: serial, model: "M"), "\(number)")
            (reading.characteristic, reading.hex) = ("2A1C", "006E0100FF")
            reading.time = "2026-11-2\(number)T08:00:00Z"
            _ = try first.store.store([reading], gateway: "g")
            for (sender, receiver) in zip(stores, stores.dropFirst()) {
                let bundle = try #require(try sender.fhirBundle(of: 1)).text
                let answer = try await receiver.storeFHIR(Array(bundle.utf8), gateway: "a", maySayPerson: false)
                #expect(answer.status == 200)
                let devices = try receiver.devices()
                #expect(devices.map(\.serial) == [serial])
                if number == 0 { _ = try receiver.assign("id:\(devices[0].id)", to: 1) }
                #expect(try receiver.readings(of: 1, kind: nil, since: .distantPast)?.total == number + 1)
            }
        }
    }
}
