import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Testing

/// One subscription with several consumers; the test decides when the device acknowledges.
@Suite struct CharacteristicSubscriptionTests {
    private final class Device {
        var turns: [Bool] = []
        var acknowledge: [(Result<Void, RadioError>) -> Void] = []
    }

    private let loop = KernelLoop()
    private let device = Device()
    private let pending: PendingOperations
    private let subscription: CharacteristicSubscription

    init() {
        let device = device
        pending = PendingOperations(loop: loop.loop)
        subscription = CharacteristicSubscription { isOn, completion in
            device.turns.append(isOn)
            device.acknowledge.append(completion)
        }
    }

    /// A consumer: its identifier, the result of its subscription, and the values that it received.
    private final class Consumer {
        var id = OperationID(rawValue: 0)
        let outcome = Outcome<Void>()
        var values: [[UInt8]] = []
    }

    private func subscribe(timeout: Duration? = nil) -> Consumer {
        let consumer = Consumer()
        loop.run {
            let operation: LinkOperation<Void> = pending.begin(timeout: timeout, consumer.outcome.completion)
            consumer.id = operation.id
            subscription.subscribe(operation) { consumer.values.append([UInt8]($0)) }
        }
        return consumer
    }

    private func unsubscribe(_ consumer: Consumer) -> Outcome<Void> {
        let outcome = Outcome<Void>()
        loop.run { subscription.unsubscribe(consumer.id, completion: outcome.completion) }
        return outcome
    }

    private func acknowledge(_ result: Result<Void, RadioError> = .success(())) {
        loop.run { device.acknowledge.removeFirst()(result) }
    }

    private func send(_ value: [UInt8]) { loop.run { value.withByteView { subscription.received($0) } } }

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

    @Test func aRefusalEndsAllThatWait() {
        let consumers = [subscribe(), subscribe()]
        acknowledge(.failure(.att(.insufficientAuthorization, handle: 3)))
        for consumer in consumers { #expect(consumer.outcome.errors == [.att(.insufficientAuthorization, handle: 3)]) }
        send([1])
        #expect(consumers.map(\.values) == [[], []])
        // The next one asks again.
        _ = subscribe()
        #expect(device.turns == [true, true])
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

    @Test func oneThatLeavesWhileTheDeviceBeginsDoesNotWaitForTheOthers() {
        let first = subscribe()
        let end = unsubscribe(first)
        #expect(end.errors == [])
        let second = subscribe()
        acknowledge()
        #expect(end.errors == [nil])
        #expect(second.outcome.errors == [nil])
        #expect(device.turns == [true])
    }

    @Test func theEndOfTheLinkEndsEverything() {
        let consumer = subscribe()
        acknowledge()
        let end = unsubscribe(consumer)
        loop.run { subscription.linkEnded() }
        #expect(end.errors == [nil])
        // A late acknowledgement has no effect.
        acknowledge()
        #expect(device.turns == [true, false])
    }

    @Test func valuesThatStopByThemselvesAreRequestedAgain() {
        let consumer = subscribe()
        acknowledge()
        loop.run { subscription.interrupted() }
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
            subscription.onLoss = { losses.append($0) }
            subscription.interrupted()
        }
        acknowledge(.failure(.notConnected))
        #expect(losses == [.notConnected])
        #expect(consumer.outcome.errors == [nil])
        // They may be requested once more.
        loop.run { subscription.interrupted() }
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
            subscription.subscribe(one) { [subscription] _ in subscription.unsubscribe(second.id) { _ in } }
            let two: LinkOperation<Void> = pending.begin(timeout: nil, second.outcome.completion)
            second.id = two.id
            subscription.subscribe(two) { second.values.append([UInt8]($0)) }
        }
        acknowledge()
        send([1])
        #expect(second.values == [])
    }
}
