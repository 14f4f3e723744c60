import BluetoothBackend
import BluetoothModel

/// Connection attempts and their callers.
extension Scenario {
    static let connecting: [Scenario] = [
        Scenario("a connection attempt gives a share of a link") { bench in
            let share = try await bench.connected()
            try require(await share { $0.isConnected }, "the link of a successful attempt is not connected")
            try require(await share { $0.value.peripheral }, is: bench.peerID, "device of the link")
            try await bench.peer.events.wait(for: .connected)
        },
        Scenario("the completion of a connection attempt never runs inside the call") { bench in
            let share = try await bench.connected()
            let (attempt, wasOpen) = await bench.run { radio in
                let attempt = bench.connect(radio, "second")
                return (attempt, attempt.pending.isOpen)
            }
            try require(wasOpen, "the attempt completed inside the call")
            _ = try await attempt.value()
            withExtendedLifetime(share) {}
        },
        Scenario("one attempt serves all callers") { bench in
            await bench.peer.setReachable(false)
            let attempts = await bench.run { radio in (0..<3).map { bench.connect(radio, "connect \($0)") } }
            await bench.turn()
            await bench.peer.setReachable(true)
            for attempt in attempts { _ = try await attempt.value() }
            try require(bench.journal.all, is: ["connect 0", "connect 1", "connect 2"], "order of completions")
            try require(bench.peer.events.count(of: .connected), is: 1, "links at the peer")
        },
        Scenario("a caller that cancels does not end the attempt of another") { bench in
            await bench.peer.setReachable(false)
            let (first, second) = await bench.run { radio in
                (bench.connect(radio, "first"), bench.connect(radio, "second"))
            }
            await bench.turn()
            await bench.run { _ in first.cancel() }
            try await first.pending.fails(with: .cancelled)
            await bench.peer.setReachable(true)
            _ = try await second.value()
        },
        Scenario("the attempt ends with its last caller") { bench in
            await bench.peer.setReachable(false)
            let attempts = await bench.run { radio in (0..<2).map { bench.connect(radio, "connect \($0)") } }
            await bench.turn()
            await bench.run { _ in for attempt in attempts { attempt.cancel() } }
            for attempt in attempts { try await attempt.pending.fails(with: .cancelled) }
            await bench.peer.setReachable(true)
            await bench.turn()
            try require(bench.peer.events.count(of: .connected), is: 0, "links at the peer after a cancelled attempt")
            _ = try await bench.connected("later")
        },
        Scenario("a caller that comes while an attempt is stopped gets a new attempt") { bench in
            await bench.peer.setReachable(false)
            let first = await bench.run { bench.connect($0, "first") }
            await bench.turn()
            let second = await bench.run { radio in
                first.cancel()
                return bench.connect(radio, "second")
            }
            try await first.pending.fails(with: .cancelled)
            await bench.peer.setReachable(true)
            _ = try await second.value()
        },
        Scenario("an attempt that is cancelled at once ends once") { bench in
            let attempt = await bench.run { radio in
                let attempt = bench.connect(radio)
                attempt.cancel()
                attempt.cancel()
                return attempt
            }
            try await attempt.pending.fails(with: .cancelled)
            await bench.turn()
            try require(bench.peer.events.count(of: .connected), is: 0, "links at the peer")
        },
        Scenario("each caller has its own timeout") { bench in
            await bench.peer.setReachable(false)
            let (short, long) = await bench.run { radio in
                (bench.connect(radio, timeout: .milliseconds(30), "short"), bench.connect(radio, "long"))
            }
            try await short.pending.fails(with: .timeout)
            try require(long.pending.isOpen, "the caller without a timeout ended with the other one")
            await bench.peer.setReachable(true)
            _ = try await long.value()
        },
        Scenario("an attempt whose callers timed out stops, and a later one succeeds") { bench in
            await bench.peer.setReachable(false)
            let attempts = await bench.run { radio in
                (0..<2).map { bench.connect(radio, timeout: .milliseconds(30), "connect \($0)") }
            }
            for attempt in attempts { try await attempt.pending.fails(with: .timeout) }
            await bench.peer.setReachable(true)
            _ = try await bench.connected("later")
            try require(bench.peer.events.count(of: .connected), is: 1, "links at the peer")
        },
        Scenario("a cancellation after the success has no effect") { bench in
            let attempt = await bench.run { bench.connect($0, timeout: .seconds(30)) }
            let share = try await attempt.value()
            await bench.run { _ in attempt.cancel() }
            await bench.turn()
            try require(await share { $0.isConnected }, "the link ended with the cancellation")
        },
        Scenario("an unknown identifier is an invalid argument") { bench in
            let attempt = await bench.run { bench.connect($0, to: PeripheralID(high: 7, low: 7)) }
            guard case .invalidArgument = try await attempt.pending.error() else {
                throw ScenarioFailure("unexpected: \(attempt.pending.results.all)")
            }
        },
        Scenario("a connection that fails to be established is retried") { bench in
            await bench.peer.failEstablishments(2)
            _ = try await bench.connected()
        },
        Scenario("a connection that is never established fails") { bench in
            await bench.peer.failEstablishments(30)
            let attempt = await bench.run { bench.connect($0) }
            try await attempt.pending.fails(with: .disconnected(.failedToEstablish))
            await bench.peer.failEstablishments(0)
            _ = try await bench.connected("later")
        },
        Scenario("all callers get the error of an attempt") { bench in
            await bench.peer.failEstablishments(30)
            let attempts = await bench.run { radio in (0..<3).map { bench.connect(radio, "connect \($0)") } }
            for attempt in attempts { try await attempt.pending.fails(with: .disconnected(.failedToEstablish)) }
            try require(bench.journal.all, is: ["connect 0", "connect 1", "connect 2"], "order of completions")
        },
        Scenario("an attempt fails while the adapter is off") { bench in
            try await bench.setPowered(false)
            let attempt = await bench.run { bench.connect($0) }
            try await attempt.pending.fails(with: .poweredOff)
        },
    ]
}
