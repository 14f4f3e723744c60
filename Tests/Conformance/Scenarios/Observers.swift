import BluetoothBackend
import BluetoothModel

/// Observers of an adapter.
extension Scenario {
    static let observers: [Scenario] = [
        Scenario("every observer learns the beginning and the end of a link, once") { bench in
            let watchers = [await bench.watch(), await bench.watch()]
            let share = try await bench.connected()
            _ = try await bench.connected("shared")
            await bench.peer.disconnect()
            try await share.end()
            for watcher in watchers {
                try await watcher.events.wait(for: .disconnected(bench.peerID))
                try require(
                    watcher.events.all, is: [.connected(bench.peerID), .disconnected(bench.peerID)], "events")
            }
        },
        Scenario("every observer learns changes of the state, in their order") { bench in
            let watcher = await bench.watch()
            try await bench.setPowered(false)
            try await bench.setPowered(true)
            let states = try await watcher.events.wait(for: "state") { $0.last == .state(.poweredOn) }
            try require(states.contains(.state(.poweredOff)), "events: \(states)")
            try require(states.last == .state(.poweredOn), "events: \(states)")
        },
        Scenario("an adapter that is off has a reason, one that is on has none") { bench in
            try require(await bench.run { $0.stateReason }, is: "", "reason of an adapter that is on")
            try await bench.setPowered(false)
            try require(await bench.run { !$0.stateReason.isEmpty }, "there is no reason why the adapter is off")
        },
        Scenario("an observer that is removed hears nothing more") { bench in
            let (first, second) = (await bench.watch(), await bench.watch())
            await bench.run { $0.removeObserver(first) }
            _ = try await bench.connected()
            try await second.events.wait(for: .connected(bench.peerID))
            try require(first.events.all, is: [], "events of a removed observer")
        },
        Scenario("an observer that is added twice hears each event once") { bench in
            let watcher = await bench.watch()
            await bench.run { $0.addObserver(watcher) }
            let share = try await bench.connected()
            try await share { $0.release() }.value()
            try await watcher.events.wait(for: .disconnected(bench.peerID))
            try require(watcher.events.count(of: .connected(bench.peerID)), is: 1, "reports of the link")
        },
        Scenario("an observer may remove another while an event is reported") { bench in
            let (first, second) = (await bench.watch(), await bench.watch())
            let radio = bench.world.radio
            first.onEvent.withLock { $0 = { _ in radio.value.removeObserver(second) } }
            _ = try await bench.connected()
            try await first.events.wait(for: .connected(bench.peerID))
            try require(second.events.all, is: [], "events of an observer that the first one removed")
        },
        Scenario("observers are notified in the order in which they were added") { bench in
            let watchers = [await bench.watch(), await bench.watch(), await bench.watch()]
            let order = Events<Int>()
            for (number, watcher) in watchers.enumerated() {
                watcher.onEvent.withLock { $0 = { _ in order.append(number) } }
            }
            _ = try await bench.connected()
            try require(try await order.wait(for: "report", count: 3), is: [0, 1, 2], "order")
        },
        Scenario("an observer that is released is not retained") { bench in
            weak var released: RadioWatcher?
            do {
                let watcher = RadioWatcher()
                released = watcher
                await bench.run { $0.addObserver(watcher) }
            }
            await bench.turn()
            _ = try await bench.connected()
            try require(released == nil, "the adapter retains its observer")
        },
    ]
}
