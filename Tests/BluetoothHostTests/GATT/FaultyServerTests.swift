import BluetoothModel
import Testing

@testable import BluetoothHost

/// Faulty servers: invalid attributes are skipped and recorded, the rest is kept, and nothing is read beyond a
/// service's end.
@Suite struct FaultyServerTests {
    typealias Problem = GATTDiscoveryProblem

    @Test(
        arguments: [
            // The second begins inside the first; it ends before it begins; it goes backwards.
            (
                "11 06 0100 0500 0018 0400 0900 0118 0A00 0F00 0F18", [1, 10], "101000FFFF0028",
                Problem(.service, at: 4, .overlappingServices)
            ),
            (
                "11 06 0100 0500 0018 0900 0800 0118 0A00 0F00 0F18", [1, 10], "101000FFFF0028",
                Problem(.service, at: 9, .emptyRange)
            ),
            (
                "11 06 0600 0900 0018 0100 0500 0118", [6], "100A00FFFF0028",
                Problem(.service, at: 1, .overlappingServices)
            ),
            ("11 06 0500 0100 0018", [], "100600FFFF0028", Problem(.service, at: 5, .emptyRange)),
        ] as [(String, [UInt16], String, Problem)])
    func invalidServicesAreSkipped(_ response: String, _ kept: [UInt16], _ next: String, _ problem: Problem) {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        side.link.receive(response)
        #expect(side.fake.take().last == next)
        side.link.receive("01 10 1000 0A")
        #expect(outcome.value?.map(\.handle) == kept)
        #expect(side.client.discoveryProblems.first == [problem] && side.client.discoveryProblems.count == 1)
    }

    @Test(arguments: ["07 0100 0500 0500 0900", "07 0100 0500 0900 0600"])
    func invalidServicesOfOneUUIDAreSkipped(_ response: String) {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(["180D"], completion: outcome.callAsFunction)
        side.link.receive(response)
        side.link.receive("01 06 0600 0A")
        #expect(outcome.value?.map(\.range) == [1...5] && side.client.discoveryProblems.count == 1)
    }

    @Test(
        arguments: [
            // The value lies behind the service, before or at its declaration, or behind the next declaration.
            ("09 07 1100 10 2100 372A 1400 02 1500 382A", [0x15], [0x11]),
            ("09 07 1100 10 1100 372A 1400 02 1500 382A", [0x15], [0x11]),
            ("09 07 1100 10 1000 372A 1400 02 1500 382A", [0x15], [0x11]),
            ("09 07 1100 10 1500 372A 1300 02 1600 382A", [0x16], [0x11]),
            ("09 07 1100 10 1200 372A 1400 02 2200 382A", [0x12], [0x14]),
            // The declarations are out of order, or outside of the service.
            ("09 07 1400 10 1500 372A 1100 02 1200 382A", [0x15], [0x11]),
            ("09 07 1400 10 1500 372A 2100 02 2200 382A", [0x15], [0x21]),
        ] as [(String, [UInt16], [UInt16])])
    func invalidCharacteristicsAreSkipped(_ response: String, _ kept: [UInt16], _ skipped: [UInt16]) {
        let side = OneSide()
        let outcome = Outcome<[GATTCharacteristic]>()
        let service = GATTService(uuid: "180D", range: 0x10...0x20)
        side.client.discoverCharacteristics(of: service, completion: outcome.callAsFunction)
        side.link.receive(response)
        side.link.receive("01 08 1500 0A")
        #expect(outcome.value?.map(\.valueHandle) == kept)
        #expect(side.client.discoveryProblems.first.map(\.handle) == skipped)
        // A skipped characteristic still ends the previous one: its attributes are not taken for descriptors.
        for characteristic in outcome.value ?? [] { #expect(service.range.contains(characteristic.endHandle)) }
    }

    @Test(arguments: ["09", "09 07", "09 00", "09 07 1100 10 1200 37", "09 02 1100"])
    func aMalformedListOfCharacteristicsIsAnEmptyOne(_ response: String) {
        let side = OneSide()
        let outcome = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180D", range: 0x10...0x20), completion: outcome.callAsFunction)
        side.link.receive(response)
        #expect(outcome.value == [] && side.client.discoveryProblems.first.last?.reason == .malformedResponse)
    }

    @Test func invalidIncludesAreSkipped() {
        let side = OneSide()
        let outcome = Outcome<[GATTIncludedService]>()
        let service = GATTService(uuid: "180D", range: 0x10...0x20)
        side.client.discoverIncludedServices(of: service, completion: outcome.callAsFunction)
        // Ends before it begins; is usable; repeats a handle.
        side.link.receive("09 08 1100 3500 3000 0F18 1200 3000 3500 0A18 1200 4000 4500 0A18")
        // Long UUIDs: one cannot be read, one is none, one is there.
        side.link.receive("09 06 1300 5000 5500 1400 6000 6500 1500 7000 7500")
        side.link.receive("01 08 1600 0A")
        side.link.receive("01 0A 5000 02")
        side.link.receive("0B 0102030405")
        side.link.receive("0B 8877665544332211F0DEBC9A78563412")
        #expect(outcome.value?.map(\.handle) == [0x12, 0x15])
        #expect(
            side.client.discoveryProblems.first == [
                Problem(.includedService, at: 0x11, .emptyRange),
                Problem(.includedService, at: 0x12, .unexpectedHandle),
                Problem(.includedService, at: 0x13, .unreadableUUID),
                Problem(.includedService, at: 0x14, .unreadableUUID),
            ])
    }

