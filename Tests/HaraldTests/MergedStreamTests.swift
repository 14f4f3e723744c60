import Testing

@testable import Harald

/// One stream of several characteristics.
@Suite(.closesRigs, .timeLimit(.minutes(2))) struct MergedStreamTests {
    /// The stream ends before the subscription to its second characteristic begins on the loop.
    @Test func aStreamThatFailsAtOnceLeavesNoSubscription() async throws {
        let rig = try await Rig()
        let peripheral = try await rig.connected()
        let service = AttributeKey(Rig.service)
        let silent = try await peripheral.characteristic(service, AttributeKey(Rig.fixed))
        let notifying = try await peripheral.characteristic(service, AttributeKey(Rig.notifying))
        var events = rig.device.events.makeAsyncIterator()
        await #expect(throws: BluetoothError.self) {
            for try await _ in Characteristic.merged([silent, notifying], policy: .newest(8)) {}
        }
        // The device answers requests in their order, so it has none to subscribe.
        _ = try await silent.read()
        let central = try #require(await rig.device.centrals.first)
        try await rig.device.disconnect(central)
        guard case .disconnected = try await events.next() else {
            Issue.record("the device has a subscriber")
            return
        }
    }
}
