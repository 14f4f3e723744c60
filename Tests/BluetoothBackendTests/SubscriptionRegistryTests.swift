import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// The subscriptions of a link; the test decides when the device acknowledges.
@Suite struct SubscriptionRegistryTests {
    /// A device, and the requests that it received.
    private final class Device {
        var turns: [Bool] { kinds.map { !$0.isEmpty } }
        var kinds: [GATTSubscription] = []
        var requests: [SubscriptionRegistry.Request] = []
        var acknowledge: [(Result<Void, RadioError>) -> Void] = []
        /// The result of requests that the device answers at once.
        var atOnce: Result<Void, RadioError>?
    }

    private static let characteristic = AttributeID(rawValue: 3)
    private let loop = KernelLoop()
    private let device = Device()
    private let pending: PendingOperations
    private let registry: SubscriptionRegistry

    init() {
        let device = device
        pending = PendingOperations(loop: loop.loop)
        registry = SubscriptionRegistry { request, completion in
            device.requests.append(request)
            device.kinds.append(request.kinds)
            if let result = device.atOnce { completion(result) } else { device.acknowledge.append(completion) }
        }
    }

    /// A consumer: its identifier, the result of its subscription, and the values that it received.
    private final class Consumer {
        var id = OperationID(rawValue: 0)
        let outcome = Outcome<Void>()
        var values: [[UInt8]] = []
    }

    private func subscribe(
        _ kind: SubscriptionKind = .any, to characteristic: AttributeID = characteristic, timeout: Duration? = nil
    ) -> Consumer {
        let consumer = Consumer()
        loop.run {
            let operation: LinkOperation<Void> = pending.begin(timeout: timeout, consumer.outcome.completion)
            consumer.id = operation.id
            registry.subscribe(operation, to: characteristic, kind: kind) { consumer.values.append([UInt8]($0)) }
        }
        return consumer
    }

    private func unsubscribe(_ consumer: Consumer) -> Outcome<Void> {
        let outcome = Outcome<Void>()
        loop.run { registry.unsubscribe(consumer.id, pending.begin(timeout: nil, outcome.completion)) }
        return outcome
    }

    private func acknowledge(_ result: Result<Void, RadioError> = .success(())) {
        loop.run { device.acknowledge.removeFirst()(result) }
    }

    private func send(_ value: [UInt8]) {
        loop.run { _ = value.withByteView { registry.received($0, of: Self.characteristic) } }
    }

    // MARK: Shared ownership

    @Test func acquireFailAcquire() {
        let first = subscribe()
        acknowledge(.failure(.att(.insufficientAuthorization, handle: 3)))
        let second = subscribe()
        #expect(first.outcome.errors == [.att(.insufficientAuthorization, handle: 3)])
        // The end of the first one, which has failed, does not end the second.
        #expect(unsubscribe(first).errors == [nil])
        acknowledge()
        #expect(second.outcome.errors == [nil])
        send([1])
        #expect(second.values == [[1]] && first.values.isEmpty)
        #expect(device.turns == [true, true])
    }

    @Test func aFailedAcquisitionRemovesItselfAlone() {
        let first = subscribe()
        let late = subscribe(timeout: .seconds(1)), other = subscribe()
        loop.advance(.seconds(1))
        #expect(late.outcome.errors == [.timeout])
        acknowledge()
        #expect([first, other].map(\.outcome.errors) == [[nil], [nil]])
        send([1])
        #expect([first, late, other].map(\.values) == [[[1]], [], [[1]]])
        #expect(device.turns == [true])
    }

    @Test func releaseWhileStarting() {
        let first = subscribe()
        let end = unsubscribe(first)
        #expect(first.outcome.errors == [.cancelled])
        let second = subscribe()
        acknowledge()
        #expect(end.errors == [nil] && second.outcome.errors == [nil])
        #expect(device.turns == [true])
        _ = unsubscribe(second)
        #expect(device.turns == [true, false])
    }

