#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Testing
import VirtualBluetooth

/// The controllers of a test in which a host of this package meets one of Bumble.
enum PeerAir: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case own = "our air"
    case bumble = "Bumble's controllers"
    case rootCanal = "RootCanal"

    /// Two controllers on one air.
    struct Seats: Sendable {
        /// The adapter for our host.
        let ours: Adapter
        let options: AdapterOptions
        /// The one for Bumble's host, as Bumble names it.
        let theirs: String
    }

    /// Those that run on this machine. RootCanal's package has a program for x86-64 only.
    static let available = allCases.filter { $0 != .rootCanal || Peers.isRootCanalAvailable }

    /// The controllers that comply with the specification. The faults of Bumble's controllers are listed in
    /// `Tests/Peers/README.md`.
    static let faithful = available.filter { $0 != .bumble }

    var testDescription: String { rawValue }

    /// Sets up two controllers while the body runs.
    func withSeats<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Seats) async throws -> sending Result
    ) async throws -> sending Result {
        // Tests never write the user's store. `HARALD_PEER_CAPTURE=DIRECTORY` shows what went wrong, packet by packet.
        let captures = ProcessInfo.processInfo.environment["HARALD_PEER_CAPTURE"]
        var options = AdapterOptions(captureFile: captures.map { "\($0)/\(self).btsnoop" }, storage: .none)
        switch self {
        case .own:
            return try await OfferedAir.with { air in
                try await body(Seats(ours: air.radio.adapter(), options: options, theirs: air.controller))
            }
        case .bumble:
            // These controllers send data with the random address, whichever is advertised.
            options.address = .randomStatic(BluetoothAddress(value: 0xF3_00_00_00_00_01, kind: .random))
            return try await Peers.withBumbleControllers { ports in
                try await body(
                    Seats(
                        ours: Adapter("tcp:127.0.0.1:\(ports[0])"), options: options,
                        theirs: "tcp-client:127.0.0.1:\(ports[1])"))
            }
        case .rootCanal:
            return try await Peers.withRootCanal { port in
                try await body(
                    Seats(
                        ours: Adapter("tcp:127.0.0.1:\(port)"), options: options,
                        theirs: "tcp-client:127.0.0.1:\(port)"))
            }
        }
    }
}
#endif
