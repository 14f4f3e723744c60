import BluetoothModel
import Testing

@testable import BluetoothHost

/// The client's subscriptions.
@Suite struct SubscriptionTests {
    private let characteristic = GATTCharacteristic(
        uuid: "2A37", declarationHandle: 4, valueHandle: 5, endHandle: 6, properties: [.notify, .indicate])

    private func subscribe(
        _ side: OneSide, _ outcome: Outcome<Void>, kind: GATTSubscriptionKind = .any, timeout: Duration? = nil,
        _ receive: @escaping (ByteView) -> Void = { _ in }
    ) -> LinkOperationID {
        side.client.subscribe(
            to: characteristic, cccd: 6, kind: kind, timeout: timeout, receive: receive,
            completion: outcome.callAsFunction)
    }

    @Test func aValueBeforeTheWriteResponseIsDelivered() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        var heard: [[UInt8]] = []
        _ = subscribe(side, outcome) { heard.append($0.array) }
        #expect(side.fake.take() == ["1206000100"])
        side.link.receive("1B 0500 01")
        side.link.receive("13")
        side.link.receive("1B 0500 02")
        #expect(outcome.isSuccess && heard == [[1], [2]])
    }

    @Test func theConfigurationIsWrittenForTheFirstAndTheLastSubscriber() {
        let side = OneSide()
        let outcomes = (0..<4).map { _ in Outcome<Void>() }
        let first = subscribe(side, outcomes[0])
        let second = subscribe(side, outcomes[1])
        side.link.receive("13")
        #expect(outcomes[0].isSuccess && outcomes[1].isSuccess)
        #expect(side.fake.take() == ["1206000100"])
        side.client.unsubscribe(first, completion: outcomes[2].callAsFunction)
        #expect(outcomes[2].isSuccess && side.fake.take().isEmpty)
        side.client.unsubscribe(second, completion: outcomes[3].callAsFunction)
        #expect(outcomes[3].count == 0 && side.fake.take() == ["1206000000"])
        side.link.receive("1B 0500 01")
        #expect(side.link.faults.count(of: .unhandledValue) == 1)
        side.link.receive("13")
        #expect(outcomes[3].isSuccess)
    }

    @Test func notificationAndIndicationAreCombined() {
        let side = OneSide()
        let outcomes = (0..<4).map { _ in Outcome<Void>() }
        let notified = subscribe(side, outcomes[0], kind: .notifications)
        side.link.receive("13")
        _ = subscribe(side, outcomes[1], kind: .indications)
        side.link.receive("13")
        // A subscription of either kind is satisfied already.
        _ = subscribe(side, outcomes[2], kind: .any)
        #expect(outcomes[2].isSuccess)
        side.client.unsubscribe(notified, completion: outcomes[3].callAsFunction)
        side.link.receive("13")
        #expect(side.fake.take() == ["1206000100", "1206000300", "1206000200"])
        #expect(outcomes.filter(\.isSuccess).count == 4)
    }

    @Test func aRefusalFailsAllPendingSubscriptions() {
        let side = OneSide()
        let first = Outcome<Void>(), second = Outcome<Void>(), third = Outcome<Void>()
        var heard = 0
        _ = subscribe(side, first) { _ in heard += 1 }
        _ = subscribe(side, second, kind: .indications)
        side.link.receive("01 12 0600 05")
        #expect(first.error == .att(.insufficientAuthentication, handle: 6))
        // The second subscription began after the write was sent, so it writes the descriptor again.
        #expect(second.count == 0)
        side.link.receive("13")
        #expect(second.isSuccess && side.fake.take() == ["1206000100", "1206000200"])
        side.link.receive("1B 0500 01")
        #expect(heard == 0)
        _ = subscribe(side, third)
        #expect(third.isSuccess)
    }

    @Test func aTimeoutOrCancellationUnsubscribes() {
        let side = OneSide()
        let late = Outcome<Void>(), cancelled = Outcome<Void>()
        _ = subscribe(side, late, timeout: .seconds(1))
        let id = subscribe(side, cancelled)
        side.client.cancel(id)
        #expect(cancelled.error == .cancelled)
        side.time.advance(by: .seconds(1))
        #expect(late.error == .timeout)
        #expect(side.fake.take() == ["1206000100"])
        side.link.receive("13")
        #expect(side.fake.take() == ["1206000000"])
        side.link.receive("13")
        #expect(late.count == 1 && cancelled.count == 1)
        #expect(side.client.subscriptions.entries.isEmpty)
    }

    @Test func theConfigurationDescriptorIsDiscovered() {
        let side = OneSide()
        let outcome = Outcome<Void>(), missing = Outcome<Void>()
        side.client.subscribe(
            to: characteristic, receive: { _ in }, completion: outcome.callAsFunction)
        #expect(side.fake.take() == ["0406000600"])
        side.link.receive("05 01 0600 0229")
        #expect(side.fake.take() == ["1206000100"])
        side.link.receive("13")
        #expect(outcome.isSuccess)
        var bare = characteristic
        bare.valueHandle = 9
        bare.endHandle = 9
        side.client.subscribe(to: bare, receive: { _ in }, completion: missing.callAsFunction)
        guard case .unsupported = missing.error else {
            Issue.record("\(missing.results)")
            return
        }
    }

    @Test func laterRequestsFollowTheSubscription() {
        let side = OneSide()
        let outcomes = (0..<3).map { _ in Outcome<Void>() }
        // The descriptor is discovered first; its write precedes requests made in the meantime.
        let first = side.client.subscribe(
            to: characteristic, receive: { _ in }, completion: outcomes[0].callAsFunction)
        side.client.write(9, [1]) { _ in }
        side.link.receive("05 01 0600 0229")
        side.link.receive("13")
        #expect(side.fake.take() == ["0406000600", "1206000100", "12090001"])
        side.link.receive("13")
        // Another subscriber needs it while it is being turned off.
        side.client.unsubscribe(first, completion: outcomes[1].callAsFunction)
        _ = subscribe(side, outcomes[2])
        side.client.write(9, [2]) { _ in }
        side.link.receive("13")
        side.link.receive("13")
        #expect(side.fake.take() == ["1206000000", "1206000100", "12090002"])
        #expect(outcomes.filter(\.isSuccess).count == 3)
        // No request overtakes an earlier one.
        side.link.receive("13")
        side.client.write(9, [3]) { _ in }
        side.client.write(9, [4]) { _ in }
        _ = subscribe(side, Outcome<Void>(), kind: .indications)
        for _ in 0..<3 { side.link.receive("13") }
        #expect(side.fake.take() == ["12090003", "12090004", "1206000200"])
    }

    @Test func subscriptionsAreEndedBeforeADisconnection() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        _ = subscribe(side, outcome)
        side.link.receive("13")
        var done = 0
        side.client.unsubscribeAll(timeout: .seconds(1)) { done += 1 }
        #expect(side.fake.take() == ["1206000100", "1206000000"] && done == 0)
        side.time.advance(by: .seconds(1))
        #expect(done == 1)
        side.client.unsubscribeAll { done += 1 }
        #expect(done == 2)
    }

    @Test func theEndOfTheLinkEndsPendingSubscriptionsOnce() {
        let side = OneSide()
        let waiting = Outcome<Void>(), leaving = Outcome<Void>(), late = Outcome<Void>()
        let id = subscribe(side, waiting)
        side.client.unsubscribe(id, completion: leaving.callAsFunction)
        #expect(waiting.error == .cancelled)
        side.link.linkClosed(.disconnected(.connectionTimeout))
        #expect(waiting.count == 1 && leaving.error == .disconnected(.connectionTimeout))
        _ = subscribe(side, late)
        #expect(late.error == .notConnected)
        side.client.unsubscribe(id) { _ in }
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
        let subscribed = Outcome<Void>()
        sides.client.subscribe(
            to: found, receive: { heard.append($0.array) }, completion: subscribed.callAsFunction)
        sides.run()
        #expect(subscribed.isSuccess)
        for index in 0..<10 { server.send([UInt8(index)], for: found.valueHandle) { _ in } }
        sides.run()
        #expect(heard.map { $0[0] } == Array(0..<10))
    }
}
