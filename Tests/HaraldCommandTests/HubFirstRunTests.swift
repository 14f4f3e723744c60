#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// The questions of a new hub in a terminal.
@Suite("First run of a hub") struct HubFirstRunTests {
    @Test("A wrong answer is asked again, and the first answer of the hub follows", .timeLimit(.minutes(3)))
    func questions() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "harald-first-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = directory.appending(path: "hub.sqlite").path
        let arguments = ["hub", "--monitor", "virtual:clinic", "--yes", "--store", store, "--listen", "127.0.0.1:0"]
        let environment = [
            "XDG_RUNTIME_DIR": directory.path, "XDG_CONFIG_HOME": directory.path, "XDG_DATA_HOME": directory.path,
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        ]
        let terminal = try TerminalProcess(
            try ProgramProcess.executable(), arguments, columns: 200, rows: 60, environment: environment)
        defer { terminal.signal(SIGKILL) }
        for (question, answer) in [
            ("Your name:", "Anna"), ("Your date of birth", "30.4.1961"), ("not a date of birth", "1961-04-30"),
            ("diabetes?", "maybe"), ("answer y or n", "n"), ("pregnant", "no"), ("Your height", "5 foot"),
            ("not a height", "172 cm"), ("United States", ""), ("Which of them", "77"), ("answer with numbers", "1"),
        ] {
            try #require(await terminal.wait(for: question), "\(question): \(terminal.screen.text)")
            terminal.type("\(answer)\n")
        }
        // The cuff has sent its readings meanwhile.
        try #require(await terminal.wait(for: "at home, ESC 2024"), "\(terminal.screen.text)")
        #expect(await terminal.wait(for: "take a measurement now"))
    }
}
#endif
