import BluetoothBackend
import BluetoothModel

/// Discovery, reads and writes.
extension Scenario {
    static let operations: [Scenario] = [
        Scenario("discovery finds the services, all or the requested ones") { bench in
            let share = try await bench.connected()
            let all = try await share { $0.discoverServices() }.value().map(\.uuid)
            try require(
                all.contains(PeerAttribute.service) && all.contains(PeerAttribute.emptyService), "services: \(all)")
            let none = try await share { $0.discoverServices([BluetoothUUID(0xFCEE)]) }.value()
            try require(none, is: [], "services found with a filter that none satisfies")
        },
        Scenario("discovery finds the characteristics with their properties") { bench in
            let share = try await bench.connected()
            let service = try await share { $0.discoverServices([PeerAttribute.service]) }.value()[0].id
            let all = try await share { $0.discoverCharacteristics(of: service) }.value()
            for attribute in PeerAttribute.allCases {
                guard let record = all.first(where: { $0.uuid == attribute.uuid }) else {
                    throw ScenarioFailure("no characteristic \(attribute) among \(all)")
                }
                try require(record.properties, is: attribute.properties, "properties of \(attribute)")
            }
            let uuid = PeerAttribute.long.uuid
            let one = try await share { $0.discoverCharacteristics(of: service, [uuid]) }.value()
            try require(one.map(\.uuid), is: [uuid], "characteristics found with a filter")
        },
        Scenario("the characteristics of an unknown service are an error") { bench in
            let share = try await bench.connected()
            let request = await share { $0.discoverCharacteristics(of: Share.unknown) }
            guard case .att(.invalidHandle, _) = try await request.pending.error() else {
                throw ScenarioFailure("unexpected: \(request.pending.results.all)")
            }
        },
        Scenario("an operation on an unknown attribute is an error") { bench in
            let share = try await bench.connected()
            await share { $0.forget(.plain) }
            let request = await share { $0.read(.plain) }
            guard case .att(.invalidHandle, _) = try await request.pending.error() else {
                throw ScenarioFailure("unexpected: \(request.pending.results.all)")
            }
        },
        Scenario("a written value is read back") { bench in
            let share = try await bench.connected()
            try require(try await share { $0.read(.plain) }.value(), is: [1, 2, 3], "value before the write")
            try await share { $0.write([9, 8], to: .plain) }.value()
            try await bench.peer.events.wait(for: .wrote(.plain, [9, 8]))
            try require(try await share { $0.read(.plain) }.value(), is: [9, 8], "value after the write")
        },
        Scenario("a long value is read whole") { bench in
            let share = try await bench.connected()
            try require(try await share { $0.read(.long) }.value(), is: PeerAttribute.longValue, "long value")
        },
        Scenario("a long value is written whole") { bench in
            let share = try await bench.connected()
            let value = [UInt8](PeerAttribute.longValue.reversed())
            try await share { $0.write(value, to: .long) }.value()
            try require(try await share { $0.read(.long) }.value(), is: value, "long value")
        },
        Scenario("the peer's error keeps its code") { bench in
            let share = try await bench.connected()
            let requests = await share { ($0.read(.refusing).pending, $0.write([1], to: .refusing).pending) }
            for error in [try await requests.0.error(), try await requests.1.error()] {
                guard case .att(PeerAttribute.refusal, _) = error else {
                    throw ScenarioFailure("unexpected error: \(error)")
                }
            }
            try await share { $0.read(.plain) }.value()
        },
        Scenario("writes without response arrive in their order") { bench in
            let share = try await bench.connected()
            let requests = await share { share in (0..<20).map { share.command([$0], to: .command) } }
            for request in requests { try await request.value() }
            let events = try await bench.peer.events.wait(for: "20 writes") { events in
                events.count { if case .wrote(.command, _) = $0 { true } else { false } } >= 20
            }
            let values = events.compactMap { if case .wrote(.command, let value) = $0 { value } else { nil } }
            try require(values, is: (0..<20).map { [$0] }, "written values")
        },
        Scenario("the operations of several users end in their order") { bench in
            let (first, second) = (try await bench.connected("first"), try await bench.connected("second"))
            let before = bench.journal.count
            let requests = await first { first in
                (0..<6).map { ($0 % 2 == 0 ? first : second).read(.plain, "read \($0)") }
            }
            for request in requests { try await request.value() }
            try require(
                Array(bench.journal.all.dropFirst(before)), is: (0..<6).map { "read \($0)" }, "order of completions")
        },
        Scenario("a cancelled operation ends once, and its response reaches nobody") { bench in
            let share = try await bench.connected()
            let request = await share { $0.read(.held) }
            try await bench.peer.events.wait(for: .asked)
            await share {
                $0.cancel(request)
                $0.cancel(request)
            }
            try await request.pending.fails(with: .cancelled)
            await bench.peer.answerHeldReads()
            try require(try await share { $0.read(.plain) }.value(), is: [1, 2, 3], "next value")
        },
        Scenario("an operation that times out ends once") { bench in
            let share = try await bench.connected()
            let request = await share { $0.read(.held, timeout: .milliseconds(50)) }
            try await request.pending.fails(with: .timeout)
            await bench.peer.answerHeldReads()
            try require(try await share { $0.read(.plain) }.value(), is: [1, 2, 3], "next value")
        },
        Scenario("an operation that succeeds is not ended by its timeout") { bench in
            let share = try await bench.connected()
            try await share { $0.read(.plain, timeout: .seconds(20)) }.value()
            let held = await share { $0.read(.held, timeout: .milliseconds(50)) }
            try await held.pending.fails(with: .timeout)
            await bench.peer.answerHeldReads()
        },
        Scenario("a cancellation ends one operation alone") { bench in
            let share = try await bench.connected()
            let (held, second, third) = await share { ($0.read(.held), $0.read(.plain, "2"), $0.read(.long, "3")) }
            try await bench.peer.events.wait(for: .asked)
            await share { $0.cancel(second) }
            try await second.pending.fails(with: .cancelled)
            try require(held.pending.isOpen && third.pending.isOpen, "another operation ended")
            await bench.peer.answerHeldReads()
            try require(try await held.value(), is: [4], "value")
            try require(try await third.value(), is: PeerAttribute.longValue, "value")
        },
    ]
}
