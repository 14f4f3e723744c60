import BluetoothModel
import Testing

@testable import BluetoothHost

/// Discoveries, packet by packet, and servers that answer nonsense.
@Suite struct DiscoveryTests {
    @Test func servicesAreFoundUntilTheServerHasNoMore() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 0500 0018 0600 0900 0118")
        side.link.receive("11 14 1000 2000 8877665544332211F0DEBC9A78563412")
        side.link.receive("01 10 2100 0A")
        #expect(side.fake.take() == ["100100FFFF0028", "100A00FFFF0028", "102100FFFF0028"])
        #expect(
            outcome.value == [
                GATTService(uuid: "1800", range: 1...5), GATTService(uuid: "1801", range: 6...9),
                GATTService(uuid: "12345678-9ABC-DEF0-1122-334455667788", range: 0x10...0x20),
            ])
    }

    @Test func aServiceThatReachesTheLastHandleEndsTheSearch() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 FFFF 0D18")
        #expect(outcome.value?.count == 1)
        #expect(side.fake.take().count == 1)
    }

    @Test func servicesByUUIDAreDiscoveredOneByOne() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(
            ["180F", "180D", "180F", "12345678-9ABC-DEF0-1122-334455667788"], completion: outcome.callAsFunction)
        side.link.receive("07 2000 2500 3000 3500")
        side.link.receive("01 06 3600 0A")
        side.link.receive("07 1000 1F00")
        side.link.receive("01 06 2000 0A")
        side.link.receive("01 06 0100 0A")
        // A service that is not found is looked for among all services, once.
        side.link.receive("11 06 1000 1F00 0D18 2000 2500 0F18 3000 3500 0F18")
        side.link.receive("01 10 3600 0A")
        #expect(
            side.fake.take() == [
                "060100FFFF00280F18", "063600FFFF00280F18", "060100FFFF00280D18", "062000FFFF00280D18",
                "060100FFFF00288877665544332211F0DEBC9A78563412", "100100FFFF0028", "103600FFFF0028",
            ])
        #expect(outcome.value?.map(\.handle) == [0x10, 0x20, 0x30])
    }

    @Test func includedServicesWithLongUUIDsAreReadOnce() {
        let side = OneSide()
        let outcome = Outcome<[GATTIncludedService]>()
        side.client.discoverIncludedServices(
            of: GATTService(uuid: "180D", range: 0x10...0x20), completion: outcome.callAsFunction)
        side.link.receive("09 08 1100 3000 3500 0F18")
        side.link.receive("09 06 1200 4000 4500")
        side.link.receive("01 08 1300 0A")
        side.link.receive("0B 8877665544332211F0DEBC9A78563412")
        #expect(side.fake.take() == ["08100020000228", "08120020000228", "08130020000228", "0A4000"])
        #expect(outcome.value?.map(\.service.uuid) == ["180F", "12345678-9ABC-DEF0-1122-334455667788"])
        #expect(outcome.value?.map(\.service.range) == [0x30...0x35, 0x40...0x45])
    }

    @Test func characteristicsEndAtTheNextDeclaration() {
        let side = OneSide()
        let outcome = Outcome<[GATTCharacteristic]>()
        let service = GATTService(uuid: "180D", range: 0x10...0x20)
        side.client.discoverCharacteristics(of: service, completion: outcome.callAsFunction)
        side.link.receive("09 07 1100 10 1200 372A 1400 02 1500 382A")
        side.link.receive("09 15 1800 0C 1900 8877665544332211F0DEBC9A78563412")
        side.link.receive("01 08 1A00 0A")
        #expect(side.fake.take() == ["08100020000328", "08150020000328", "08190020000328"])
        #expect(outcome.value?.map(\.valueHandle) == [0x12, 0x15, 0x19])
        #expect(outcome.value?.map(\.endHandle) == [0x13, 0x17, 0x20])
        #expect(outcome.value?.map(\.properties) == [.notify, .read, [.write, .writeWithoutResponse]])
        // A second discovery, for one UUID, uses the known characteristics and sends no request.
        let filtered = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(of: service, ["2A38"], completion: filtered.callAsFunction)
        #expect(filtered.value?.map(\.valueHandle) == [0x15] && side.fake.take().isEmpty)
    }

    @Test func descriptorsAreRequestedOnlyIfHandlesRemain() {
        let side = OneSide()
        let none = Outcome<[GATTDescriptor]>(), some = Outcome<[GATTDescriptor]>()
        var characteristic = GATTCharacteristic(
            uuid: "2A37", declarationHandle: 2, valueHandle: 3, endHandle: 3, properties: .notify)
        side.client.discoverDescriptors(of: characteristic, completion: none.callAsFunction)
        #expect(none.value == [] && side.fake.take().isEmpty)
        characteristic.valueHandle = 4
        characteristic.endHandle = 8
        side.client.discoverDescriptors(of: characteristic, completion: some.callAsFunction)
        side.link.receive("05 01 0500 0229 0600 0129")
        side.link.receive("05 02 0800 8877665544332211F0DEBC9A78563412")
        #expect(side.fake.take() == ["0405000800", "0407000800"])
        #expect(some.value?.map(\.handle) == [5, 6, 8])
    }

    // MARK: Nonsense

    /// Valid and invalid responses to the search for services from handle 1 on.
    @Test(arguments: [
        "11", "11 06", "11 00", "11 00 0100 0500 0018", "11 05 0100 0500 00", "11 06 0100 0500 00",
        "11 06 0000 0100 0018", "11 08 0100 0500 00180000", "11 01 01", "11 FF 01",
    ])
    func malformedServiceResponsesAreErrors(_ response: String) {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        side.link.receive(response)
        expectInvalid(outcome, side)
    }

    /// A server that repeats its first response to each request.
    @Test func aServiceDiscoveryThatDoesNotAdvanceEnds() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 0500 0018")
        side.link.receive("11 06 0100 0500 0018")
        side.link.receive("01 08 FFFF 0A")
        side.link.receive("11 06 0100 0500 0018")
        #expect(outcome.value == [GATTService(uuid: "1800", range: 1...5)])
        #expect(
            side.client.discoveryProblems.first == [
                GATTDiscoveryProblem(.service, at: 1, .unexpectedHandle),
                GATTDiscoveryProblem(.service, at: 6, .malformedResponse),
            ])
        expectFree(side)
    }

    @Test(arguments: ["07", "07 0100", "07 0000 0100", "07 0100 0500 05"])
    func malformedServiceByUUIDResponsesAreErrors(_ response: String) {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(["180D"], completion: outcome.callAsFunction)
        side.link.receive(response)
        // The discovery of all services is malformed too.
        side.link.receive("11")
        expectInvalid(outcome, side)
    }

    private func expectInvalid<Value>(_ outcome: Outcome<Value>, _ side: OneSide) {
        guard case .invalidResponse = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
        expectFree(side)
    }

    /// Expects that the link continues: nothing is pending, nothing loops.
    private func expectFree(_ side: OneSide) {
        let next = Outcome<[UInt8]>()
        _ = side.fake.take()
        side.client.read(3, completion: next.view)
        #expect(side.fake.take() == ["0A0300"])
        side.link.receive("0B 01")
        #expect(next.hex == "01")
    }

    // MARK: Values by type

    @Test func valuesAreReadByTypeAndInMultiples() {
        let side = OneSide()
        let byType = Outcome<[(handle: UInt16, value: [UInt8])]>()
        side.client.readValues(of: "2A00", completion: byType.callAsFunction)
        side.link.receive("09 04 0300 4142 0900 4344")
        side.link.receive("01 08 0A00 0A")
        #expect(byType.value?.map(\.handle) == [3, 9] && byType.value?.last?.value == [0x43, 0x44])
        let fixed = Outcome<[[UInt8]]>(), variable = Outcome<[[UInt8]]>(), broken = Outcome<[[UInt8]]>()
        side.client.readMultiple([3, 9], variableLength: false, completion: fixed.callAsFunction)
        side.link.receive("0F 41424344")
        side.client.readMultiple([3, 9], variableLength: true, completion: variable.callAsFunction)
        side.link.receive("21 0200 4142 0000")
        side.client.readMultiple([3, 9], variableLength: true, completion: broken.callAsFunction)
        side.link.receive("21 0200 4142 0300 41")
        #expect(fixed.value == [[0x41, 0x42, 0x43, 0x44]] && variable.value == [[0x41, 0x42], []])
        guard case .invalidResponse = broken.error else {
            Issue.record("\(broken.results)")
            return
        }
    }

    @Test(arguments: [0, 1, 12]) func theNumberOfValuesReadAtOnceIsLimitedByTheMTU(_ count: Int) {
        let side = OneSide()
        let outcome = Outcome<[[UInt8]]>()
        let handles = (0..<count).map { UInt16($0 + 1) }
        side.client.readMultiple(handles, variableLength: true, completion: outcome.callAsFunction)
        #expect(outcome.error == .invalidArgument("the number of handles must be from 2 to 11"))
        #expect(side.fake.take().isEmpty)
        side.client.readMultiple(Array(1...11), variableLength: true, completion: outcome.callAsFunction)
        #expect(side.fake.take().map(\.count) == [46])
    }
}
