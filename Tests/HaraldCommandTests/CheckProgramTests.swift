#if os(Linux)
import Foundation
import Testing

/// `harald check` as a process of its own.
@Suite("harald check, as a program", .timeLimit(.minutes(3)))
final class CheckProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func run(_ arguments: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run("check " + arguments, runtime: runtime)
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }

    /// An air with a device whose Battery Level is out of range.
    private func scene() throws -> String {
        let device = runtime.appendingPathComponent("device.yaml")
        let services = "services: [{uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], value: {u8: 130}}]}]"
        try Data("name: Cell\n\(services)\n".utf8).write(to: device)
        let scene = runtime.appendingPathComponent("scene.yaml")
        try Data("name: cells\ndevices: [{file: \(device.path)}]\n".utf8).write(to: scene)
        return "--adapter virtual:\(scene.path)"
    }

    @Test("The list has the keys of the contract")
    func list() async throws {
        let result = try await run("--list --json")
        #expect(result.status == 0 && result.lines.count >= 120, "\(result.errors)")
        for line in result.lines {
            let rule = try object(line)
            #expect(rule["rule"] is String && rule["section"] is String && rule["writes"] is Bool, "\(line)")
            #expect(["error", "warning"].contains(rule["severity"] as? String), "\(line)")
            #expect(rule["test"] is String || rule["test"] is NSNull, "\(line)")
        }
    }

    @Test("Findings, the summary, the baseline and JUnit")
    func findings() async throws {
        let air = try scene()
        let (known, report) = (runtime.path + "/known.json", runtime.path + "/report.xml")
        let rules = "--rule bas-level-range --rule gap-name --rule sm-pair"
        let first = try await run("cell \(air) \(rules) --json --write-baseline \(known) --junit \(report)")
        #expect(first.status == 1, "\(first.errors)")
        try #require(first.lines.count == 2, "\(first.lines)")
        let finding = try object(first.lines[0])
        #expect(finding["rule"] as? String == "bas-level-range" && finding["severity"] as? String == "error")
        #expect(finding["handle"] is Int && finding["evidence"] as? String == "82" && finding["section"] is String)
        let summary = try #require(try object(first.lines[1])["summary"] as? [String: Any])
        #expect(summary["run"] as? Int == 2 && summary["passed"] as? Int == 1 && summary["findings"] as? Int == 1)
        let notRun = try #require(summary["notRun"] as? [[String: String]])
        #expect(notRun.map { $0["rule"] } == ["sm-pair"] && notRun.first?["reason"] == "requires the permission 'pair'")
        #expect(try String(contentsOfFile: report, encoding: .utf8).contains("failures=\"1\""))
        let second = try await run("cell \(air) \(rules) --json --baseline \(known)")
        #expect(second.status == 0 && second.lines.count == 1, "\(second.lines) \(second.errors)")
        let text = try await run("cell \(air) \(rules)")
        #expect(text.status == 1 && text.lines.contains("ERRORS"), "\(text.lines)")
        #expect(text.lines.last?.contains("1 error, 0 warnings by 2 rules; 1 passed, 1 not run") == true)
        let one = try await run("cell \(air) --rule bas-level-range")
        #expect(one.lines.last?.contains("by 1 rule; 0 passed") == true, "\(one.lines)")
    }

    @Test("An interrupted check prints and reports what it found")
    func interruption() async throws {
        let simulate = try ProgramProcess("simulate polar-h7 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let (report, known) = (runtime.path + "/report.xml", runtime.path + "/known.json")
        let check = try ProgramProcess(
            "check polar --json --junit \(report) --write-baseline \(known) --adapter virtual:", runtime: runtime)
        defer { check.signal(SIGKILL) }
        while let event = await events.next(), !event.contains(#""event":"connected""#) {}
        check.signal(SIGINT)
        var lines: [String] = []
        for await line in check.lines { lines.append(line) }
        let end = await check.end
        #expect(end.status == 130 && end.errors.contains("interrupted: "), "\(end.errors)")
        let summary = try #require(try object(lines.last ?? "")["summary"] as? [String: Any], "\(lines)")
        #expect(summary["interrupted"] as? Bool == true)
        let notRun = try #require(summary["notRun"] as? [[String: String]])
        #expect(notRun.contains { $0["reason"] == "interrupted" })
        #expect(try String(contentsOfFile: report, encoding: .utf8).contains("<skipped message=\"interrupted\"/>"))
        // Findings of a part of the rules are no baseline.
        #expect(!FileManager.default.fileExists(atPath: known))
    }

    @Test(
        "Wrong command lines are refused with a reason",
        arguments: [
            ("", 64, "DEVICE"), ("x --list", 64, "cannot be combined"), ("x --passkey 12", 64, "six digits"),
            ("x --rule nonsense", 64, "nonsense"), ("x --fail-on never", 64, "--fail-on"),
            ("x --writes --adapter virtual:empty", 64, "consent to --writes; --yes"),
            ("x --hostile --adapter virtual:empty", 64, "consent to --hostile; --yes"),
            ("x --baseline /nowhere --adapter virtual:empty", 66, "/nowhere"),
            ("x --junit /nowhere/a.xml --adapter virtual:empty", 1, "cannot write /nowhere/a.xml: No such file"),
            ("x --write-baseline / --adapter virtual:empty", 1, "cannot write /: Is a directory"),
        ])
    func refusals(_ arguments: String, _ status: Int32, _ word: String) async throws {
        let result = try await run(arguments)
        #expect(result.status == status && result.errors.contains(word), "\(result)")
    }
}
#endif
