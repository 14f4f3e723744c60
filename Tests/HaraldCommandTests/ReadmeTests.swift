#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// The program of the README, as its readers run it.
@Suite(.serialized, .timeLimit(.minutes(2))) final class ReadmeTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func pulse(_ adapter: String) throws -> PeerProcess {
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return try PeerProcess(
            directory.appendingPathComponent("Pulse").path, [],
            environment: ["HARALD_ADAPTER": adapter, "XDG_RUNTIME_DIR": runtime.path], separatesErrors: true)
    }

    @Test func theCodeOfTheReadmeIsTheExample() throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let code = try String(contentsOf: root.appendingPathComponent("Examples/Pulse/main.swift"), encoding: .utf8)
        let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(text.contains("```swift\n" + code + "```"))
    }

    @Test func withoutAnAdapterTheExampleReportsIt() async throws {
        let program = try pulse("unix:\(runtime.path)/nobody.sock")
        var lines: [String] = []
        for await line in program.lines { lines.append(line.text) }
        guard case .status(1) = await program.exit() else {
            Issue.record("\(program.errors)")
            return
        }
        #expect(lines.count == 1 && lines[0].contains("nobody.sock"), "\(lines)")
        #expect(!program.errors.contains("Fatal error"), "\(program.errors)")
    }

    /// The link is lost; afterwards heart rates arrive again.
    @Test func theExampleReconnectsToAStrap() async throws {
        let scene = runtime.appendingPathComponent("strap.yaml")
        let strap = """
            name: Strap
            advertise: {services: [180D]}
            disconnectAfter: 2 s
            services:
              - uuid: 180D
                characteristics:
                  - {uuid: 2A37, properties: [notify], value: {hex: "00 48"}, notifyEvery: 200 ms}
            """
        try Data(strap.utf8).write(to: scene)
        let air = try ProgramProcess("air \(scene.path) --json", runtime: runtime)
        defer { air.signal(SIGKILL) }
        var events = air.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let program = try pulse("virtual:")
        defer { program.signal(SIGKILL) }
        var beats = program.lines.makeAsyncIterator()
        #expect(await beats.next()?.text.hasSuffix("bpm") == true)
        var connections = 0
        while connections < 3, let event = await events.next() {
            if event.contains(#""event":"connected""#) { connections += 1 }
        }
        #expect(connections == 3)
        // More values than one link delivers.
        for _ in 0..<25 { #expect(await beats.next()?.text == "72 bpm") }
    }

    /// The loss of the adapter ends the program, with the reason.
    @Test func theExampleEndsWithTheAdapter() async throws {
        let scene = runtime.appendingPathComponent("beats.yaml")
        let strap = """
            name: Strap
            advertise: {services: [180D]}
            services:
              - uuid: 180D
                characteristics:
                  - {uuid: 2A37, properties: [notify], value: {hex: "00 48"}, notifyEvery: 200 ms}
            """
        try Data(strap.utf8).write(to: scene)
        let air = try ProgramProcess("air \(scene.path) --json", runtime: runtime)
        defer { air.signal(SIGKILL) }
        var events = air.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let program = try pulse("virtual:")
        defer { program.signal(SIGKILL) }
        var lines = program.lines.makeAsyncIterator()
        #expect(await lines.next()?.text == "72 bpm")
        air.signal(SIGKILL)
        var last = ""
        while let line = await lines.next() { last = line.text }
        guard case .status(1) = await program.exit() else {
            Issue.record("\(program.errors)")
            return
        }
        #expect(!last.hasSuffix("bpm") && last.contains("Strap"), "\(last)")
    }
}
#endif
