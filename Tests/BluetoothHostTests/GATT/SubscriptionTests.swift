import BluetoothModel
import Testing

@testable import BluetoothHost

/// The client characteristic configuration, and the values that follow it.
@Suite struct SubscriptionTests {
    private let characteristic = GATTCharacteristic(
        uuid: "2A37", declarationHandle: 4, valueHandle: 5, endHandle: 6, properties: [.notify, .indicate])

    /// Configures the characteristic, whose descriptor has to be discovered.
    private func configure(
        _ side: OneSide, _ value: GATTSubscription = .notifications, _ outcome: Outcome<Void> = Outcome(),
        isNext: Bool = false, isWanted: @escaping () -> Bool = { true }
    ) {
        side.client.configure(
            characteristic, value, isNext: isNext, isWanted: isWanted, completion: outcome.callAsFunction)
    }

    @Test func aValueBeforeTheWriteResponseIsDelivered() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        var heard: [[UInt8]] = []
        side.client.onValue = { value, handle in
            heard.append([UInt8(handle)] + value.array)
            return true
        }
        configure(side, .notifications, outcome)
        side.link.receive("05 01 0600 0229")
        #expect(side.fake.take() == ["0406000600", "1206000100"])
        side.link.receive("1B 0500 01")
        side.link.receive("13")
        side.link.receive("1B 0500 02")
        #expect(outcome.isSuccess && heard == [[5, 1], [5, 2]])
    }

    @Test func theConfigurationDescriptorIsDiscovered() {
        let side = OneSide()
        let outcome = Outcome<Void>(), missing = Outcome<Void>()
        configure(side, [.notifications, .indications], outcome)
        #expect(side.fake.take() == ["0406000600"])
        side.link.receive("05 01 0600 0229")
        #expect(side.fake.take() == ["1206000300"])
        side.link.receive("13")
        #expect(outcome.isSuccess)
        var bare = characteristic
        bare.valueHandle = 9
        bare.endHandle = 9
        side.client.configure(bare, .notifications, completion: missing.callAsFunction)
        guard case .unsupported = missing.error else {
            Issue.record("\(missing.results)")
            return
        }
    }

    @Test func anUnwantedConfigurationIsNotWritten() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        var isWanted = true
        configure(side, .notifications, outcome) { isWanted }
        isWanted = false
        side.link.receive("05 01 0600 0229")
        #expect(outcome.error == .cancelled && side.fake.take() == ["0406000600"])
    }

    @Test func laterRequestsFollowTheConfiguration() {
        let side = OneSide()
        // The descriptor is discovered first; its write precedes requests made in the meantime.
        configure(side)
        side.client.write(9, [1]) { _ in }
        side.link.receive("05 01 0600 0229")
        side.link.receive("13")
        #expect(side.fake.take() == ["0406000600", "1206000100", "12090001"])
        // Another subscriber needs it while it is being turned off.
        side.client.write(9, [2]) { _ in }
        configure(side, [], isNext: true)
        for _ in 0..<3 { side.link.receive("13") }
        #expect(side.fake.take() == ["1206000000", "12090002"])
        // No request overtakes an earlier one.
        side.client.write(9, [3]) { _ in }
        side.client.write(9, [4]) { _ in }
        configure(side, .indications)
        for _ in 0..<3 { side.link.receive("13") }
        #expect(side.fake.take() == ["12090003", "12090004", "1206000200"])
    }

    @Test func theEndOfTheLinkEndsAConfigurationOnce() {
        let side = OneSide()
        let waiting = Outcome<Void>(), late = Outcome<Void>()
        configure(side, .notifications, waiting)
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(waiting.count == 1 && waiting.error == .disconnected(.connectionTimeout))
        configure(side, .notifications, late)
        #expect(late.error == .notConnected)
    }

    @Test func subscribesToOurServer() throws {
        let server = GATTServer()
        _ = try server.add(
            GATTServiceDefinition(
                uuid: "180D",
                characteristics: [
                    GATTCharacteristicDefinition(uuid: "2A37", properties: [.notify], value: .dynamic)
                ]))
        let sides = TwoSides(server: server)
        let services = Outcome<[GATTService]>(), characteristics = Outcome<[GATTCharacteristic]>()
        sides.client.discoverServices(["180D"], completion: services.callAsFunction)
        sides.run()
        let service = try #require(services.value?.first)
        sides.client.discoverCharacteristics(of: service, completion: characteristics.callAsFunction)
        sides.run()
        let found = try #require(characteristics.value?.first)
        var heard: [[UInt8]] = []
        sides.client.onValue = { value, _ in
            heard.append(value.array)
            return true
        }
        let subscribed = Outcome<Void>()
        sides.client.configure(found, .notifications, completion: subscribed.callAsFunction)
        sides.run()
        #expect(subscribed.isSuccess)
        for index in 0..<10 { server.send([UInt8(index)], for: found.valueHandle) { _ in } }
        sides.run()
        #expect(heard.map { $0[0] } == Array(0..<10))
    }
}