    @Test func aRequestThatNobodyNeedsIsNotWanted() {
        let first = subscribe()
        #expect(device.requests[0].isWanted())
        _ = unsubscribe(first)
        #expect(!device.requests[0].isWanted())
        let second = subscribe()
        #expect(device.requests[0].isWanted())
        loop.run { registry.end(Self.characteristic, .notConnected) }
        #expect(!device.requests[0].isWanted() && second.outcome.errors == [.notConnected])
    }

    @Test func aSynchronousFailureLeavesNothing() {
        device.atOnce = .failure(.notConnected)
        let first = subscribe()
        #expect(first.outcome.errors == [.notConnected])
        #expect(unsubscribe(first).errors == [nil])
        device.atOnce = .success(())
        let second = subscribe()
        #expect(second.outcome.errors == [nil])
        send([1])
        #expect(first.values == [] && second.values == [[1]])
        #expect(unsubscribe(second).errors == [nil])
        #expect(device.turns == [true, true, false])
    }

    @Test func aConsumerOfAnEndedLinkIsNoConsumerOfTheNext() {
        let first = subscribe()
        acknowledge()
        loop.run { registry.endAll() }
        let second = subscribe()
        #expect(unsubscribe(first).errors == [nil])
        acknowledge()
        send([1])
        #expect(second.values == [[1]] && first.values == [])
        #expect(device.turns == [true, true])
    }

    @Test func aConsumerThatCameAfterARefusedRequestHasItsOwn() {
        let first = subscribe()
        let second = subscribe()
        acknowledge(.failure(.att(.insufficientAuthentication, handle: 3)))
        #expect(first.outcome.errors.count == 1 && second.outcome.errors.isEmpty)
        acknowledge()
        #expect(second.outcome.errors == [nil])
    }

    @Test func aRefusedConsumerMaySubscribeOnceMore() {
        var again: [() -> Void] = []
        registry.onRefusal = { _, _, repeated in
            again.append(repeated)
            return true
        }
        let consumer = subscribe()
        acknowledge(.failure(.att(.insufficientAuthentication, handle: 3)))
        #expect(consumer.outcome.errors.isEmpty)
        send([1])
        #expect(consumer.values == [])
        loop.run { again.removeFirst()() }
        acknowledge(.failure(.att(.insufficientAuthentication, handle: 3)))
        #expect(consumer.outcome.errors == [.att(.insufficientAuthentication, handle: 3)] && again.isEmpty)
    }

    @Test func aConsumerThatGivesUpAfterARefusalIsNotSubscribedAgain() {
        var again: [() -> Void] = []
        registry.onRefusal = { _, _, repeated in
            again.append(repeated)
            return true
        }
        let consumer = subscribe(timeout: .seconds(1))
        acknowledge(.failure(.att(.insufficientAuthentication, handle: 3)))
        loop.advance(.seconds(1))
        #expect(consumer.outcome.errors == [.timeout])
        loop.run { again.removeFirst()() }
        #expect(device.turns == [true])
    }

    // MARK: The device

    @Test func notificationAndIndicationAreCombined() {
        let notified = subscribe(.notifications)
        acknowledge()
        let indicated = subscribe(.indications)
        acknowledge()
        // Either kind serves this one.
        let third = subscribe(.any)
        #expect(third.outcome.errors == [nil] && indicated.outcome.errors == [nil])
        _ = unsubscribe(notified)
        acknowledge()
        #expect(device.kinds == [.notifications, [.notifications, .indications], .indications])
    }

    @Test func aSecondRequestPrecedesThoseThatWait() {
        let first = subscribe()
        acknowledge()
        _ = unsubscribe(first)
        _ = subscribe()
        acknowledge()
        #expect(device.requests.map(\.isNext) == [false, false, true])
    }

