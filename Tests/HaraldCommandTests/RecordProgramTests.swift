#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// A session of `harald explore` that was recorded runs as a script.
@Suite(.serialized, .timeLimit(.minutes(3))) final class RecordProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func start(_ arguments: String) throws -> TerminalProcess {
        try TerminalProcess(
            try ProgramProcess.executable(), arguments.split(separator: " ").map(String.init), columns: 100, rows: 60,
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

    @Test func sessionOfTheExplorerRunsAsAScript() async throws {
        let device = runtime.appendingPathComponent("lock.yaml").path
        try Data(
            """
            name: Lock
            passkey: 123456
            services:
              - uuid: FFE0
                characteristics:
                  - {uuid: FFE1, properties: [read], value: {u8: 42}, security: authenticated}
            """.utf8
        ).write(to: URL(fileURLWithPath: device))
        let script = runtime.appendingPathComponent("script.yaml").path
        let terminal = try start("explore --adapter virtual:\(device) --record \(script)")
        try await see("Lock", on: terminal)
        terminal.type("c")
        try await see("FFE1", on: terminal)
        terminal.type("R")
        try await see("six digits", on: terminal)
        terminal.type("123456\r")
        try await see("2A", on: terminal)
        terminal.type("q")
        #expect(await terminal.exit == .status(0))
        let text = try String(contentsOfFile: script, encoding: .utf8)
        #expect(text.contains("{read: \"FFE0/FFE1\", expect: \"2A\"}") && !text.contains("123456"), "\(text)")
        #expect(text.contains("passkey: \"${passkey}\"") && text.contains("device: \"Lock\""))
        let run = try await ProgramProcess.run(
            "run \(script) --set passkey=123456 --json --adapter virtual:\(device)", runtime: runtime)
        #expect(run.status == 0, "\(run.errors)\n\(text)")
        // An existing file is not replaced.
        let again = try await ProgramProcess.run(
            "serve --record \(script) --adapter virtual:empty --no-browser", runtime: runtime)
        #expect(again.status == 64 && again.errors.contains("already exists"), "\(again.errors)")
    }

    @Test func errorsAndValuesAreRecorded() async throws {
        let script = runtime.appendingPathComponent("script.yaml").path
        let terminal = try start("explore --adapter virtual: --filter polar --record \(script)")
        try await see("Polar", on: terminal)
        terminal.type("c")
        try await see("Battery Level", on: terminal)
        terminal.type("R")
        try await see("85 %", on: terminal)
        terminal.type("q")
        #expect(await terminal.exit == .status(0))
        let run = try await ProgramProcess.run("run \(script) --json --adapter virtual:", runtime: runtime)
        let text = try String(contentsOfFile: script, encoding: .utf8)
        #expect(run.status == 0 && run.lines.count > 10, "\(run.errors)\n\(text)")
    }
}
#endif
