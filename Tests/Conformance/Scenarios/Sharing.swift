import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Users of one link.
extension Scenario {
    static let sharing: [Scenario] = [
        Scenario("a connected device is shared without a further attempt") { bench in
            let shares = [try await bench.connected("first"), try await bench.connected("second")]
            for share in shares { try require(await share { $0.isConnected }, "a share is not connected") }
            try require(bench.peer.events.count(of: .connected), is: 1, "links at the peer")
        },
        Scenario("a link ends with its last user") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            try await first { $0.release() }.value()
            try require(await second { $0.isConnected }, "the link ended with the first of its users")
            try await second { $0.read(.plain) }.value()
            try require(bench.peer.events.count(of: .disconnected), is: 0, "ends of the link at the peer")
            try await second { $0.release() }.value()
            try await bench.peer.events.wait(for: .disconnected)
            try require(await !second { $0.isConnected }, "a released share is connected")
        },
        Scenario("a released share fails its operations") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            try await first { $0.release() }.value()
            try require(await !first { $0.isConnected }, "a released share is connected")
            try await first { $0.release("again") }.value()
            try require(await second { $0.isConnected }, "a second release counted for another user")
        },
        Scenario("a released share ends its pending operations, and leaves those of others") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let held = await first { $0.read(.held) }
            try await bench.peer.events.wait(for: .asked)
            let (own, other) = await first { ($0.read(.plain, "own"), second.read(.plain, "other")) }
            try await first { $0.release() }.value()
            for request in [held, own] {
                try await request.pending.fails(with: RadioError.disconnected(.localHostTerminated))
            }
            await bench.peer.answerHeldReads()
            try require(try await other.value(), is: [1, 2, 3], "value read by the other user")
        },
        Scenario("a share that nobody keeps ends the link") { bench in
            let done = Events<Bool>()
            await bench.run { radio in
                _ = radio.connect(bench.peerID, ConnectRequest(), for: nil) { done.append((try? $0.get()) != nil) }
            }
            try require(try await done.wait(for: "completion", count: 1), is: [true], "success")
            try await bench.peer.events.wait(for: .disconnected)
            _ = try await bench.connected("later")
        },
        Scenario("a share that nobody keeps leaves the link to the others") { bench in
            let share = try await bench.connected("kept")
            let done = Events<Bool>()
            await bench.run { radio in
                _ = radio.connect(bench.peerID, ConnectRequest(), for: nil) { done.append((try? $0.get()) != nil) }
            }
            try await done.wait(for: "completion", count: 1)
            await bench.turn()
            try await share { $0.read(.plain) }.value()
            try require(bench.peer.events.count(of: .disconnected), is: 0, "ends of the link at the peer")
        },
        Scenario("every user learns the end of the link, once") { bench in
            let shares = [try await bench.connected("first"), try await bench.connected("second")]
            await bench.peer.disconnect()
            for share in shares {
                guard case .disconnected = try await share.end() else {
                    throw ScenarioFailure("unexpected end of the link: \(share.events.all)")
                }
                try require(await !share { $0.isConnected }, "a share is connected after the link ended")
            }
            await bench.turn()
            for share in shares {
                try require(share.events.all.count { $0.end != nil }, is: 1, "reports of the end of the link")
            }
        },
        Scenario("a user that released its share hears nothing of the link") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            try await first { $0.release() }.value()
            await bench.peer.disconnect()
            try await second.end()
            await bench.turn()
            try require(first.events.all, is: [], "events of a released share")
        },
        Scenario("a user may release the share of another while the link ends") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let released = Events<Bool>()
            first.watcher.onEnd.withLock { $0 = { second.value.release { released.append(true) } } }
            await bench.peer.disconnect()
            try await first.end()
            try await released.wait(for: "completed release", count: 1)
            try require(second.events.all, is: [], "events of a released share")
        },
        Scenario("a device is connected again after its link was released") { bench in
            let share = try await bench.connected("first")
            let (release, attempt) = await bench.run { radio in (share.release(), bench.connect(radio, "second")) }
            try await release.value()
            let second = try await attempt.value()
            try await second.discover()
            try await second { $0.read(.plain) }.value()
            try require(await !share { $0.isConnected }, "the released share is connected again")
        },
        Scenario("a device is connected again after its link was lost") { bench in
            let share = try await bench.connected("first")
            await bench.peer.disconnect()
            try await share.end()
            let second = try await bench.connected("second")
            try require(await second { $0.isConnected }, "the new link is not connected")
            try require(await !share { $0.isConnected }, "the share of the lost link is connected again")
            try require(bench.peer.events.count(of: .connected), is: 2, "links at the peer")
        },
    ]
}