    @Test func theCharacteristicsAreSeparate() {
        let one = subscribe(), two = subscribe(to: AttributeID(rawValue: 9))
        for _ in 0..<2 { acknowledge() }
        loop.run { registry.end(AttributeID(rawValue: 9), .notConnected) }
        send([1])
        #expect(one.values == [[1]] && two.values == [])
        #expect(device.turns == [true, true])
    }

    @Test func theDeviceIsAskedOnceForAllConsumers() {
        let consumers = [subscribe(), subscribe()]
        #expect(device.turns == [true])
        acknowledge()
        #expect(consumers.map(\.outcome.errors) == [[nil], [nil]])
        let third = subscribe()
        #expect(third.outcome.errors == [nil])
        send([1])
        #expect((consumers + [third]).map(\.values) == [[[1]], [[1]], [[1]]])
        #expect(unsubscribe(consumers[0]).errors == [nil])
        #expect(unsubscribe(third).errors == [nil])
        #expect(device.turns == [true])
        send([2])
        #expect(consumers.map(\.values) == [[[1]], [[1], [2]]])
        let last = unsubscribe(consumers[1])
        #expect(device.turns == [true, false])
        #expect(last.errors == [])
        acknowledge()
        #expect(last.errors == [nil])
    }

    @Test func aConsumerThatComesWhileTheDeviceStopsIsSubscribedAgain() {
        let first = subscribe()
        acknowledge()
        let end = unsubscribe(first)
        let second = subscribe()
        #expect(device.turns == [true, false])
        acknowledge()
        #expect(end.errors == [nil])
        #expect(device.turns == [true, false, true])
        #expect(second.outcome.errors == [])
        acknowledge()
        #expect(second.outcome.errors == [nil])
    }

    @Test func aConsumerThatLeavesWhileTheDeviceBeginsEndsTheSubscription() {
        let consumer = subscribe(timeout: .seconds(1))
        loop.advance(.seconds(1))
        #expect(consumer.outcome.errors == [.timeout])
        #expect(device.turns == [true])
        acknowledge()
        #expect(device.turns == [true, false])
    }

    @Test func theEndOfTheLinkEndsEverything() {
        let consumer = subscribe()
        acknowledge()
        let end = unsubscribe(consumer)
        loop.run { registry.endAll() }
        #expect(end.errors == [nil])
        // A late acknowledgement has no effect.
        acknowledge()
        #expect(device.turns == [true, false])
    }

    @Test func valuesThatStopByThemselvesAreRequestedAgain() {
        let consumer = subscribe()
        acknowledge()
        loop.run { registry.interrupted(Self.characteristic) }
        #expect(device.turns == [true, true])
        acknowledge()
        send([7])
        #expect(consumer.values == [[7]])
        #expect(consumer.outcome.errors == [nil])
    }

    @Test func valuesThatCannotBeRequestedAgainAreReported() {
        let consumer = subscribe()
        acknowledge()
        var losses: [RadioError] = []
        loop.run {
            registry.onLoss = { losses.append($1) }
            registry.interrupted(Self.characteristic)
        }
        acknowledge(.failure(.notConnected))
        #expect(losses == [.notConnected])
        #expect(consumer.outcome.errors == [nil])
        // They may be requested once more.
        loop.run { registry.interrupted(Self.characteristic) }
        #expect(device.turns == [true, true, true])
        acknowledge()
        send([7])
        #expect(consumer.values == [[7]])
        #expect(losses.count == 1)
    }

    @Test func aConsumerThatIsRemovedByAnotherReceivesNothingMore() {
        let second = Consumer()
        loop.run {
            let one: LinkOperation<Void> = pending.begin(timeout: nil) { _ in }
            registry.subscribe(one, to: Self.characteristic) { [registry] _ in registry.unsubscribe(second.id) }
            let two: LinkOperation<Void> = pending.begin(timeout: nil, second.outcome.completion)
            second.id = two.id
            registry.subscribe(two, to: Self.characteristic) { second.values.append([UInt8]($0)) }
        }
        acknowledge()
        send([1])
        #expect(second.values == [])
    }
}
