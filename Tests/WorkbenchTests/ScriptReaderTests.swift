import Testing
import VirtualDevices

@testable import Workbench

/// Scripts are parsed correctly; errors have their position.
@Suite struct ScriptReaderTests {
    private func read(_ yaml: String, _ settings: [String: String] = [:]) throws -> Script {
        try ScriptReader(checkPath: { path in
            if path.hasPrefix("!") { throw ScriptNotFound("no characteristic is called '\(path)'") }
        }).script(yaml: yaml, file: "s.yaml", settings: settings)
    }

    private func problem(_ yaml: String) -> String {
        do {
            _ = try read(yaml)
            return "none"
        } catch { return "\(error)" }
    }

    @Test func everyKeyIsDescribedOnce() {
        for action in ScriptActionName.allCases {
            for key in action.ownKeys { #expect(FileKeys.step.names.contains(key), "\(key) of \(action)") }
        }
        for keys in FileKeys.scripts + FileKeys.deviceFiles {
            #expect(Set(keys.names).count == keys.names.count, "\(keys.what)")
            #expect(keys.keys.allSatisfy { !$0.meaning.isEmpty }, "\(keys.what)")
        }
    }

    @Test func theDocumentedFormIsParsed() throws {
        let script = try read(
            """
            steps: [{connect: polar}, {read: 180F/2A19, expect: {u8: {min: 1}}}, {wait: 2A37, within: 5 s}, \
            {write: FFF1, value: "AA BB", expect: {error: 0x03}}]
            """)
        #expect(script.steps.map(\.action) == [.connect, .read, .wait, .write])
        #expect(script.name == "s" && script.timeout == .seconds(10))
    }

    @Test(arguments: [
        ("steps:\n  - {conect: x}", "s.yaml:2:6: unknown action 'conect'; did you mean 'connect'?"),
        ("steps:\n  - {read: 2A19, expect: {u9: 3}}", "s.yaml:2:27: unknown condition 'u9'; did you mean 'u8'?"),
        ("steps:\n  - {read: \"${x}\"}", "s.yaml:2:12: unknown variable 'x'"),
        ("steps:\n  - {read: \"${x\"}", "has no '}' after it"),
        ("steps:\n  - {wait: 2A37, within: 5}", "s.yaml:2:26: within must be a duration with a unit"),
        ("steps:\n  - {read: '!x'}", "s.yaml:2:12: no characteristic is called '!x'"),
        ("steps:\n  - foo", "s.yaml:2:5: a step must be a mapping"),
        ("steps: []", "s.yaml:1:8: a script must have at least one step"),
        ("step: []", "s.yaml:1:1: unknown key 'step' in a script; did you mean 'steps'?"),
        (
            "steps:\n  - {read: 2A19, write: 2A19, value: 1}",
            "a step must have one action, but this one has read and write"
        ),
        ("steps:\n  - {connect: polar, foo: 3}", "s.yaml:2:22: unknown key 'foo'"),
        ("steps:\n  - {connect: polar, expect: 55}", "a connect can only be expected to fail"),
        ("steps:\n  - {write: 2A39, value: ZZ}", "s.yaml:2:26: 'ZZ' is not a value"),
        ("steps:\n  - {write: 2A39}", "s.yaml:2:5: 'write' requires the key 'value'"),
        ("steps:\n  - {read: 2A19, expect: {error: loud}}", "error cannot be 'loud'"),
        ("steps:\n  - {read: 2A19, expect: {u8: {min: 9, max: 1}}}", "min is greater than max"),
        ("steps:\n  - {read: 2A19, expect: {match: '['}}", "is not a valid regular expression"),
        ("steps:\n  - {repeat: 3}", "'repeat' requires the key 'steps'"),
        ("steps:\n  - {repeat: , steps: [{disconnect: }]}", "repeat must be a number of times"),
        ("steps:\n  - {connect: x, on: second}", "unknown adapter 'second'"),
        ("devices: [polar-h8]\nsteps: [{sleep: 1 s}]", "s.yaml:1:11: unknown device 'polar-h8'; did you mean"),
        ("devices: [./gone.yaml]\nsteps: [{sleep: 1 s}]", "gone.yaml: the file does not exist"),
        ("steps:\n  - {pair: {passkey: abc}}", "s.yaml:2:"), ("", "s.yaml:1:1: the file is empty"),
    ])
    func errorsNameTheirPlace(_ yaml: String, _ message: String) {
        let problem = problem(yaml)
        #expect(problem.contains(message), "\(problem)")
    }

    @Test func variablesAreReplacedAndSettingsTakePrecedence() throws {
        let yaml = """
            variables: {path: 2A19, same: "${path}"}
            timeout: 2 s
            steps:
              - {read: "${same}", within: "${time}"}
            """
        #expect(problem(yaml).contains("unknown variable 'time'"))
        let script = try read(yaml, ["time": "3 s", "path": "2A29"])
        let reader = ScriptReader(checkPath: { _ in })
        let operation = try reader.reader(script.steps[0], script.variables, script).operation()
        #expect(operation.timeout == .seconds(3) && operation.title == "2A29")
        // A variable that a step saves is checked when it has a value.
        let later = try read("steps: [{read: 2A19, save: x}, {write: 2A39, value: \"${x}\"}]")
        #expect(throws: DeviceFileError.self) {
            _ = try reader.reader(later.steps[1], ["x": "ZZ"], later).operation()
        }
        #expect(try reader.reader(later.steps[1], ["x": "01 02"], later).operation().line == 1)
        #expect(try read("steps: [{print: \"$${x}\"}]").steps.count == 1)
    }

