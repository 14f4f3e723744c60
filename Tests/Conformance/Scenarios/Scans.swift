import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// Scans of several users on one adapter.
extension Scenario {
    static let scans: [Scenario] = [
        Scenario("a scan reports the peer") { bench in
            let scan = await bench.run { bench.scan($0) }
            await bench.peer.advertise()
            let reports = try await scan.reports.wait(for: "report", count: 1)
            try require(reports[0], "the peer is reported as not connectable")
            await bench.run { _ in scan.cancel() }
        },
        Scenario("a passive scan for patterns reports the peer, and is told how the radio scans") { bench in
            let modes = Events<ScanMode>()
            // 0xFC00, in a list of services.
            let patterns = [ADType.incompleteServiceUUIDs16, .completeServiceUUIDs16].map {
                AdvertisementPattern($0, [0x00, 0xFC])
            }
            let scan = await bench.run { radio in
                bench.scan(radio, allowsDuplicates: true, isActive: false, patterns: patterns, modes: modes)
            }
            try await Self.advertise(bench, until: scan, has: 2)
            _ = try await modes.wait(for: "mode of the scan", count: 1)
            await bench.run { _ in scan.cancel() }
        },
        Scenario("each scan has its own duplicates") { bench in
            let (once, always) = await bench.run { radio in
                (bench.scan(radio, "once"), bench.scan(radio, allowsDuplicates: true, "always"))
            }
            try await Self.advertise(bench, until: always, has: 4)
            try require(once.reports.count, is: 1, "reports of a scan without duplicates")
            await bench.run { _ in
                once.cancel()
                always.cancel()
            }
        },
        Scenario("each scan has its own filter") { bench in
            let (selected, other) = await bench.run { radio in
                (
                    bench.scan(radio, allowsDuplicates: true, "selected"),
                    bench.scan(radio, services: [BluetoothUUID(0xFCEE)], allowsDuplicates: true, "other")
                )
            }
            try await Self.advertise(bench, until: selected, has: 3)
            try require(other.reports.all, is: [], "reports of a scan whose filter excludes the peer")
            await bench.run { _ in
                selected.cancel()
                other.cancel()
            }
        },
        Scenario("a scan without duplicates reports the peer when its condition first holds") { bench in
            let evaluations = Events<Bool>()
            let peer = bench.peerID
            let scan = await bench.run { radio in
                bench.scan(
                    radio,
                    condition: { report in
                        guard report.peripheral == peer else { return false }
                        evaluations.append(true)
                        return evaluations.count >= 3
                    })
            }
            for count in 1...3 {
                await bench.peer.advertise()
                _ = try await evaluations.wait(for: "evaluation of the condition", count: count)
            }
            _ = try await scan.reports.wait(for: "report", count: 1)
            let other = await bench.run { bench.scan($0, allowsDuplicates: true, "other") }
            try await Self.advertise(bench, until: other, has: 2)
            try require(scan.reports.count, is: 1, "reports of a scan without duplicates")
            await bench.run { _ in
                scan.cancel()
                other.cancel()
            }
        },
        Scenario("a scan that is cancelled leaves the others, and hears nothing more") { bench in
            let (first, second) = await bench.run { radio in
                (
                    bench.scan(radio, allowsDuplicates: true, "first"),
                    bench.scan(radio, allowsDuplicates: true, "second")
                )
            }
            try await Self.advertise(bench, until: first, has: 1)
            let count = await bench.run { _ in
                first.cancel()
                first.cancel()
                return (first.reports.count, second.reports.count)
            }
            try await Self.advertise(bench, until: second, has: count.1 + 2)
            try require(first.reports.count, is: count.0, "reports of a cancelled scan")
            await bench.run { _ in second.cancel() }
        },
        Scenario("a scan without duplicates does not take them from one that joins") { bench in
            let once = await bench.run { bench.scan($0, isActive: false, "once") }
            try await Self.advertise(bench, until: once, has: 1)
            let always = await bench.run { bench.scan($0, allowsDuplicates: true, isActive: false, "always") }
            try await Self.advertise(bench, until: always, has: 3)
            await bench.run { _ in always.cancel() }
            let again = await bench.run { bench.scan($0, "again") }
            try await Self.advertise(bench, until: again, has: 1)
            try require(once.reports.count, is: 1, "reports of a scan without duplicates")
            await bench.run { _ in
                once.cancel()
                again.cancel()
            }
        },
        Scenario("a scan may be cancelled by its own report") { bench in
            let done = Events<Bool>()
            let scan = Scan()
            await bench.run { radio in
                let request = ScanRequest(services: [PeerAttribute.service], allowsDuplicates: true)
                let operation = radio.scan(request) { _ in
                    scan.cancel()
                    done.append(true)
                } ended: { _ in
                }
                scan.keep(LoopBound(confined: operation, loop: radio.loop))
            }
            let witness = await bench.run { bench.scan($0, allowsDuplicates: true, "witness") }
            try await Self.advertise(bench, until: witness, has: 3)
            try require(done.count, is: 1, "reports of a scan that its first report cancelled")
            await bench.run { _ in witness.cancel() }
        },
        Scenario("an adapter that is switched off ends its scans, each once") { bench in
            let scans = await bench.run { radio in [bench.scan(radio, "first"), bench.scan(radio, "second")] }
            try await Self.advertise(bench, until: scans[0], has: 1)
            try await bench.setPowered(false)
            for scan in scans {
                let errors = try await scan.ends.wait(for: "end of the scan", count: 1)
                guard case .radio(.poweredOff, _) = errors[0] else { throw ScenarioFailure("ends: \(errors)") }
            }
        },
        Scenario("a scan while the adapter is off ends with the reason") { bench in
            try await bench.setPowered(false)
            let scan = await bench.run { bench.scan($0) }
            let errors = try await scan.ends.wait(for: "end of the scan", count: 1)
            guard case .radio(.poweredOff, let reason) = errors[0], !reason.isEmpty else {
                throw ScenarioFailure("ends: \(errors)")
            }
        },
        Scenario("a device is connected while a scan runs, which continues") { bench in
            let scan = await bench.run { bench.scan($0, allowsDuplicates: true) }
            try await Self.advertise(bench, until: scan, has: 1)
            let share = try await bench.connected()
            try await share { $0.release() }.value()
            try await Self.advertise(bench, until: scan, has: scan.reports.count + 1)
            await bench.run { _ in scan.cancel() }
        },
    ]

    /// Makes the peer advertise until a scan has received `count` reports.
    private static func advertise(_ bench: Bench, until scan: Scan, has count: Int) async throws {
        var last = scan.reports.count
        while last < count {
            await bench.peer.advertise()
            let next = last + 1
            last = try await scan.reports.wait(for: "report", count: next).count
        }
    }
}
