import BluetoothBackend
import BluetoothModel

/// Consumers of the peer's values.
extension Scenario {
    static let subscriptions: [Scenario] = [
        Scenario("the peer is asked to send with the first consumer, and to stop with the last") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let one = await first { $0.subscribe(.notifying) }
            try await one.started()
            let two = await second { $0.subscribe(.notifying) }
            try await two.started()
            try require(bench.peer.events.count(of: .subscribed(.notifying)), is: 1, "subscriptions at the peer")
            await bench.peer.send([[1]], on: .notifying)
            for consumer in [one, two] { try await consumer.values.wait(for: [1]) }
            try await first { $0.unsubscribe(one) }.value()
            await bench.peer.send([[2]], on: .notifying)
            try await two.values.wait(for: [2])
            try require(one.values.all, is: [[1]], "values after the end of the subscription")
            try require(bench.peer.events.count(of: .unsubscribed(.notifying)), is: 0, "ends at the peer")
            try await second { $0.unsubscribe(two) }.value()
            try await bench.peer.events.wait(for: .unsubscribed(.notifying))
        },
        Scenario("each consumer receives the values in their order") { bench in
            let share = try await bench.connected()
            let consumers = await share { share in (0..<3).map { _ in share.subscribe(.notifying) } }
            for consumer in consumers { try await consumer.started() }
            let values = (0..<50).map { [UInt8($0)] }
            // The queues of the peer are bounded, so it sends two values at a time.
            for start in stride(from: 0, to: 50, by: 2) {
                await bench.peer.send(Array(values[start..<start + 2]), on: .notifying)
                try await consumers[2].values.wait(for: "value", count: start + 2)
            }
            for consumer in consumers { try require(consumer.values.all, is: values, "values") }
        },
        Scenario("a consumer is attached before the peer is asked to send") { bench in
            await bench.peer.greetSubscriber(with: [77])
            let share = try await bench.connected()
            let consumer = await share { $0.subscribe(.notifying) }
            try await consumer.started()
            try await consumer.values.wait(for: [77])
        },
        Scenario("subscriptions to two characteristics are separate") { bench in
            let share = try await bench.connected()
            let (one, two) = await share { ($0.subscribe(.notifying), $0.subscribe(.alsoNotifying)) }
            try await one.started()
            try await two.started()
            await bench.peer.send([[1]], on: .notifying)
            await bench.peer.send([[2]], on: .alsoNotifying)
            try await one.values.wait(for: [1])
            try await two.values.wait(for: [2])
            try await share { $0.unsubscribe(one) }.value()
            await bench.peer.send([[3]], on: .alsoNotifying)
            try await two.values.wait(for: [3])
            try require(one.values.all, is: [[1]], "values of the first characteristic")
        },
        Scenario("indications arrive, each once") { bench in
            let share = try await bench.connected()
            let consumer = await share { $0.subscribe(.indicating) }
            try await consumer.started()
            await bench.peer.send([[1], [2]], on: .indicating)
            try await consumer.values.wait(for: [2])
            try require(consumer.values.all, is: [[1], [2]], "values")
        },
        Scenario("a subscription to a characteristic that sends no values is an error") { bench in
            let share = try await bench.connected()
            let consumer = await share { $0.subscribe(.plain) }
            _ = try await consumer.request.pending.error()
            try await share { $0.unsubscribe(consumer) }.value()
        },
        Scenario("the end of a subscription that has ended is no error") { bench in
            let share = try await bench.connected()
            let consumer = await share { $0.subscribe(.notifying) }
            try await consumer.started()
            let ends = await share { ($0.unsubscribe(consumer, "first"), $0.unsubscribe(consumer, "second")) }
            try await ends.0.value()
            try await ends.1.value()
            try await bench.peer.events.wait(for: .unsubscribed(.notifying))
        },
        Scenario("a consumer that comes while the peer stops is subscribed again") { bench in
            let share = try await bench.connected()
            let first = await share { $0.subscribe(.notifying) }
            try await first.started()
            let (end, second) = await share { ($0.unsubscribe(first), $0.subscribe(.notifying, "again")) }
            try await end.value()
            try await second.started()
            await bench.peer.send([[5]], on: .notifying)
            try await second.values.wait(for: [5])
            try require(first.values.all, is: [], "values after the end of the subscription")
        },
        Scenario("a subscription that is cancelled while it begins ends at the peer too") { bench in
            let share = try await bench.connected()
            let consumer = await share { share in
                let consumer = share.subscribe(.notifying)
                share.cancel(consumer.request)
                return consumer
            }
            try await consumer.request.pending.fails(with: .cancelled)
            // The next consumer receives values without regard to the cancelled one.
            let second = await share { $0.subscribe(.notifying, "second") }
            try await second.started()
            await bench.peer.send([[6]], on: .notifying)
            try await second.values.wait(for: [6])
            try require(consumer.values.all, is: [], "values of a cancelled subscription")
            try await share { $0.unsubscribe(second) }.value()
            try await bench.peer.events.wait(for: "balanced subscriptions") { events in
                let begun = events.count { $0 == .subscribed(.notifying) }
                return begun > 0 && begun == events.count { $0 == .unsubscribed(.notifying) }
            }
        },
        Scenario("a consumer that is cancelled while it begins leaves the others") { bench in
            let share = try await bench.connected()
            let consumers = await share { share in
                let consumers = ["first", "cancelled", "third"].map { share.subscribe(.notifying, $0) }
                share.cancel(consumers[1].request)
                return consumers
            }
            try await consumers[1].request.pending.fails(with: .cancelled)
            for consumer in [consumers[0], consumers[2]] { try await consumer.started() }
            await bench.peer.send([[3]], on: .notifying)
            for consumer in [consumers[0], consumers[2]] { try await consumer.values.wait(for: [3]) }
            try require(consumers[1].values.all, is: [], "values of the cancelled consumer")
        },
        Scenario("a released share ends its subscriptions, and leaves those of others") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let (one, two) = (
                await first { $0.subscribe(.notifying) }, await second { $0.subscribe(.alsoNotifying) }
            )
            try await one.started()
            try await two.started()
            try await first { $0.release() }.value()
            try await bench.peer.events.wait(for: .unsubscribed(.notifying))
            await bench.peer.send([[1]], on: .alsoNotifying)
            try await two.values.wait(for: [1])
            try require(bench.peer.events.count(of: .unsubscribed(.alsoNotifying)), is: 0, "ends at the peer")
        },
        Scenario("a share that is released while it subscribes leaves the subscription of another") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let (one, two, release) = await first { first in
                (first.subscribe(.notifying, "one"), second.subscribe(.notifying, "two"), first.release())
            }
            try await one.request.pending.fails(with: RadioError.disconnected(.localHostTerminated))
            try await release.value()
            try await two.started()
            await bench.peer.send([[1]], on: .notifying)
            try await two.values.wait(for: [1])
            try require(one.values.all, is: [], "values of a released share")
        },
        Scenario("one of two users of a subscription may release its share") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let consumers = [
                await first { $0.subscribe(.notifying) }, await second { $0.subscribe(.notifying) },
            ]
            for consumer in consumers { try await consumer.started() }
            try await first { $0.release() }.value()
            await bench.peer.send([[1]], on: .notifying)
            try await consumers[1].values.wait(for: [1])
            try require(consumers[0].values.all, is: [], "values of a released share")
            try require(bench.peer.events.count(of: .unsubscribed(.notifying)), is: 0, "ends at the peer")
        },
        Scenario("a consumer may end another one while a value is delivered") { bench in
            let share = try await bench.connected()
            let victim = Events<Subscription>()
            let first = await share { share in
                share.subscribe(.notifying, "first") { _ in
                    if let victim = victim.all.first {
                        share.value.unsubscribe(victim.request.id, timeout: nil) { _ in }
                    }
                }
            }
            let second = await share { $0.subscribe(.notifying, "second") }
            victim.append(second)
            try await first.started()
            try await second.started()
            await bench.peer.send([[1], [2]], on: .notifying)
            try await first.values.wait(for: [2])
            try require(second.values.all, is: [], "values of a consumer that the first one ended")
        },
        Scenario("values arrive before the end of the link that follows them") { bench in
            let share = try await bench.connected()
            let consumer = await share { $0.subscribe(.notifying) }
            try await consumer.started()
            let before = bench.journal.count
            share.watcher.onEnd.withLock { $0 = { bench.journal.append("end") } }
            await bench.peer.send([[1]], on: .notifying)
            try await consumer.values.wait(for: [1])
            await bench.peer.disconnect()
            try await share.end()
            try require(Array(bench.journal.all.dropFirst(before)), is: ["value", "end"], "order")
        },
        Scenario("a lost link ends its subscriptions, and a new link begins without them") { bench in
            let share = try await bench.connected("first")
            let consumer = await share { $0.subscribe(.notifying) }
            try await consumer.started()
            await bench.peer.disconnect()
            try await share.end()
            try await share { $0.unsubscribe(consumer) }.value()
            let second = try await bench.connected("second")
            let again = await second { $0.subscribe(.notifying, "again") }
            try await again.started()
            await bench.peer.send([[8]], on: .notifying)
            try await again.values.wait(for: [8])
            try require(consumer.values.all, is: [], "values of a subscription to a lost link")
        },
        Scenario("a subscription that begins when the link ends fails once") { bench in
            let share = try await bench.connected()
            let read = await share { $0.read(.held) }
            try await bench.peer.events.wait(for: .asked)
            let consumer = await share { $0.subscribe(.notifying) }
            await bench.peer.disconnect()
            _ = try await read.pending.error()
            _ = try await consumer.request.pending.result()
            try await share.end()
        },
    ]
}
