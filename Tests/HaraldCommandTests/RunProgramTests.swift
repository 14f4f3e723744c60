#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// `harald run` and `harald stress` as continuous integration uses them.
@Suite(.serialized, .timeLimit(.minutes(5))) final class RunProgramTests {
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

    private func objects(_ lines: [String]) throws -> [[String: Any]] {
        try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    @Test func stepsPassAndAreReported() async throws {
        let script = try file(
            "a.yaml",
            """
            steps: [{connect: polar}, {read: 180F/2A19, expect: {u8: {min: 1}}}, {wait: 2A37, within: 20 s}, \
            {write: 2A39, value: "02", expect: {error: 0x80}}]
            """)
        let report = runtime.appendingPathComponent("r.xml").path
        let result = try await run("run \(script) --json --junit \(report) --adapter virtual:")
        #expect(result.status == 0, "\(result.errors)")
        let steps = try objects(result.lines)
        #expect(steps.map { $0["action"] as? String } == ["connect", "read", "wait", "write"])
        #expect(steps.allSatisfy { $0["result"] as? String == "passed" && $0["line"] as? Int == 1 })
        #expect(steps[1]["expected"] as? String == "u8 from 1" && steps[1]["got"] as? String == "85 %  (55)")
        for key in ["seconds", "expected", "got"] { #expect(steps.allSatisfy { $0.keys.contains(key) }) }
        let xml = try String(contentsOfFile: report, encoding: .utf8)
        #expect(xml.contains("<testsuite name=\"a\" tests=\"4\" failures=\"0\""))
    }

    /// A wait can be expected to fail, and a value to stay absent.
    @Test(
        arguments: [
            ("{wait: FFF1, within: 0.2 s, expect: {error: timeout}}", 0, "no value in 0.2 s"),
            ("{wait: FFF1, within: 0.2 s, count: 0}", 0, "none in 0.2 s"),
            ("{wait: FFF1, within: 0.2 s}", 1, "no value in 0.2 s"),
            ("{simulate: 'notify FFF1 u8:7'}, {wait: FFF1, within: 5 s, count: 0}", 1, "07"),
            (
                "{simulate: 'notify FFF1 u8:7'}, {wait: FFF1, within: 0.2 s, count: 0, expect: {u8: 8}}", 0,
                "none in 0.2 s"
            ),
            ("{simulate: 'notify FFF1 u8:7'}, {wait: FFF1, within: 5 s, expect: {error: timeout}}", 1, "no error: 07"),
            ("disconnect", 0, ""),
        ] as [(String, Int32, String)])
    func absentValuesAreExpected(_ steps: String, _ status: Int32, _ got: String) async throws {
        let script = try file(
            "absent.yaml",
            """
            devices:
              - device:
                  name: Quiet
                  services:
                    - {uuid: FFF0, characteristics: [{uuid: FFF1, properties: [read, notify], value: {u8: 5}}]}
            steps: [{connect: Quiet}, {subscribe: FFF1}, \(steps)]
            """)
        let result = try await run("run \(script) --json")
        #expect(result.status == status, "\(result.lines) \(result.errors)")
        let last = try objects(result.lines).last?["got"] as? String ?? ""
        #expect(got.isEmpty || last.contains(got), "\(result.lines)")
    }

    @Test func aTreeHasBothNames() async throws {
        let scene = try file(
            "names.yaml", "devices: [{device: {name: Long Name, advertise: {name: Short}, services: []}}]")
        let text = try await run("tree short --adapter virtual:\(scene)")
        #expect(
            text.lines.first?.hasPrefix("Short  (Device Name 'Long Name')  ") == true, "\(text.lines) \(text.errors)")
        let object = try objects(try await run("tree short --json --adapter virtual:\(scene)").lines).first
        #expect(object?["advertisedName"] as? String == "Short" && object?["deviceName"] as? String == "Long Name")
    }

    /// Only devices that solicit the service are shown.
    @Test func aScanSelectsBySolicitedServices() async throws {
        let scene = try file(
            "solicits.yaml",
            """
            devices:
              - device: {name: Asks, advertise: {solicitedServices: [1805]}, services: []}
              - device: {name: Other, services: []}
            """)
        let result = try await run("scan --solicited 1805 --timeout 2 --json --adapter virtual:\(scene)")
        #expect(try objects(result.lines).map { $0["name"] as? String } == ["Asks"], "\(result.errors)")
    }

    @Test func onlyAnAdapterOfBlueZIsSwitched() async throws {
        let result = try await run("power off --adapter virtual:empty")
        #expect(result.status == 1 && result.errors.contains("cannot be switched off"), "\(result.errors)")
    }

    @Test func devicesOfTheScriptVariablesAndBlocksWork() async throws {
        let script = try file(
            "b.yaml",
            """
            variables: {count: 2}
            timeout: 30 s
            adapters: {second: "virtual:"}
            devices:
              - polar-h7
              - device:
                  name: Lamp
                  services:
                    - uuid: FFE0
                      characteristics: [{uuid: FFE1, properties: [read, write, notify], value: {u8: 1}}]
            steps:
              - {scan: {service: 180D}, save: strap}
              - {connect: "${strap}", as: strap}
              - {discover: , expect: [180F/2A19, 180D/2A37]}
              - {read: 180A/2A29, expect: {text: "Polar Electro Oy"}, save: {maker: text}}
              - {connect: lamp, on: second, as: lamp}
              - parallel:
                - - {wait: 2A37, count: "${count}", device: strap}
                - - {subscribe: FFE1, device: lamp}
                  - {simulate: 'notify lamp FFE1 u8:7'}
                  - {wait: FFE1, device: lamp, expect: {u8: 7}}
              - repeat: "${count}"
                as: turn
                steps: [{write: FFE1, device: lamp, value: "u8:${turn}"}, {read: FFE1, device: lamp, save: last}]
              - {read: FFE1, device: lamp, expect: "${last}"}
              - each: [180F/2A19, 180A/2A29]
                as: path
                steps: [{read: "${path}", device: strap}]
              - {read: 2A99, device: strap, expect: {error: notFound}}
              - {disconnect: strap}
              - {read: 2A19, device: strap, expect: {error: notConnected}}
              - {print: "made by ${maker}"}
            """)
        let result = try await run("run \(script) --json")
        #expect(result.status == 0, "\(result.errors)\n\(result.lines.joined(separator: "\n"))")
        let steps = try objects(result.lines)
        #expect(steps.count { $0["action"] as? String == "write" } == 2)
        #expect(result.errors.contains("made by Polar Electro Oy"))
    }

    @Test func pairingUsesThePasskeyWithoutPrintingIt() async throws {
        let lock = """
            devices:
              - device:
                  name: Lock
                  passkey: 123456
                  services:
                    - uuid: FFE0
                      characteristics: [{uuid: FFE1, properties: [read], value: {u8: 42}, security: authenticated}]
            timeout: 30 s
            steps:
              - {connect: lock}
              - {read: FFE1, expect: {error: 0x05}}
              - {pair: {passkey: "${digits}"}}
              - {read: FFE1, expect: {u8: 42}}
            """
        let script = try file("lock.yaml", lock)
        let right = try await run("run \(script) --json --set digits=123456")
        #expect(right.status == 0, "\(right.errors)\n\(right.lines)")
        #expect(!right.lines.contains { $0.contains("123456") })
        let wrong = try await run("run \(script) --json --set digits=000001")
        #expect(wrong.status == 1, "\(wrong.errors)")
    }

    @Test(arguments: [
        ("{read: 180F/2A19, expect: {u8: 7}}", 1, "expected u8 7, got 85 %"),
        ("{wait: 2A37, within: 3 s, expect: {u8: 255}}", 1, "0 of"),
        ("{write: 2A39, value: \"01\", expect: {error: 0x03}}", 1, "no error"),
        ("{write: 2A39, value: \"02\"}", 1, "0x80"), ("{read: 2A99}", 66, "no characteristic 2A99"),
        ("{connect: nobody, within: 1 s}", 66, "device 'nobody' was not found"),
        ("{read: 2A19, expect: {u9: 1}}", 65, ":3:"),
    ])
    func failuresHaveTheirExitStatus(_ step: String, _ status: Int32, _ message: String) async throws {
        let script = try file("c.yaml", "steps:\n  - {connect: polar}\n  - \(step)\n  - {sleep: 1 ms}\n")
        let result = try await run("run \(script) --json --adapter virtual:")
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
        guard status != 65 else { return #expect(result.lines.isEmpty) }
        let last = try #require(try objects(result.lines).last)
        #expect(last["result"] as? String == "skipped")
        // With `--keep-going` the last step runs too.
        let all = try await run("run \(script) --json --keep-going --adapter virtual:")
        #expect(all.status == status)
        #expect(try objects(all.lines).last?["result"] as? String == "passed")
    }

    @Test func scriptsThatCannotStartHaveTheirExitStatus() async throws {
        #expect(try await run("run \(runtime.path)/gone.yaml").status == 66)
        let script = try file("d.yaml", "adapter: tcp:127.0.0.1:1\nsteps: [{connect: x}]\n")
        #expect(try await run("run \(script)").status == 69)
        #expect(try await run("run \(script) --check").status == 0)
        #expect(try await run("run \(script) --set x").status == 64)
        #expect(try await run("run \(script) --check --set x=1").errors.contains("no variable 'x'"))
        let slow = try file("e.yaml", "steps: [{sleep: 60 s}]\n")
        #expect(try await run("run \(slow) --timeout 3 --adapter virtual:").status == 75)
        let missing = try file("g.yaml", "devices: [./gone.yaml]\nsteps: [{connect: x}]\n")
        #expect(try await run("run \(missing)").status == 66)
        let empty = try await run("run \(try file("empty.yaml", ""))")
        #expect(empty.status == 65 && empty.errors.contains("a script requires"), "\(empty.errors)")
        let report = try await run("run \(slow) --junit /nonexistent/r.xml --adapter virtual:")
        #expect(report.status == 1 && report.lines.isEmpty, "\(report.lines)")
        #expect(report.errors.contains("cannot write /nonexistent/r.xml: No such file"), "\(report.errors)")
    }

    @Test func aTimeoutNamesTheStepThatWasRunning() async throws {
        let script = try file("t.yaml", "steps:\n- repeat: 3\n  steps: [{sleep: 600 s}]\n- {print: late}\n")
        let report = runtime.appendingPathComponent("t.xml").path
        let result = try await run("run \(script) --timeout 5 --json --junit \(report) --adapter virtual:")
        #expect(result.status == 75)
        #expect(result.errors.contains("t.yaml:3: sleep 600 s: not finished in 5 s"), "\(result.errors)")
        let steps = try objects(result.lines)
        let sleep = try #require(steps.first { $0["action"] as? String == "sleep" })
        #expect(sleep["result"] as? String == "failed" && sleep["line"] as? Int == 3)
        #expect((sleep["got"] as? String)?.contains("--timeout") == true, "\(sleep)")
        #expect(steps.last?["result"] as? String == "skipped", "\(steps)")
        let xml = try String(contentsOfFile: report, encoding: .utf8)
        #expect(xml.contains("name=\"sleep 600 s\"") && xml.contains("errors=\"1\""), "\(xml)")
    }

    // MARK: A lost adapter

    /// Runs a command with a device on an air that ends at the first event of this name.
    private func whileTheAirEnds(
        _ arguments: String, at name: String
    ) async throws -> (end: ProgramProcess.End, lines: [String]) {
        let simulate = try ProgramProcess("simulate polar-h7 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let process = try ProgramProcess(arguments, runtime: runtime)
        defer { process.signal(SIGKILL) }
        while let event = await events.next(), !event.contains("\"event\":\"\(name)\"") {}
        simulate.signal(SIGKILL)
        var lines: [String] = []
        for await line in process.lines { lines.append(line) }
        return (await process.end, lines)
    }

    @Test func aLostAdapterEndsTheScript() async throws {
        let script = try file(
            "l.yaml",
            "steps: [{connect: polar}, {repeat: 100000, steps: [{read: 2A19}, {sleep: 20 ms}]}, {read: 2A38}]\n")
        let (end, lines) = try await whileTheAirEnds("run \(script) --keep-going --json --adapter virtual:", at: "read")
        #expect(end.status == 69, "\(end.errors)")
        #expect(end.errors.contains("the adapter is no longer available: unix:"), "\(end.errors)")
        let failed = try objects(lines.suffix(5)).filter { $0["result"] as? String == "failed" }
        #expect(failed.contains { ($0["got"] as? String)?.contains("no longer available") == true }, "\(failed)")
        // Without an adapter no other step can pass.
        let last = try #require(lines.last.map { try objects([$0]) }?.first)
        #expect(last["action"] as? String == "read" && last["result"] as? String == "skipped")
    }

    @Test func aLostAdapterEndsTheStressTest() async throws {
        let (end, lines) = try await whileTheAirEnds(
            "stress polar --for 600 --json --adapter virtual:", at: "disconnected")
        #expect(end.status == 69, "\(end.errors)")
        #expect(end.errors.contains("the adapter is no longer available: unix:"), "\(end.errors)")
        // The measurements before the loss are printed.
        let summary = try #require(try objects(lines).first)
        #expect(summary["away"] as? Bool == false && summary["links"] as? Int ?? 0 > 0)
    }

    @Test func interruptedScriptEndsAndIsReported() async throws {
        let script = try file("f.yaml", "steps: [{connect: polar}, {print: here}, {sleep: 600 s}]\n")
        let report = runtime.appendingPathComponent("r.xml").path
        let process = try ProgramProcess("run \(script) --junit \(report) --adapter virtual:", runtime: runtime)
        defer { process.signal(SIGKILL) }
        for await line in process.lines where line.contains("here") { break }
        process.signal(SIGINT)
        #expect(await process.end.status == 130)
        #expect(try String(contentsOfFile: report, encoding: .utf8).contains("interrupted"))
    }

    // MARK: Stress

    @Test func operationsUnderLoadAreMeasured() async throws {
        let result = try await run("stress gadget --for 3 --write FFF0/FFF1 --json --adapter virtual:")
        #expect(result.status == 0, "\(result.errors)\n\(result.lines)")
        let summary = try #require(try objects(result.lines).first)
        let operations = try #require(summary["operations"] as? [String: [String: Any]])
        #expect((summary["links"] as? Int ?? 0) > 1 && summary["losses"] as? Int == 0)
        #expect((operations["connect"]?["count"] as? Int ?? 0) > 0 && operations["connect"]?["failures"] as? Int == 0)
        #expect((operations["read"]?["median"] as? Double ?? 0) > 0)
        #expect((summary["failures"] as? [Any])?.isEmpty == true)
    }

    @Test func theTestEndsIfTheDeviceCanNoLongerBeConnected() async throws {
        let scene = try file("dies.yaml", "devices: [{device: polar-h7, faults: {silentAfter: 10 s}}]")
        let result = try await run("stress polar --for 600 --timeout 1 --json --adapter virtual:\(scene)")
        #expect(result.status == 1 && result.errors.contains("can no longer be connected"), "\(result.errors)")
        let summary = try #require(try objects(result.lines).first)
        #expect(summary["away"] as? Bool == true)
        #expect((summary["failures"] as? [[String: Any]])?.contains { $0["kind"] as? String == "timeout" } == true)
        #expect(try await run("stress nobody --for 1 --timeout 1 --adapter virtual:empty").status == 66)
    }
}
#endif
