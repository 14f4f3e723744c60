#if os(Linux)
import Foundation
import PeerSupport
import Testing

extension PeerSuites {
    /// The program on Bumble's controllers with nothing but their addresses, as people begin.
    @Suite("The program on unmodified Bumble controllers")
    struct PlainBumbleTests {
        private static func harald(_ arguments: [String], home: URL) throws -> PeerProcess {
            let directory = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            let program = try #require(
                ["harald", "HaraldCommand"].map { directory.appending(path: $0).path() }
                    .first { FileManager.default.isExecutableFile(atPath: $0) })
            return try PeerProcess(
                program, arguments,
                environment: [
                    "HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": home.path(), "XDG_DATA_HOME": home.path(),
                ], separatesErrors: true)
        }

        private static func read(_ device: String, port: Int, home: URL) async throws {
            let process = try harald(
                ["read", device, "180F/2A19", "--adapter", "tcp:127.0.0.1:\(port)", "--timeout", "5"], home: home)
            var lines: [String] = []
            for await line in process.lines { lines.append(line.text) }
            guard case .status(0) = await process.exit() else {
                Issue.record("\(lines) \(process.errors)")
                return
            }
            #expect(lines.count == 1 && lines[0].hasPrefix("Battery Level: "), "\(lines)")
        }

        private static func withHome(_ body: (URL) async throws -> Void) async throws {
            let home = FileManager.default.temporaryDirectory.appending(path: "harald-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }
            try await body(home)
        }

        @Test("reads a value of Bumble's peripheral", .timeLimit(.minutes(1)))
        func central() async throws {
            try await Self.withHome { home in
                try await Peers.withBumbleControllers { ports in
                    try await Peers.with(.peripheral, ["tcp-client:127.0.0.1:\(ports[1])"]) { _, _ in
                        try await Self.read(BenchVisit.name, port: ports[0], home: home)
                    }
                }
            }
        }

        @Test("simulates a device, and reads a value of it", .timeLimit(.minutes(1)))
        func peripheral() async throws {
            try await Self.withHome { home in
                try await Peers.withBumbleControllers { ports in
                    let device = try Self.harald(
                        ["simulate", "polar-h7", "--adapter", "tcp:127.0.0.1:\(ports[1])"], home: home)
                    for await line in device.lines where line.text.contains("on the air") { break }
                    try await Self.read("polar", port: ports[0], home: home)
                    await device.terminate()
                }
            }
        }
    }
}
#endif
