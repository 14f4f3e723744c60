#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// `harald explore` and the other screens in a pseudo-terminal: the display, keys, and the terminal afterwards.
@Suite(.serialized, .timeLimit(.minutes(3))) final class ExploreProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func start(
        _ arguments: String, columns: Int = 80, rows: Int = 60, locale: String = "C.UTF-8"
    ) throws -> TerminalProcess {
        try TerminalProcess(
            try ProgramProcess.executable(), arguments.split(separator: " ").map(String.init), columns: columns,
            rows: rows,
            environment: [
                "HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path, "XDG_CONFIG_HOME": runtime.path,
                "XDG_DATA_HOME": runtime.path, "TERM": "xterm-256color", "LC_ALL": locale, "NO_COLOR": "",
                "COLUMNS": "",
                // In a terminal the runtime of Swift asks what to do about a crash, and waits.
                "SWIFT_BACKTRACE": "enable=no",
            ])
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = runtime.appendingPathComponent(name)
        try Data(text.utf8).write(to: path)
        return path.path
    }

    /// Moves the selection down to the line with the text. It has moved each time before the next key.
    private func select(_ text: String, on terminal: TerminalProcess) async throws {
        while selection(terminal.screen)?.contains(text) != true {
            let before = selection(terminal.screen)
            terminal.type("j")
            try #require(
                await terminal.wait { selection($0) != before }, "'\(text)' is not below in:\n\(terminal.screen.text)")
        }
    }

    /// Returns the name in the selected line; the rest of the line changes by itself.
    private func selection(_ screen: TerminalEmulator) -> String? {
        screen.text.split(separator: "\n").first { $0.hasPrefix(">") }.map { String($0.prefix(12)) }
    }

    /// Waits until the text is on the screen.
    private func see(
        _ text: String, on terminal: TerminalProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try #require(
            await terminal.wait(for: text), "no '\(text)' in:\n\(terminal.screen.text)", sourceLocation: sourceLocation)
    }

    /// - Parameter wasResized: true if output for the former size may lie outside of the terminal.
    private func quit(_ terminal: TerminalProcess, wasResized: Bool = false) async {
        terminal.type("q")
        #expect(await terminal.exit == .status(0))
        #expect(terminal.isRestored, "\(terminal.screen.text)")
        #expect(wasResized || terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
    }

    @Test(arguments: [60, 80, 200])
    func aDeviceIsFoundConnectedReadAndSubscribedTo(_ columns: Int) async throws {
        let terminal = try start("explore --adapter virtual:", columns: columns)
        try await see("Polar H7 4C1A2B", on: terminal)
        // Filtered while one types, and kept.
        terminal.type("/polar\r")
        #expect(await terminal.wait { $0.text.contains("hidden by the filter") && !$0.text.contains("Gadget") })
        terminal.type("c")
        try await see("Battery Level", on: terminal)
        terminal.type("R")
        try await see("85 %", on: terminal)
        try await select("2A37", on: terminal)
        terminal.type("n")
        try await see("bpm", on: terminal)
        terminal.type("\r")
        try await see("notified", on: terminal)
        terminal.type("l")
        try await see("e export", on: terminal)
        try await see("subscribed", on: terminal)
        await quit(terminal)
    }

    @Test func withoutATerminalTheErrorSuggestsScan() async throws {
        let result = try await ProgramProcess.run("explore --adapter virtual:", runtime: runtime)
        #expect(result.status == 64 && result.errors.contains("harald scan"), "\(result.errors)")
        #expect(try await ProgramProcess.run("explore --filter rssi:loud", runtime: runtime).status == 64)
    }

    @Test func valuesAreWrittenAndInvalidOnesReported() async throws {
        let terminal = try start("explore --adapter virtual: --filter gadget")
        try await see("Gadget FFF0", on: terminal)
        terminal.type("c")
        try await see("FFF1", on: terminal)
        try await select("FFF1", on: terminal)
        terminal.type("wu16:70000")
        try await see("not a number that fits", on: terminal)
        terminal.type("\u{15}u16:500")
        try await see("2 bytes: F4 01", on: terminal)
        terminal.type("\r")
        try await see("wrote F4 01", on: terminal)
        await quit(terminal)
    }

    @Test func pairingAsksForThePasskey() async throws {
        let lock = try file(
            "lock.yaml",
            """
            name: Lock
            passkey: 123456
            services:
              - uuid: FFE0
                characteristics:
                  - {uuid: FFE1, properties: [read], value: {u8: 42}, security: authenticated}
            """)
        let terminal = try start("explore --adapter virtual:\(lock)")
        try await see("Lock", on: terminal)
        terminal.type("c")
        try await see("FFE1", on: terminal)
        try await select("FFE1", on: terminal)
        terminal.type("r")
        try await see("six digits", on: terminal)
        terminal.type("12345\r")
        try await see("a passkey must have six digits", on: terminal)
        terminal.type("6\r")
        try await see("2A", on: terminal)
        await quit(terminal)
    }

    @Test func logIsExported() async throws {
        let path = runtime.appendingPathComponent("log.csv").path
        let terminal = try start("explore --adapter virtual:")
        try await see("Polar", on: terminal)
        terminal.type("l")
        try await see("scanning started", on: terminal)
        terminal.type("e\u{15}\(path)\r")
        try await see("entries to", on: terminal)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("sequence,time,kind") && text.contains("scanning started"))
        // An existing file is not overwritten.
        terminal.type("e\u{15}\(path)\r")
        try await see("choose another file", on: terminal)
        await quit(terminal)
    }

    @Test func aLostLinkIsShownWithItsReason() async throws {
        let air = try ProgramProcess("air empty", runtime: runtime)
        defer { air.signal(SIGKILL) }
        var offers = air.lines.makeAsyncIterator()
        #expect(await offers.next()?.contains("serving") == true)
        let device = try ProgramProcess("simulate polar-h7 --json --adapter virtual:", runtime: runtime)
        defer { device.signal(SIGKILL) }
        let terminal = try start("explore --adapter virtual:")
        try await see("Polar", on: terminal)
        terminal.type("c")
        try await see("Battery Level", on: terminal)
        device.signal(SIGKILL)
        #expect(await terminal.wait { $0.text.contains("disconnected for") && $0.text.contains("the ") })
        // The known data stays visible; operations that need a link report its absence.
        #expect(terminal.screen.text.contains("Battery Level"))
        terminal.type("p")
        try await see("c connects it", on: terminal)
        await quit(terminal)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGQUIT])
    func terminalIsRestoredHoweverItEnds(_ number: Int32) async throws {
        let terminal = try start("explore --adapter virtual:")
        try await see("Polar", on: terminal)
        #expect(!terminal.isRestored)
        if number == SIGINT { terminal.type("\u{3}") } else { terminal.signal(number) }
        let exit = await terminal.exit
        #expect([SIGINT, SIGTERM, SIGHUP].contains(number) ? exit == .status(128 + number) : exit == .signal(number))
        #expect(terminal.isRestored)
    }

    @Test func aSuspendedProgramRestoresTheTerminalAndResumes() async throws {
        let terminal = try start("explore --adapter virtual:")
        try await see("Polar", on: terminal)
        terminal.type("\u{1A}")
        await terminal.untilStopped()
        #expect(await terminal.wait { !$0.isOtherScreen })
        #expect(terminal.isRestored)
        terminal.signal(SIGCONT)
        #expect(await terminal.wait { $0.isOtherScreen && $0.text.contains("Polar") && $0.text.contains("q quit") })
        await quit(terminal)
    }

    @Test func screenFollowsTheSizeOfTheTerminal() async throws {
        let terminal = try start("explore --adapter virtual:", columns: 60, rows: 10)
        try await see("Polar", on: terminal)
        terminal.resize(columns: 200, rows: 50)
        #expect(await terminal.wait { $0.text(row: 49).contains("quit") && $0.text.contains("Identifier") })
        terminal.resize(columns: 20, rows: 4)
        #expect(await terminal.wait { $0.text(row: 0).contains("harald") })
        await quit(terminal, wasResized: true)
    }

    @Test func withoutUnicodeEveryByteIsASCII() async throws {
        let terminal = try start("explore --adapter virtual:sensortags", locale: "C")
        try await see("SensorTag", on: terminal)
        terminal.type("c")
        try await see("2A00", on: terminal)
        await quit(terminal)
        #expect(terminal.isASCII)
        let tree = try start("tree polar --adapter virtual:", columns: 100, locale: "C")
        #expect(await tree.exit == .status(0))
        #expect(tree.isASCII && tree.screen.text.contains("|- ") && tree.screen.text.contains("`- "))
    }

    @Test func hostileNamesAreHarmless() async throws {
        let name = #"\e]0;x\a\e[2J\u202Egnp\u200B<b>"#
        let scene = try file("bad.yaml", "name: \"\(name)\"\nservices: [{uuid: 180F}]\n")
        let terminal = try start("explore --adapter virtual:\(scene)", columns: 120)
        try await see(#"\u{1B}]0;x"#, on: terminal)
        terminal.type("\r")
        try await see("Connectable", on: terminal)
        await quit(terminal)
    }

    @Test(arguments: [(40, ""), (60, "--distance"), (60, ""), (80, "")])
    func scanTableKeepsTheAddresses(_ columns: Int, _ option: String) async throws {
        let scene = try file("two.yaml", "devices: [{device: polar-h7}, {device: vendor-fff0}]")
        let terminal = try start("scan --timeout 1 \(option) --adapter virtual:\(scene)", columns: columns, rows: 30)
        #expect(await terminal.exit == .status(0))
        let rows = (0..<30).map { terminal.screen.text(row: $0) }
        #expect(terminal.isRestored && terminal.screen.unknown.isEmpty, "\(terminal.screen.unknown)")
        #expect(rows.count { $0.contains(/([0-9A-F]{2}:){5}[0-9A-F]{2}/) } == 2, "\(terminal.screen.text)")
        #expect(rows.contains { $0.contains("Polar H7 4C1A2B") })
        #expect(!rows.contains { !$0.isEmpty && $0.allSatisfy { "… ".contains($0) } })
    }

    @Test(arguments: [40, 80]) func dashboardIsDrawnAndLeavesTheTerminal(_ columns: Int) async throws {
        let terminal = try start("deanna --adapter virtual:sensortags", columns: columns, rows: 30)
        try await see("seen", on: terminal)
        terminal.type("\r")
        #expect(
            await terminal.wait { $0.text.contains("ambient") && $0.text.contains("°C") }, "\(terminal.screen.text)")
        await quit(terminal)
    }

    @Test func cloneIsADeviceFile() async throws {
        let path = runtime.appendingPathComponent("clone.yaml").path
        let terminal = try start("explore --adapter virtual: --filter polar")
        try await see("Polar", on: terminal)
        terminal.type("c")
        try await see("Battery Level", on: terminal)
        terminal.type("x\u{15}\(path)\r")
        try await see("runs it", on: terminal)
        await quit(terminal)
        let check = try await ProgramProcess.run("simulate --check \(path)", runtime: runtime)
        #expect(check.status == 0, "\(check.errors)")
        let read = try await ProgramProcess.run(
            "read polar 180F/2A19 --json --adapter virtual:\(path)", runtime: runtime)
        #expect(read.lines.first?.contains("\"hex\":\"55\"") == true, "\(read.errors)")
    }

    @Test func theUsersNamesAreUsedByEveryCommand() async throws {
        let names = try file("names.yaml", "FFF0: Lamp Service\nFFF1: Lamp Switch\n")
        let tree = try await ProgramProcess.run("tree gadget --adapter virtual: --names \(names)", runtime: runtime)
        #expect(
            tree.lines.contains { $0.contains("Lamp Service") } && tree.lines.contains { $0.contains("Lamp Switch") })
        let read = try await ProgramProcess.run(
            "read gadget lamp-service/lamp-switch --json --adapter virtual: --names=\(names)", runtime: runtime)
        #expect(read.status == 0 && read.lines.first?.contains("Lamp Switch") == true, "\(read.errors)")
        #expect(
            try await ProgramProcess.run("uuid FFF1 --names \(names)", runtime: runtime).lines.first?.contains("Lamp")
                == true)
        let wrong = try file("wrong.yaml", "FFF0: Lamp\nlamp: FFF1\n")
        let failed = try await ProgramProcess.run("uuid FFF1 --names \(wrong)", runtime: runtime)
        #expect(failed.status == 65 && failed.errors.contains("wrong.yaml:2:1"), "\(failed.errors)")
    }

    @Test(arguments: [
        ("--name h7", 1), ("--name 4c1a", 1), ("--service 180D", 1), ("--connectable", 2), ("--data *0215", 1),
        ("--favourite", 0), ("--min-rssi 20", 0),
    ])
    func scanHasTheFiltersOfTheExplorer(_ option: String, _ count: Int) async throws {
        let result = try await ProgramProcess.run(
            "scan --timeout 1 --json --adapter virtual: \(option)", runtime: runtime)
        #expect(result.lines.count == count, "\(result.lines) \(result.errors)")
    }
}
#endif
