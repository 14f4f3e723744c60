#if os(Linux)
import Foundation

/// The independent peers: the programs in `Tests/Peers`, run by the Python that `make peers` sets up.
package enum Peers {
    /// A program in `Tests/Peers`; the text at its beginning describes its output and its commands.
    package enum Script: String, Sendable {
        /// Bumble's controllers.
        case controllers
        /// RootCanal.
        case rootCanal = "rootcanal_server"
        /// Bumble's own classes of standard profiles, on either side.
        case profiles
        /// Health devices on Bumble's host.
        case health
        /// Bumble's host as a peripheral with the bench service.
        case peripheral
        /// Bumble's host as a central that checks a peripheral.
        case central
        /// Bumble's host in a pairing, in either role.
        case pairing
        /// Devices on Bumble's host with one fault each, and clean ones.
        case faulty
        /// A comparison of advertised values with the decoders of others.
        case advertised
        /// A mail server.
        case mailServer = "mail_server"
    }

    /// The instruction if there are none.
    package static let howToGetThem = "no independent peers: run `make peers`"

    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let environment =
        ProcessInfo.processInfo.environment["HARALD_PEERS"].map { URL(filePath: $0) }
        ?? repository.appending(path: ".build/peers")

    package static let python = environment.appending(path: "bin/python").path()

    /// True if the Python environment of the peers is complete.
    package static let areAvailable =
        FileManager.default.isExecutableFile(atPath: python)
        && FileManager.default.fileExists(atPath: environment.appending(path: "requirements.installed").path())

    /// True if RootCanal is available too: its package has a program for x86-64 only.
    package static let isRootCanalAvailable: Bool = {
        #if arch(x86_64)
        areAvailable
        #else
        false
        #endif
    }()

    /// Runs a Python program as the command of `harald bluez` on a scene.
    /// - Parameters:
    ///   - arguments: those of Python.
    ///   - options: further options of `harald bluez`.
    package static func underBlueZ(
        scene: String, _ arguments: [String], options: [String] = []
    ) throws(PeerError) -> PeerProcess {
        try underBlueZ(adapter: "virtual:\(scene)", arguments, options: options)
    }

    /// Runs a Python program as the command of `harald bluez` on an adapter.
    package static func underBlueZ(
        adapter: String, _ arguments: [String], options: [String] = []
    ) throws(PeerError) -> PeerProcess {
        try harald(["bluez", "--adapter", adapter] + options + ["--", python] + arguments)
    }

    /// The path of `harald`.
    package static let haraldProgram: String = {
        let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = ["harald", "HaraldCommand"].map { tests.appending(path: $0).path() }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        return program ?? "harald"
    }()

    /// Runs `harald`.
    package static func harald(_ arguments: [String]) throws(PeerError) -> PeerProcess {
        try PeerProcess(
            haraldProgram, arguments,
            environment: ["HARALD_ADAPTER": "", "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"])
    }

    /// The path of a file in `Tests/Peers`.
    package static func file(_ name: String) -> String { repository.appending(path: "Tests/Peers/\(name)").path() }

    /// The text of a page in `Documentation`.
    package static func page(_ name: String) throws -> String {
        try String(contentsOf: repository.appending(path: "Documentation/\(name)"), encoding: .utf8)
    }

    /// Starts a peer; it is killed when the result is released.
    package static func start(_ script: Script, _ arguments: [String] = []) throws(PeerError) -> PeerProcess {
        try PeerProcess(
            python, [repository.appending(path: "Tests/Peers/\(script.rawValue).py").path()] + arguments,
            environment: ["PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"])
    }

    /// Runs a peer while the body runs: starts it, waits until it is ready, and ends it in any case.
    ///
    /// The body receives the peer and its first event. If the body throws, the peer's lines are printed.
    package static func with<Result>(
        _ script: Script, _ arguments: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: (PeerProcess, PeerLine) async throws -> sending Result
    ) async throws -> sending Result {
        let peer = try start(script, arguments)
        do {
            let result = try await body(peer, try await peer.event("ready"))
            await peer.terminate()
            return result
        } catch {
            print("--- \(script.rawValue) printed:\n\(peer.transcript)\n---")
            await peer.terminate()
            throw error
        }
    }

    /// Runs Bumble's controllers while the body runs; it gets a TCP port of 127.0.0.1 for each.
    package static func withBumbleControllers<Result>(
        _ count: Int = 2, _ arguments: [String] = [], isolation: isolated (any Actor)? = #isolation,
        _ body: ([Int]) async throws -> sending Result
    ) async throws -> sending Result {
        try await with(.controllers, ["--count", "\(count)"] + arguments) { _, ready in
            try await body(ready["ports"]?.list?.compactMap(\.int) ?? [])
        }
    }

    /// Runs RootCanal while the body runs; every connection to the TCP port of 127.0.0.1 that it gets is a new
    /// controller.
    package static func withRootCanal<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (Int) async throws -> sending Result
    ) async throws -> sending Result {
        try await with(.rootCanal) { _, ready in
            try await body(ready["port"]?.int ?? 0)
        }
    }
}
#endif
