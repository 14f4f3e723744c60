#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// The time of a question at a terminal during pairing does not count for `--timeout`.
@Suite(.timeLimit(.minutes(3))) final class TerminalQuestionTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    @Test(arguments: [
        ("read lock FFE1", "FFE1: 01"), ("tree lock --values", "= 01"), ("notify lock FFE1 --count 1", "FFE1: 01"),
        ("pair lock --level authenticated", "paired with"),
    ])
    func theTimeOfAQuestionDoesNotCountTowardsTheTimeout(_ command: String, _ result: String) async throws {
        let path = runtime.appendingPathComponent("lock.yaml").path
        let lock = """
            name: Lock
            passkey: 123456
            services:
              - uuid: FFE0
                characteristics:
                  - {uuid: FFE1, properties: [read, notify], value: {u8: 1}, security: authenticated, notifyEvery: 1 s}
            """
        try Data(lock.utf8).write(to: URL(fileURLWithPath: path))
        let limit = 6
        let terminal = try TerminalProcess(
            try ProgramProcess.executable(),
            "\(command) --timeout \(limit) --adapter virtual:\(path)".split(separator: " ").map(String.init),
            columns: 100, rows: 60,
            environment: [
                "HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path, "XDG_CONFIG_HOME": runtime.path,
                "XDG_DATA_HOME": runtime.path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                "SWIFT_BACKTRACE": "enable=no",
            ])
        defer { terminal.signal(SIGKILL) }
        try #require(await terminal.wait(for: "the passkey that"), "\(terminal.screen.text)")
        // The person looks for the device for longer than the command may take: until another command, which is started
        // now and may take longer, ends by its timeout.
        let other = try await ProgramProcess.run(
            "read nobody FFE1 --timeout \(limit + 2) --adapter virtual:empty", runtime: runtime)
        #expect(other.status == 66 || other.status == 75, "\(other.errors)")
        terminal.type("123456\n")
        #expect(await terminal.wait(for: result), "\(terminal.screen.text)")
    }
}
#endif
