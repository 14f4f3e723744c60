import BluetoothModel
import Testing

@testable import BluetoothHost

/// The discovery of the whole database: its requests, and the result.
@Suite struct DatabaseDiscoveryTests {
    @Test func aDatabaseIsDiscoveredWithoutARedundantRequest() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        // Two services; the second ends with the last handle, so there is no further request.
        side.link.receive("11 06 0100 0700 0D18 0800 FFFF 0F18")
        // A characteristic with two descriptors, one without any, and one with the remaining handles after it. The
        // response is full with three entries of 7 octets at an MTU of 23, so the list may continue.
        side.link.receive("09 07 0200 10 0300 372A 0600 02 0700 382A 0900 12 0A00 192A")
        side.link.receive("01 08 0B00 0A")
        // One request reaches across both places where descriptors may be.
        side.link.receive("05 01 0400 0229 0500 0129 0600 0328 0700 382A 0800 0028")
        side.link.receive("05 01 0B00 0229")
        side.link.receive("01 04 0C00 0A")
        #expect(outcome.isSuccess)
        #expect(
            side.fake.take() == [
                "100100FFFF0028", "080100FFFF0328", "080B00FFFF0328", "040400FFFF", "040B00FFFF", "040C00FFFF",
            ])
        // All of it is known now.
        let characteristics = Outcome<[GATTCharacteristic]>(), descriptors = Outcome<[GATTDescriptor]>()
        let included = Outcome<[GATTIncludedService]>()
        let service = GATTService(uuid: "180D", range: 1...7)
        side.client.discoverCharacteristics(of: service, completion: characteristics.callAsFunction)
        #expect(characteristics.value?.map(\.valueHandle) == [3, 7])
        #expect(characteristics.value?.map(\.endHandle) == [5, 7])
        if let first = characteristics.value?.first {
            side.client.discoverDescriptors(of: first, completion: descriptors.callAsFunction)
        }
        #expect(descriptors.value?.map(\.uuid) == ["2902", "2901"])
        side.client.discoverIncludedServices(of: service, completion: included.callAsFunction)
        #expect(included.value == [])
        #expect(side.fake.take().isEmpty)
    }

    @Test(arguments: [RadioError.timeout, .disconnected(.connectionTimeout)])
    func aDiscoveryThatWaitsForTheSubscriptionToChangesEndsWithTheErrorOfTheLink(_ error: RadioError) {
        let side = OneSide()
        let setup = GATTClientSetup(
            exchangesMTU: false, cache: nil, peer: PeripheralID(high: 1, low: 2), followsServiceChanges: true)
        let started = Outcome<Void>(), outcome = Outcome<Void>()
        side.client.start(setup, completion: started.callAsFunction)
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        // A database with the GATT service alone; the device does not answer the write of its descriptor.
        let answers = [
            "100100FFFF0028": "11 06 0100 0400 0118", "100500FFFF0028": "01 10 0500 0A",
            "060100FFFF00280118": "07 0100 0400", "060500FFFF00280118": "01 06 0500 0A",
            "08010004000328": "09 07 0200 20 0300 052A", "08040004000328": "01 08 0400 0A",
            "0404000400": "05 01 0400 0229",
        ]
        var last = ""
        while let request = side.fake.take().first, let answer = answers[request] ?? Self.notFound(request) {
            last = request
            side.link.receive(answer)
        }
        #expect(started.isSuccess && outcome.count == 0, "the last answered request is \(last)")
        if case .timeout = error {
            side.time.advance(by: .seconds(30))
        } else {
            side.link.linkClosed(error)
        }
        #expect(outcome.error == error)
    }

    /// The error Attribute Not Found in response to a request, nil for a write.
    private static func notFound(_ request: String) -> String? {
        request.hasPrefix("12") ? nil : "01 \(request.prefix(2)) \(request.dropFirst(2).prefix(4)) 0A"
    }

    @Test func aServiceMayEndAtTheLastHandle() {
        let side = OneSide()
        let outcome = Outcome<Void>(), included = Outcome<[GATTIncludedService]>()
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        side.link.receive("11 06 FFFF FFFF 0F18")
        side.link.receive("01 08 FFFF 0A")
        #expect(outcome.isSuccess)
        side.client.discoverIncludedServices(
            of: GATTService(uuid: "180F", range: 0xFFFF...0xFFFF), completion: included.callAsFunction)
        #expect(included.value == [])
    }

    @Test func aListOfOtherEntriesIsFoundBehindTheDescriptors() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 0400 0D18 0500 0700 0F18")
        side.link.receive("01 10 0800 0A")
        // One short entry in a response with room for two more: the next entry is longer, or there is none, in this
        // service or in another one.
        side.link.receive("09 07 0200 10 0300 372A")
        side.link.receive("05 01 0400 0229 0500 0028 0600 0328")
        side.link.receive("09 15 0600 0C 0700 8877665544332211F0DEBC9A78563412")
        #expect(outcome.isSuccess)
        #expect(
            side.fake.take() == [
                "100100FFFF0028", "100800FFFF0028", "08010007000328", "0404000700", "08060007000328",
            ])
        let first = Outcome<[GATTCharacteristic]>(), second = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180D", range: 1...4), completion: first.callAsFunction)
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180F", range: 5...7), completion: second.callAsFunction)
        #expect(first.value?.map(\.valueHandle) == [3] && second.value?.map(\.valueHandle) == [7])
        #expect(side.fake.take().isEmpty)
    }

    @Test func afterInvalidResponsesTheServerIsDiscoveredStepByStep() {
        let side = OneSide()
        let outcome = Outcome<Void>(), characteristics = Outcome<[GATTCharacteristic]>()
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 FFFF 0D18")
        side.link.receive("09 07 0900 10 0200 372A")
        #expect(outcome.isSuccess)
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180D", range: 1...0xFFFF), completion: characteristics.callAsFunction)
        side.link.receive("01 08 0100 0A")
        #expect(characteristics.value == [])
    }

    @Test func theEndOfTheLinkEndsTheDiscovery() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        side.client.discoverDatabase(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 FFFF 0D18")
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(outcome.error == .disconnected(.connectionTimeout))
    }

    /// A discovery whose attributes are all known, while the server does not answer the subscription to its changes.
    private func discoverWithoutAnswer(
        timeout: Duration? = nil, _ outcome: Outcome<Void>
    ) -> (side: OneSide, id: LinkOperationID) {
        let side = OneSide()
        side.client.start(GATTClientSetup(exchangesMTU: false)) { _ in }
        side.client.caller = 1
        let id = side.client.discoverDatabase(timeout: timeout, completion: outcome.callAsFunction)
        side.link.receive("07 0100 0400")
        side.link.receive("11 06 0100 FFFF 0118")
        side.link.receive("01 08 0100 0A")
        // The last request is that of the stack itself.
        #expect(side.fake.take().last == "060500FFFF00280118")
        #expect(outcome.count == 0)
        return (side, id)
    }

    @Test func aDiscoveryThatWaitsForChangesToBeFollowedCanBeCancelled() {
        let outcome = Outcome<Void>()
        let (side, id) = discoverWithoutAnswer(outcome)
        side.client.cancel(id)
        #expect(outcome.error == .cancelled)
    }

    @Test func aDiscoveryThatWaitsForChangesToBeFollowedEndsWithItsCaller() {
        let outcome = Outcome<Void>()
        let (side, id) = discoverWithoutAnswer(outcome)
        side.client.abandonAll(of: id.caller, .notConnected)
        #expect(outcome.error == .notConnected)
    }

    @Test func aDiscoveryThatWaitsForChangesToBeFollowedHasItsTimeout() {
        let outcome = Outcome<Void>()
        let (side, _) = discoverWithoutAnswer(timeout: .seconds(5), outcome)
        side.time.advance(by: .seconds(5))
        #expect(outcome.error == .timeout)
        #expect(side.fake.disconnection == nil)
    }
}
