import BluetoothBackend
import BluetoothModel

/// Everything that is pending ends with the link, with the power of the adapter, and with the session.
extension Scenario {
    static let endings: [Scenario] = [
        Scenario("the end of the link ends all operations, in their order, before its users learn it") { bench in
            let share = try await bench.connected()
            let before = bench.journal.count
            share.watcher.onEnd.withLock { $0 = { bench.journal.append("end") } }
            let requests = await share { share in
                [share.read(.held, "0")] + (1..<12).map { share.read(.plain, "\($0)") }
            }
            try await bench.peer.events.wait(for: .asked)
            await bench.peer.disconnect()
            try await share.end()
            for request in requests {
                let error = try await request.pending.error()
                guard case .disconnected = error else { throw ScenarioFailure("error of a read: \(error)") }
            }
            let order = Array(bench.journal.all.dropFirst(before))
            try require(order, is: (0..<12).map { "\($0)" } + ["end"], "order of the ends")
        },
        Scenario("the end of the link ends the operations of all users") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let held = await first { $0.read(.held) }
            let other = await second { $0.write([1], to: .plain) }
            try await bench.peer.events.wait(for: .asked)
            await bench.peer.disconnect()
            _ = try await held.pending.error()
            _ = try await other.pending.error()
        },
        Scenario("an operation on an ended link fails at once") { bench in
            let share = try await bench.connected()
            await bench.peer.disconnect()
            try await share.end()
            let requests = await share { ($0.read(.plain).pending, $0.write([1], to: .plain).pending) }
            try await requests.0.fails(with: .notConnected)
            try await requests.1.fails(with: .notConnected)
        },
        Scenario("an operation that begins while the link ends fails") { bench in
            let share = try await bench.connected()
            let late = Events<RadioError?>()
            let id = await share { $0.id(of: .plain) }
            share.watcher.onEnd.withLock {
                $0 = {
                    share.value.read(id, timeout: nil) { result in
                        if case .failure(let error) = result { late.append(error) } else { late.append(nil) }
                    }
                }
            }
            await bench.peer.disconnect()
            try await share.end()
            try require(try await late.wait(for: "completion", count: 1), is: [.notConnected], "error of the late read")
        },
        Scenario("an adapter that is switched off ends pending attempts, each once") { bench in
            await bench.peer.setReachable(false)
            let attempts = await bench.run { radio in
                [bench.connect(radio, timeout: .seconds(60), "first"), bench.connect(radio, "second")]
            }
            await bench.turn()
            try await bench.setPowered(false)
            for attempt in attempts { try await attempt.pending.fails(with: .poweredOff) }
            try await bench.setPowered(true)
            await bench.peer.setReachable(true)
            _ = try await bench.connected("later")
        },
        Scenario("an adapter that is switched off ends its links") { bench in
            let share = try await bench.connected()
            let read = await share { $0.read(.held) }
            try await bench.peer.events.wait(for: .asked)
            try await bench.setPowered(false)
            let end = try await share.end()
            guard case .radio(.poweredOff, _) = end else { throw ScenarioFailure("end of the link: \(end)") }
            try await read.pending.fails(with: .poweredOff)
            try require(await !share { $0.isConnected }, "the link is connected without power")
        },
        Scenario("an adapter that is switched on again connects") { bench in
            let share = try await bench.connected("first")
            try await bench.setPowered(false)
            try await share.end()
            try await bench.setPowered(true)
            let second = try await bench.connected("second")
            try await second { $0.read(.plain) }.value()
        },
        Scenario("closing ends pending attempts and scans, each once") { bench in
            await bench.peer.setReachable(false)
            let (attempts, scan) = await bench.run { radio in
                ([bench.connect(radio, "first"), bench.connect(radio, "second")], bench.scan(radio))
            }
            await bench.turn()
            try await bench.run { bench.close($0) }.value()
            for attempt in attempts { try await attempt.pending.fails(with: .cancelled) }
            try require(try await scan.ends.wait(for: "end", count: 1), is: [.cancelled], "ends of the scan")
        },
        Scenario("closing ends links and their operations") { bench in
            let share = try await bench.connected()
            let read = await share { $0.read(.held) }
            try await bench.peer.events.wait(for: .asked)
            try await bench.run { bench.close($0) }.value()
            _ = try await read.pending.error()
            try require(await !share { $0.isConnected }, "a link is connected after closing")
            try await bench.peer.events.wait(for: .disconnected)
        },
        Scenario("a closed adapter refuses operations") { bench in
            try await bench.run { bench.close($0) }.value()
            let attempt = await bench.run { bench.connect($0, "late") }
            _ = try await attempt.pending.error()
            try require(await bench.run { $0.state } != .poweredOn, "a closed adapter is powered on")
        },
    ]
}
