#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// `harald replay`: the device of a capture stands in for the real one.
@Suite(.serialized, .timeLimit(.minutes(5))) final class ReplayProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = runtime.appendingPathComponent(name)
        try Data(text.utf8).write(to: path)
        return path.path
    }

    private func run(_ line: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run(line, runtime: runtime)
    }

    private static let script = """
        timeout: 30 s
        steps: [{connect: polar}, {discover: }, {read: 180F/2A19, expect: {u8: 85}}, \
        {read: 180A/2A29, expect: {text: Polar Electro Oy}}, {subscribe: 2A37}, {wait: 2A37, count: 2}, \
        {write: 2A39, value: "02", expect: {error: 0x80}}, {write: 2A39, value: "01"}]
        """

    /// A capture of the script on the strap.
    private func capture() async throws -> (capture: String, script: String) {
        let (capture, script) = (runtime.appendingPathComponent("c.btsnoop").path, try file("s.yaml", Self.script))
        let result = try await run("run \(script) --capture \(capture) --adapter virtual:")
        try #require(result.status == 0, "\(result.errors)\n\(result.lines)")
        return (capture, script)
    }

    @Test func capturedDeviceStandsInForTheRealOne() async throws {
        let (capture, script) = try await capture()
        let device = try ProgramProcess("replay \(capture) --json", runtime: runtime)
        defer { device.signal(SIGKILL) }
        var events = device.lines.makeAsyncIterator()
        try #require(await events.next()?.contains("offered") == true)
        // Each connection begins anew.
        for _ in 0..<2 {
            let result = try await run("run \(script) --adapter virtual:")
            #expect(result.status == 0, "\(result.errors)\n\(result.lines)")
        }
        let same = try await run("replay \(capture) --against polar --json --adapter virtual:")
        #expect(same.status == 0, "\(same.lines.filter { $0.contains("different") })")
        device.signal(SIGTERM)
        #expect(await device.end.status == 143)
    }

    @Test func otherDeviceIsCompared() async throws {
        let (capture, _) = try await capture()
        let same = try await run("replay \(capture) --against polar --json --adapter virtual:")
        #expect(same.status == 0, "\(same.errors)\n\(same.lines.filter { $0.contains("different") })")
        #expect(same.lines.contains { $0.contains("\"action\":\"write\"") && $0.contains("0x80") })
        let other = try file(
            "other.yaml",
            """
            name: Polar H7
            services:
              - uuid: 180F
                characteristics: [{uuid: 2A19, properties: [read, notify], value: {u8: 9}}]
              - uuid: 180D
                characteristics:
                  - {uuid: 2A37, properties: [notify], value: {hex: "00 40"}, notifyEvery: 1 s}
                  - {uuid: 2A39, properties: [write]}
            """)
        let different = try await run("replay \(capture) --against polar --json --adapter virtual:\(other)")
        #expect(different.status == 1 && different.errors.contains("differences"), "\(different.errors)")
        let outcomes = try different.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let battery = outcomes.first { $0["action"] as? String == "read" && $0["path"] as? String == "180F/2A19" }
        #expect(battery?["result"] as? String == "different" && (battery?["got"] as? String)?.contains("9 %") == true)
        let missing = outcomes.first { $0["action"] as? String == "discover" && $0["path"] as? String == "180A/2A29" }
        #expect(missing?["got"] as? String == "nothing")
        let ignored = try await run(
            "replay \(capture) --against polar --ignore 2A19 --no-writes --json --adapter virtual:\(other)")
        #expect(
            !ignored.lines.contains { $0.contains("\"read\"") && $0.contains("180F/2A19") && $0.contains("different") })
        #expect(ignored.lines.contains { $0.contains("notRun") && $0.contains("2A39") })
    }

    @Test func databaseDescribesWhatTheCaptureDoesNot() async throws {
        // A client that knows the attributes discovers nothing.
        let store = runtime.appendingPathComponent("store").path
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        let (capture, _) = try await capture()
        let printed = try await run("replay \(capture) --print")
        let database = try file("database.yaml", printed.lines.joined(separator: "\n") + "\n")
        #expect(try await run("simulate --check \(database)").status == 0)
        let again = try await run("replay \(capture) --database \(database) --print")
        #expect(again.status == 0 && again.lines.contains { $0.contains("2A37") }, "\(again.errors)")
        #expect(again.lines.filter { $0.contains("handle") } == printed.lines.filter { $0.contains("handle") })
    }

    @Test func whatCannotBeReplayedIsTold() async throws {
        #expect(try await run("replay \(runtime.path)/gone.btsnoop").status == 66)
        let text = try file("text", "no capture")
        #expect(try await run("replay \(text)").status == 65)
        let (capture, _) = try await capture()
        let other = try await run("replay \(capture) --device nobody")
        #expect(other.status == 66 && other.errors.contains("Polar H7"), "\(other.errors)")
        #expect(!other.errors.contains("has , ") && !other.errors.contains(", ,"), "\(other.errors)")
        #expect(try await run("replay \(capture) --no-writes").status == 64)
        let whole = try Data(contentsOf: URL(fileURLWithPath: capture))
        let cut = runtime.appendingPathComponent("cut.btsnoop")
        try whole.prefix(whole.count - 5).write(to: cut)
        let damaged = try await run("replay \(cut.path) --print")
        #expect(damaged.status == 0 && damaged.errors.contains("offset"), "\(damaged.errors)")
    }
}
#endif