    @Test func invalidDescriptorsAreSkipped() {
        let side = OneSide()
        let outcome = Outcome<[GATTDescriptor]>()
        let characteristic = GATTCharacteristic(
            uuid: "2A37", declarationHandle: 3, valueHandle: 4, endHandle: 10, properties: .notify)
        side.client.discoverDescriptors(of: characteristic, completion: outcome.callAsFunction)
        // Behind the end, before the beginning, twice, and declarations of something else.
        side.link.receive("05 01 0500 0229 0500 0129 0400 0129 0B00 0129 0700 0328")
        side.link.receive("05 01 0800 0129 0A00 0028")
        #expect(side.fake.take() == ["0405000A00", "0408000A00"])
        #expect(outcome.value?.map(\.handle) == [5, 8])
        #expect(side.client.discoveryProblems.count == 5)
    }

    @Test func malformedDescriptorListsAreEmpty() {
        for response in ["05", "05 01", "05 00 0500 0229", "05 03 0500 0229", "05 01 0500 02", "05 02 0500 0229"] {
            let side = OneSide()
            let outcome = Outcome<[GATTDescriptor]>()
            let characteristic = GATTCharacteristic(
                uuid: "2A37", declarationHandle: 3, valueHandle: 4, endHandle: 8, properties: .notify)
            side.client.discoverDescriptors(of: characteristic, completion: outcome.callAsFunction)
            side.link.receive(response)
            #expect(outcome.value == [] && side.client.discoveryProblems.count == 1)
        }
    }

    @Test func theFastDiscoveryFallsBackToStepsOnAFault() {
        let side = OneSide()
        let everything = Outcome<Void>(), steps = Outcome<[GATTCharacteristic]>()
        side.client.discoverDatabase(completion: everything.callAsFunction)
        side.link.receive("11 06 0100 0500 0D18 0600 FFFF 0F18")
        // The value of the first is in the other service.
        side.link.receive("09 07 0200 10 0800 372A 0700 02 0900 192A")
        #expect(everything.isSuccess)
        _ = side.fake.take()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180D", range: 1...5), completion: steps.callAsFunction)
        side.link.receive("09 07 0200 10 0800 372A")
        side.link.receive("01 08 0300 0A")
        #expect(side.fake.take() == ["08010005000328", "08030005000328"])
        #expect(steps.value == [] && side.client.discoveryProblems.count == 1)
    }

    @Test func overlappingServicesAreNotSearchedTogether() {
        let side = OneSide()
        let everything = Outcome<Void>()
        side.client.discoverDatabase(completion: everything.callAsFunction)
        side.link.receive("11 06 0100 0900 0D18 0500 0700 0F18 0A00 FFFF 0A18")
        #expect(everything.isSuccess && side.fake.take() == ["100100FFFF0028"])
    }

    @Test func skippedAttributesAreCountedBeyondTheList() {
        var entry = GATTCacheEntry()
        entry.add((1...100).map { Problem(.descriptor, at: $0, .unexpectedHandle) })
        #expect(entry.problems.count == GATTCacheEntry.maximumProblems && entry.problemCount == 100)
        let kept = entry.encoded.withByteView { GATTCacheEntry(encoded: $0) }
        #expect(kept == entry)
    }

    @Test func anInconsistentCacheIsDiscarded() {
        let inside = GATTCharacteristic(
            uuid: "2A37", declarationHandle: 2, valueHandle: 3, endHandle: 5, properties: .notify)
        var entry = GATTCacheEntry()
        entry.services = [GATTService(uuid: "180D", range: 1...5), GATTService(uuid: "180F", range: 6...9)]
        entry.characteristics = [1: [inside]]
        entry.descriptors = [3: [GATTDescriptor(uuid: "2902", handle: 4)]]
        func isKept(_ entry: GATTCacheEntry) -> Bool {
            entry.encoded.withByteView { GATTCacheEntry(encoded: $0) } == entry
        }
        #expect(isKept(entry))
        var overlapping = entry, outside = entry, backwards = entry
        overlapping.services?[1].range = 5...9
        outside.characteristics[1]?[0].endHandle = 6
        backwards.descriptors[3] = [GATTDescriptor(uuid: "2902", handle: 3)]
        #expect(!isKept(overlapping) && !isKept(outside) && !isKept(backwards))
    }

