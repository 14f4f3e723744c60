#if os(Linux)
import Harald
import PeerSupport
import Testing

extension PeerSuites {
    /// Our peripheral with Bumble's central.
    @Suite("Our peripheral with Bumble's central")
    struct PeripheralWithBumbleCentralTests {
        /// Scan, connect, MTU, discovery, every read and write, notifications, indications, a channel, parameters from
        /// both sides, Service Changed, the end from both sides, reconnection.
        @Test("passes every check", .timeLimit(.minutes(1)), arguments: PeerAir.available)
        func everyCheck(air: PeerAir) async throws {
            try await air.withSeats { seats in
                try await BenchDevice.with(on: seats.ours, options: seats.options) { device in
                    let events = device.peripheral.events
                    let checks = try await CentralChecks.run(
                        on: seats.theirs,
                        ["--all", "--without", Self.impossible(on: air), "--name", device.peripheral.name]
                            + ["--strict", "permissions"])
                    #expect(checks.verdicts.count > 25)
                    for verdict in checks.verdicts where !verdict.passed { Issue.record("\(verdict)") }
                    guard checks.failed.isEmpty else { return }
                    // The side that ends a link receives 0x16; Bumble's controllers report the other side's reason to
                    // their host.
                    try await expectVisits(
                        events, firstEnd: air == .bumble ? .remoteUserTerminated : .localHostTerminated)
                    #expect(await device.peripheral.centrals.isEmpty)
                    #expect(device.peripheral.droppedWrites == 0)
                }
            }
        }

        /// Returns the features that the controllers lack; see `Tests/Peers/README.md`.
        private static func impossible(on air: PeerAir) -> String {
            switch air {
            case .own: ""
            case .bumble: "rssi,data-length,phy"
            case .rootCanal: "data-length"
            }
        }

        /// Bumble connects three times: the first link is ended by us, the others by Bumble.
        private func expectVisits(_ events: BluetoothStream<LocalPeripheral.Event>, firstEnd: HCIStatus) async throws {
            var ends: [BluetoothError.Code] = []
            for try await event in events {
                if case .disconnected(_, let error) = event { ends.append(error.code) }
                if ends.count == 3 { break }
            }
            #expect(ends == [firstEnd, .remoteUserTerminated, .remoteUserTerminated].map { .disconnected($0) })
        }
    }
}
#endif