    @Test func valuesAreCompared() throws {
        func accepts(_ expectation: String, _ bytes: [UInt8], of uuid: UInt16 = 0xFFF1) throws -> Bool {
            let script = try read("steps:\n  - {read: 2A19, expect: \(expectation)}")
            let operation = try ScriptReader(checkPath: { _ in }).reader(script.steps[0], [:], script).operation()
            guard case .value(let test) = operation.expectation else { return false }
            return test.accepts(bytes, of: .init(uuid))
        }
        #expect(try accepts("{u8: {min: 1}}", [1]))
        #expect(try !accepts("{u8: {min: 1}}", [0]))
        #expect(try !accepts("{u16: 1}", [1]))
        #expect(try accepts("{u16: 0x0201}", [1, 2]))
        #expect(try accepts("{u16be: 258, u8: {in: [3, 4]}}", [1, 2, 4]))
        #expect(try !accepts("{u16be: 258, u8: {not: 4}}", [1, 2, 4]))
        #expect(try accepts("[{skip: 1}, {i8: -1}]", [9, 0xFF]))
        #expect(try accepts("{u8: [1, {max: 3}]}", [1, 3]))
        #expect(try accepts("\"01 ?? *\"", [1, 2, 3, 4]))
        #expect(try !accepts("\"01 ??\"", [1, 2, 3, 4]))
        #expect(try accepts("\"0x0102\"", [1, 2]))
        #expect(try accepts("{text: hi, length: 2}", Array("hi".utf8)))
        #expect(try accepts("{match: \"^v[0-9]+\"}", Array("v12".utf8)))
        #expect(try !accepts("{match: \"^v[0-9]+$\"}", Array("v".utf8)))
        #expect(try accepts("{value: {min: 80}}", [85], of: 0x2A19))
        #expect(try !accepts("{value: {min: 80}}", [85], of: 0xFFF1))
        #expect(try accepts("{fields: {heartRateMeasurementValue: {min: 70, max: 90}}}", [0x06, 0x50], of: 0x2A37))
        #expect(try !accepts("{fields: {heartRate: 80}}", [0x06, 0x50], of: 0x2A37))
        #expect(try accepts("{u64: 18446744073709551615}", Array(repeating: 0xFF, count: 8)))
        #expect(try !accepts("{u64: 18446744073709551614}", Array(repeating: 0xFF, count: 8)))
        #expect(try !accepts("{f32: {min: 0}}", [0, 0, 0xC0, 0x7F]))
    }

    /// A signal strength alone is a minimum, in a scan and on a link.
    @Test(arguments: ["{scan: {rssi: -90}}", "{link: , expect: {rssi: -90}}"])
    func aSignalStrengthIsAMinimum(_ step: String) throws {
        let script = try read("steps:\n  - \(step)")
        let operation = try ScriptReader(checkPath: { _ in }).reader(script.steps[0], [:], script).operation()
        let test: NumberTest? =
            switch (operation.action, operation.expectation) {
            case (.scan(let condition, _), _): condition.rssi
            case (_, .link(let tests)): tests.first?.test
            default: nil
            }
        #expect(test?.accepts(["-60"]) == true && test?.accepts(["-90"]) == true && test?.accepts(["-91"]) == false)
        #expect(test?.description == "from -90")
    }

    /// Actions whose content is optional are steps without it.
    @Test(arguments: ["disconnect", "discover", "pair", "unpair", "link", "scan"])
    func anActionAloneIsAStep(_ action: String) throws {
        let script = try read("steps: [{connect: x}, \(action)]")
        #expect(script.steps.last?.action.rawValue == action && script.steps.last?.line == 1)
        #expect(problem("steps:\n  - read").contains("a step must be a mapping"))
    }

    @Test func junitReportIsXML() {
        var report = JUnitReport(name: "a<b>")
        var test = JUnitReport.Case(name: "read \"x\"", group: "s.yaml:1", seconds: 0.5)
        test.failure = "expected 1 & got 2\u{1}"
        report.cases = [test, JUnitReport.Case(name: "ok", group: "s.yaml:2", seconds: 1)]
        let xml = report.xml
        #expect(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"1.500\""))
        #expect(xml.contains("<failure message=\"expected 1 &amp; got 2\u{FFFD}\"/>") && xml.contains("a&lt;b&gt;"))
    }
}