    @Test func secondaryServicesAreDiscoveredAndCached() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>(), again = Outcome<[GATTService]>()
        side.client.discoverSecondaryServices(completion: outcome.callAsFunction)
        side.link.receive("11 06 0100 1000 0A18")
        side.link.receive("01 10 1100 0A")
        #expect(side.fake.take() == ["100100FFFF0128", "101100FFFF0128"])
        side.client.discoverSecondaryServices(completion: again.callAsFunction)
        #expect(again.value == [GATTService(uuid: "180A", range: 1...16, isPrimary: false)])
        #expect(again.value == outcome.value && side.fake.take().isEmpty)
    }

    // MARK: Work-arounds

    /// Each response is sent twice: the copy arrives as the response to the next request.
    @Test func responsesThatAreSentTwiceLoseNoService() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(completion: outcome.callAsFunction)
        // The client's requests, and the server's responses in their order.
        let responses = [
            "100100FFFF0028": "11 06 0100 0300 0018", "100400FFFF0028": "11 06 0400 0900 F0FF",
            "100A00FFFF0028": "01 10 0A00 0A", "08FFFFFFFF0328": "01 08 FFFF 0A",
        ]
        var waiting: [String] = []
        for _ in 0..<20 {
            for request in side.fake.take() {
                guard let response = responses[request] else { continue }
                waiting += response.hasPrefix("11") ? [response, response] : [response]
            }
            guard !waiting.isEmpty else { break }
            side.link.receive(waiting.removeFirst())
        }
        #expect(outcome.value?.map(\.range) == [1...3, 4...9])
        #expect(side.client.discoveryProblems.count == 0)
        #expect(side.link.faults.count(of: .unexpectedResponse) > 0)
    }

    /// The responses to Find By Type Value; the server has the service in any case. The last one gives the handle of
    /// the service as its end.
    @Test(
        arguments: [
            ["01 06 0100 06"], ["01 06 0100 0A"], ["01 06 0100 03"], ["07"], ["07 0000 0100"],
            ["07 0600 0600", "01 06 0700 0A"],
        ])
    func aServerThatCannotSearchIsDiscoveredCompletely(_ responses: [String]) {
        let side = OneSide()
        let (first, second) = (Outcome<[GATTService]>(), Outcome<[GATTService]>())
        side.client.discoverServices(["180D"], completion: first.callAsFunction)
        for response in responses { side.link.receive(response) }
        #expect(side.fake.take().last == "100100FFFF0028")
        side.link.receive("11 06 0100 0500 0018 0600 0900 0D18")
        side.link.receive("01 10 0A00 0A")
        #expect(first.value == [GATTService(uuid: "180D", range: 6...9)])
        #expect(side.link.faults.count(of: .wrongServiceSearch) == 1)
        // Only once: all services are known from now on.
        _ = side.fake.take()
        side.client.discoverServices(["180D", "1810"], completion: second.callAsFunction)
        #expect(second.value?.count == 1 && side.fake.take().isEmpty)
        #expect(side.link.faults.count(of: .wrongServiceSearch) == 1)
    }

    @Test func aServiceThatIsAbsentIsNoAnomaly() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(["180D"], completion: outcome.callAsFunction)
        side.link.receive("01 06 0100 0A")
        side.link.receive("11 06 0100 0500 0018")
        side.link.receive("01 10 0600 0A")
        #expect(outcome.value == [] && side.link.faults.total == 0)
    }

    /// A server that answers neither search keeps its first error.
    @Test func theErrorOfTheSearchIsReported() {
        let side = OneSide()
        let outcome = Outcome<[GATTService]>()
        side.client.discoverServices(["180D"], completion: outcome.callAsFunction)
        side.link.receive("01 06 0100 0E")
        side.link.receive("01 10 0100 06")
        #expect(outcome.error == .att(.unlikelyError, handle: 1))
    }

    /// A list outside of the requested range is requested once more, and is then an empty one.
    @Test func aListThatWasNotRequestedIsRequestedAgain() {
        let side = OneSide()
        let outcome = Outcome<[GATTCharacteristic]>()
        side.client.discoverCharacteristics(
            of: GATTService(uuid: "180D", range: 0x10...0x20), completion: outcome.callAsFunction)
        side.link.receive("09 07 0F00 10 1200 372A")
        #expect(side.fake.take().last == "04FFFFFFFF")
        side.link.receive("01 04 FFFF 0A")
        #expect(side.fake.take().last == "0810002000" + "0328")
        side.link.receive("09 07 0F00 10 1200 372A")
        #expect(outcome.value == [] && side.client.discoveryProblems.first.last?.reason == .malformedResponse)
    }
}
