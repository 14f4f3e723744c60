#if os(Linux)
import PeerSupport
import Testing

extension PeerSuites {
    /// The peers with each other. A feature that fails between them cannot be tested with this package.
    @Suite("Bumble with Bumble")
    struct BumbleWithBumbleTests {
        @Test("on Bumble's controllers, every supported check passes")
        func bumbleControllers() async throws {
            try await Peers.withBumbleControllers { ports in
                try await expectAllChecks(peripheral: ports[0], central: ports[1], without: "rssi,data-length,phy")
            }
        }

        @Test("on RootCanal, every supported check passes", .needsRootCanal)
        func rootCanal() async throws {
            try await Peers.withRootCanal { port in
                try await expectAllChecks(peripheral: port, central: port, without: "data-length")
            }
        }

        private func expectAllChecks(peripheral: Int, central: Int, without: String) async throws {
            try await Peers.with(.peripheral, ["tcp-client:127.0.0.1:\(peripheral)"]) { _, _ in
                let checks = try await CentralChecks.run(
                    on: "tcp-client:127.0.0.1:\(central)", ["--all", "--without", without])
                #expect(checks.verdicts.count > 25)
                for verdict in checks.verdicts where !verdict.passed { Issue.record("\(verdict)") }
            }
        }
    }
}
#endif
