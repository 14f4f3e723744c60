#if os(Linux)
import Foundation
import PeerSupport
import Testing

@testable import HaraldCommand

/// `harald shell` in a pseudo-terminal and in a pipe.
@Suite(.serialized, .timeLimit(.minutes(3))) final class ShellProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func start(_ arguments: String, columns: Int = 100) throws -> TerminalProcess {
        try TerminalProcess(
            try ProgramProcess.executable(), arguments.split(separator: " ").map(String.init), columns: columns,
            rows: 60,
            environment: [
                "HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path, "XDG_CONFIG_HOME": runtime.path,
                "XDG_DATA_HOME": runtime.path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
                "COLUMNS": "", "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    private func see(
        _ text: String, on terminal: TerminalProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try #require(
            await terminal.wait(for: text), "no '\(text)' in:\n\(terminal.screen.text)", sourceLocation: sourceLocation)
    }

    /// Waits for the prompt. Before it, the terminal echoes keys itself.
    private func seePrompt(
        on terminal: TerminalProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let isAtPrompt = await terminal.wait { screen in
            screen.text.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }?.hasSuffix(">") ?? false
        }
        try #require(isAtPrompt, "no prompt in:\n\(terminal.screen.text)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [60, 200]) func commandsRunOnAnOpenConnection(_ columns: Int) async throws {
        let terminal = try start("shell polar --adapter virtual: --store \(runtime.path)", columns: columns)
        try await see("connected to 'Polar H7", on: terminal)
        try await seePrompt(on: terminal)
        // An attribute and a command are completed as far as they are unique.
        terminal.type("rea\t180F/\t\r")
        try await see("Battery Level: 85 %", on: terminal)
        // At the prompt Ctrl-C is a key, which discards what was typed before it and nothing after it.
        terminal.type("raed\u{3}read 2A99\r")
        #expect(
            await terminal.wait { $0.text.replacing("\n", with: "").contains("has no characteristic 2A99") },
            "\(terminal.screen.text)")
        terminal.type("raed 2A19\r")
        try await see("did you mean 'read'?", on: terminal)
        terminal.type("sleep 600\r")
        // The cursor is below the line when it was accepted.
        #expect(
            await terminal.wait { screen in
                screen.column == 0 && screen.row > 0 && screen.text(row: screen.row - 1).hasSuffix("> sleep 600")
            })
        // Ctrl-C ends the command, not the shell. The first one has no effect if the command has not begun.
        for _ in 0..<9 where !terminal.screen.text.contains("ended") {
            terminal.type("\u{3}")
            _ = await terminal.wait(patience: .seconds(5)) { $0.text.contains("ended") }
        }
        try await see("ended", on: terminal)
        terminal.type("notify 2A37 &\r")
        try await see("[1] started", on: terminal)
        try await see("bpm", on: terminal)
        // The typed line remains intact while values are printed.
        terminal.type("stop 1")
        try await see("> stop 1", on: terminal)
        terminal.type("\r")
        // Ctrl-D is a key at the prompt only.
        try await seePrompt(on: terminal)
        terminal.type("\u{4}")
        #expect(await terminal.exit == .status(0))
        #expect(terminal.isRestored && terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        let history = try String(contentsOfFile: runtime.appendingPathComponent("shell_history").path, encoding: .utf8)
        #expect(history.contains("read 180F/2A19"), "\(history)")
    }

    @Test func historyIsRecalledAndHasNoPasskeys() async throws {
        var history = ShellHistory(directory: runtime.path)
        history.add("pair --passkey 123456")
        history.add("decode 2A19 55")
        history.add("decode 2A19 55")
        #expect(history.lines == ["decode 2A19 55"])
        history.save()
        let terminal = try start("shell --adapter virtual:empty --store \(runtime.path)")
        try await see("Ctrl-D ends the shell", on: terminal)
        terminal.type("\u{1B}[A\r")
        try await see("85 %", on: terminal)
        terminal.type("quit\r")
        #expect(await terminal.exit == .status(0))
    }

    @Test func wordsAreCompleted() {
        var completion = ShellCompletion()
        completion.devices = ["Polar H7", "Gadget"]
        completion.paths = ["180F/2A19", "180D/2A37"]
        completion.values = ["180F/2A19": "AA"]
        #expect(completion.candidates(for: "disc") == ["disconnect"])
        #expect(completion.candidates(for: "connect po") == ["\"Polar H7\""])
        #expect(completion.candidates(for: "read 180") == ["180F/2A19", "180D/2A37"])
        #expect(completion.candidates(for: "write 180F/2A19 ").prefix(2) == ["AA", "text:"])
        #expect(completion.candidates(for: "write 180F/2A19 u1") == ["u16:"])
        #expect(completion.candidates(for: "read 2A19 --ba") == ["--base64"])
        #expect(completion.candidates(for: "nothing x").isEmpty)
        #expect(ShellCompletion.common(["180F/2A19", "180D/2A37"]) == "180")
    }

    @Test func linesOfAPipeAreRun() async throws {
        let lines = "read 180F/2A19 --json\n# a comment\nread 2A99\nwrite 180D/2A39 01\nquit\nread 180A/2A29\n"
        let path = runtime.appendingPathComponent("lines")
        try Data(lines.utf8).write(to: path)
        let script = "'\(try ProgramProcess.executable())' shell polar --adapter virtual: < '\(path.path)'"
        let process = try PeerProcess(
            "/bin/sh", ["-c", script], environment: ["HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path],
            separatesErrors: true)
        var output: [String] = []
        for await line in process.lines { output.append(line.text) }
        // The status of the first command that failed; the others ran.
        #expect(await process.exit() == .status(66), "\(process.errors)")
        #expect(output.contains { $0.contains("\"hex\":\"55\"") } && output.contains { $0.hasPrefix("wrote 01") })
        #expect(!output.contains { $0.contains("Polar Electro") }, "\(output)")
    }
}
#endif
