#if os(Linux)
import BluetoothHCI
import Harald
import PeerSupport
import Testing
import VirtualBluetooth

extension PeerSuites {
    /// Our virtual controllers, with a host of Bumble's on both sides.
    @Suite("Our controllers under Bumble's hosts")
    struct ControllersUnderBumbleTests {
        @Test("every check passes, including RSSI, data length and PHY", .timeLimit(.minutes(1)))
        func everything() async throws {
            try await expectAllChecks()
        }

        @Test("every check passes at the pace of real air", .timeLimit(.minutes(1)))
        func paced() async throws {
            try await expectAllChecks(pace: .connectionInterval)
        }

        @Test(
            "an old controller with short packets passes every supported check",
            .timeLimit(.minutes(1)))
        func old() async throws {
            var configuration = VirtualControllerConfiguration()
            configuration.features = .encryption
            configuration.aclPacketLength = 27
            configuration.aclPacketCount = 2
            configuration.version = 0x06
            try await expectAllChecks(configuration, without: "data-length,phy")
        }

        @Test("extended advertising carries more data than a legacy packet", .timeLimit(.minutes(1)))
        func extendedAdvertising() async throws {
            try await expectChecks(
                ["scan", "connect", "discover", "long-read", "reconnect"],
                peripheral: ["--advertising", "extended", "--advertising-octets", "180"])
        }

        private func expectAllChecks(
            pace: AirPace = .unpaced, _ configuration: VirtualControllerConfiguration = .init(), without: String = ""
        ) async throws {
            try await expectChecks(["--all", "--without", without], pace: pace, configuration, atLeast: 25)
        }

        private func expectChecks(
            _ checks: [String], pace: AirPace = .unpaced, _ configuration: VirtualControllerConfiguration = .init(),
            peripheral: [String] = [], atLeast count: Int = 5
        ) async throws {
            try await OfferedAir.with(pace: pace, configuration) { air in
                try await Peers.with(.peripheral, [air.controller] + peripheral) { _, _ in
                    let checks = try await CentralChecks.run(on: air.controller, checks)
                    #expect(checks.verdicts.count >= count)
                    for verdict in checks.verdicts where !verdict.passed { Issue.record("\(verdict)") }
                }
            }
        }
    }
}
#endif
