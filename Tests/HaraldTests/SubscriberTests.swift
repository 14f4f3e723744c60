import BluetoothRuntime
import Foundation
import Harald
import TestSupport
import Testing
import VirtualTransport

@testable import HostBackend

/// Subscribers that vanish or are slow, among others.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SubscriberTests {
    private static let service: BluetoothUUID = "FFF0", notifying: BluetoothUUID = "FFF1",
        indicating: BluetoothUUID = "FFF2", fixed: BluetoothUUID = "FFF3"

    /// A device with one characteristic of each kind, on a stepped clock.
    private struct Bench {
        let radio: VirtualRadio
        let clock = RadioClock.manual()
        let device: LocalPeripheral
        let published: PublishedService
        let address: BluetoothAddress

        init(pace: AirPace = .unpaced) async throws {
            radio = VirtualRadio(pace: pace, clock: clock)
            device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "device")
            published = try await device.publish(
                ServiceDefinition(
                    SubscriberTests.service,
                    [
                        CharacteristicDefinition(SubscriberTests.notifying, .notify),
                        CharacteristicDefinition(SubscriberTests.indicating, .indicate),
                        CharacteristicDefinition(SubscriberTests.fixed, .read, onRead: { _ in [42] }),
                    ]))
            try await device.advertise()
            address = try #require(await device.address)
        }

        /// Runs `body`, while the clock advances.
        func ticking<Value: Sendable>(
            _ step: Duration = .milliseconds(1), _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            let isOver = Locked(false)
            let ticks = Task { [clock] in while !isOver.value { await clock.advance(by: step) } }
            defer { isOver.with { $0 = true } }
            let value = try await body()
            isOver.with { $0 = true }
            await ticks.value
            return value
        }

        /// Returns the result of `body` while the clock is stopped; nil if it requires time.
        func atOnce<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
            let isOver = Locked(false)
            let task = Task {
                defer { isOver.with { $0 = true } }
                return try await body()
            }
            // Only an operation without a result takes this time.
            let patience = ContinuousClock.now + .seconds(5)
            while !isOver.value, ContinuousClock.now < patience { try await Task.pause() }
            guard isOver.value else {
                task.cancel()
                return nil
            }
            return try await task.value
        }

        /// A new central, connected.
        func central(_ name: String) async throws -> (Central, Peripheral) {
            let central = try await Central(adapter: radio.adapter(named: name))
            let peripheral = try #require(await central.peripheral(address: address))
            try await ticking { try await peripheral.connect(timeout: nil) }
            return (central, peripheral)
        }

        /// Removes the controller of a central, as when its socket is closed: without a notification.
        func vanish(_ name: String) async {
            await radio.loop.run { [radio] in
                if let controller = radio.controller(named: name) { radio.air.value.remove(controller) }
            }
        }
    }

    private func subscribe(_ peripheral: Peripheral, to uuid: BluetoothUUID) async throws -> BluetoothStream<[UInt8]> {
        let values = try await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(uuid)).notifications(
            buffering: .newest(1024))
        // Subscribed as soon as a read behind the subscription is answered.
        _ = try await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(Self.fixed)).read()
        return values
    }

    @Test func aLiveSubscriberReceivesEveryValueBesideAVanishedOne() async throws {
        let bench = try await Bench()
        let (first, dead) = try await bench.central("dead")
        let lost = try await subscribe(dead, to: Self.notifying)
        let (second, alive) = try await bench.central("alive")
        let values = try await subscribe(alive, to: Self.notifying)
        await bench.vanish("dead")
        let source = try #require(bench.published[Self.notifying])
        for index in 0..<300 {
            try await source.update([UInt8(truncatingIfNeeded: index)])
            await bench.clock.advance(by: .milliseconds(200))
        }
        var iterator = values.makeAsyncIterator()
        for index in 0..<300 { #expect(try await iterator.next() == [UInt8(truncatingIfNeeded: index)]) }
        withExtendedLifetime((lost, first, second)) {}
    }

    /// More values than queues and buffers hold: the sender waits for room, and none is lost.
    @Test func aFastSenderWaitsForASlowSubscriber() async throws {
        let bench = try await Bench(pace: .connectionInterval)
        let (central, peripheral) = try await bench.central("slow")
        let values = try await bench.ticking { try await subscribe(peripheral, to: Self.notifying) }
        let source = try #require(bench.published[Self.notifying])
        let heard = try await bench.ticking {
            for index in 0..<300 { try await source.update([UInt8(truncatingIfNeeded: index)]) }
            var heard: [UInt8] = []
            for try await value in values {
                heard += value
                if heard.count == 300 { break }
            }
            return heard
        }
        #expect(heard == (0..<300).map { UInt8(truncatingIfNeeded: $0) })
        #expect(await bench.device.droppedValues == 0)
        withExtendedLifetime(central) {}
    }

    /// Several senders, some of which request the outcome: each waits for room, so that no value displaces another.
    @Test func updateEachDisplacesNoQueuedValues() async throws {
        let bench = try await Bench(pace: .connectionInterval)
        let (central, peripheral) = try await bench.central("slow")
        let values = try await bench.ticking { try await subscribe(peripheral, to: Self.notifying) }
        let source = try #require(bench.published[Self.notifying])
        let heard = try await bench.ticking {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in UInt8(0)..<200 {
                    group.addTask {
                        guard index % 4 == 0 else { return try await source.update([index]) }
                        for outcome in try await source.updateEach([index]).values { try outcome.get() }
                    }
                }
                try await group.waitForAll()
            }
            var heard: [UInt8] = []
            for try await value in values {
                heard += value
                if heard.count == 200 { break }
            }
            return heard
        }
        #expect(heard.sorted() == Array(0..<200))
        #expect(await bench.device.droppedValues == 0)
        withExtendedLifetime(central) {}
    }

    @Test func sixteenVanishedSubscribersDoNotDelayANewCentral() async throws {
        let bench = try await Bench()
        let source = try #require(bench.published[Self.notifying])
        var kept: [Any] = []
        for index in 0..<16 {
            let (central, peripheral) = try await bench.central("dead \(index)")
            kept.append((central, try await subscribe(peripheral, to: Self.notifying)))
        }
        for index in 0..<16 { await bench.vanish("dead \(index)") }
        for _ in 0..<100 { source.updateWithoutWaiting([1]) }
        let (central, peripheral) = try await bench.central("new")
        let value = try await bench.atOnce {
            try await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(Self.fixed)).read()
        }
        #expect(value == [42])
        // All centrals are still connected.
        #expect(await bench.device.centrals.count == 17)
        #expect(await bench.device.droppedValues > 0)
        withExtendedLifetime((kept, central)) {}
    }

    @Test func updateReturnsTheResultForEachSubscriber() async throws {
        let bench = try await Bench()
        let (first, dead) = try await bench.central("dead")
        let lost = try await subscribe(dead, to: Self.indicating)
        let source = try #require(bench.published[Self.indicating])
        let vanished = try #require(await source.subscribers.first)
        let (second, alive) = try await bench.central("alive")
        let values = try await subscribe(alive, to: Self.indicating)
        let centrals = await source.subscribers
        let honest = try #require(centrals.first { $0 != vanished })
        await bench.vanish("dead")
        // A responding subscriber beside a stalled one.
        try await source.update([1], for: honest)
        try await source.update([2])
        let outcomes = try await bench.ticking(.milliseconds(100)) { try await source.updateEach([3]) }
        #expect(Set(outcomes.keys) == Set(centrals))
        #expect(throws: Never.self) { try outcomes[honest]?.get() }
        #expect(throws: BluetoothError.self) { try outcomes[vanished]?.get() }
        var iterator = values.makeAsyncIterator()
        for index in UInt8(1)...3 { #expect(try await iterator.next() == [index]) }
        withExtendedLifetime((lost, first, second)) {}
    }

    /// The sockets of centrals are closed at random times, and each next central is answered at once. `HARALD_CYCLES`
    /// sets the number of cycles.
    @Test func vanishedCentralsDoNotDelayTheNextOne() async throws {
        let bench = try await Bench()
        let source = try #require(bench.published[Self.notifying])
        let cycles = ProcessInfo.processInfo.environment["HARALD_CYCLES"].flatMap { Int($0) } ?? 200
        var unanswered: [Int] = []
        for cycle in 0..<cycles {
            let name = "central \(cycle)"
            let (central, peripheral) = try await bench.central(name)
            let value = try await bench.atOnce {
                try await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(Self.fixed)).read()
            }
            guard value == [42] else {
                unanswered.append(cycle)
                continue
            }
            let values = try await cycle % 3 == 0 ? nil : subscribe(peripheral, to: Self.notifying)
            // The central vanishes with a read and values in flight.
            let late = Task {
                _ = try? await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(Self.fixed)).read()
            }
            if cycle % 2 == 0 { source.updateWithoutWaiting([1]) }
            await bench.vanish(name)
            for _ in 0..<20 { source.updateWithoutWaiting([2]) }
            late.cancel()
            await bench.clock.advance(by: .milliseconds(150))
            withExtendedLifetime((values, central)) {}
        }
        #expect(unanswered.isEmpty, "of \(cycles)")
    }
}
