#if os(Linux)
import Explorer
import Foundation
import Testing

@testable import HaraldCommand

/// `harald gateway`, and formats of the user, as processes of their own.
@Suite struct GatewayProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-gateway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = runtime.appendingPathComponent(name).path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(.timeLimit(.minutes(2))) func twoAdaptersAreOneHouseAndSIGTERMEndsIt() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let config = try write("name: test\nprometheus: {listen: '127.0.0.1:0'}\n", to: "gateway.yaml")
        let process = try ProgramProcess(
            "gateway --config \(config) --adapter virtual:home --adapter virtual:home --json", runtime: runtime)
        defer { process.signal(SIGKILL) }
        var online: [String] = []
        var base: String?
        for await line in process.lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if object["event"] as? String == "listening" { base = object["url"] as? String }
            if object["event"] as? String == "sensor", let name = object["name"] as? String { online.append(name) }
            if online.count == 11, base != nil { break }
        }
        #expect(Set(online).count == 11 && online.contains("Living room"))
        #expect(base?.hasPrefix("http://127.0.0.1:") == true)
        process.signal(SIGTERM)
        #expect(await process.end.status == 143)
    }

    @Test(.timeLimit(.minutes(2))) func aWrongConfigurationIsReportedWithItsPlace() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let config = try write("mqtt:\n  url: mqtt://127.0.0.1\n  qeue: 5\n", to: "gateway.yaml")
        let end = try await ProgramProcess("gateway --config \(config)", runtime: runtime).end
        #expect(end.status == 65)
        #expect(end.errors.hasPrefix("harald: \(config):3:3: unknown key 'qeue' in mqtt; did you mean 'queue'?"))
        let missing = try await ProgramProcess("gateway --config /nowhere.yaml", runtime: runtime).end
        #expect(missing.status == 66 && missing.errors.hasPrefix("harald: /nowhere.yaml: the file does not exist"))
    }

    @Test(.timeLimit(.minutes(2))) func formatsOfTheUserAreDecoded() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let formats = try write(
            "formats:\n  - {kind: own, title: Own, service: FFF0, fields: [{name: t, type: u8, unit: °C}]}\n",
            to: "formats.yaml")
        let process = try ProgramProcess(
            "decode --advertisement 0416F0FF07 --json --formats \(formats)", runtime: runtime)
        let first = await process.lines.first { _ in true }
        #expect(
            first == #"{"values":[{"fields":{"t":{"unit":"°C","value":7}},"kind":"own","title":"Own"}]}"#,
            "\(first ?? "")")
        let config = try write(
            "formats: formats.yaml\nsensors: {formats: own}\nprometheus: {listen: '127.0.0.1:0'}\n", to: "gateway.yaml")
        let check = try await ProgramProcess("gateway --config \(config) --check", runtime: runtime).end
        #expect(check.status == 0 && check.errors.hasPrefix("harald: \(config) is valid"))
        _ = try write("formats: [{kind: own}]", to: "formats.yaml")
        let wrong = try await ProgramProcess("scan --formats \(formats) --adapter virtual:home", runtime: runtime).end
        #expect(wrong.status == 65 && wrong.errors.contains("formats.yaml:1:11: a format requires"))
    }

    /// A script waits for values, with the names and keys of the user, and tells what it heard instead.
    @Test(.timeLimit(.minutes(2))) func aScriptExpectsAdvertisedValues() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        func run(_ expectation: String, _ options: String) async throws -> (status: Int32, errors: String) {
            let script = try write(
                "steps:\n  - {scan: \(expectation), within: 1 s}\n", to: "script.yaml")
            let end = try await ProgramProcess("run \(script) \(options)", runtime: runtime).end
            return (end.status, end.errors)
        }
        let home = "--adapter virtual:home"
        let good = try await run("Living room, expect: {temperature: {min: 20}, humidity: {max: 60}}", home)
        #expect(good.status == 0, "\(good.errors)")
        let cold = try await run("Living room, expect: {temperature: {min: 30}}", home)
        #expect(cold.status == 66 && cold.errors.contains("; Living room has temperature 21.50 °C"), "\(cold.errors)")
        let misspelled = try await run("Living room, expect: {temprature: {min: 30}}", home)
        #expect(misspelled.errors.contains("; Living room has no 'temprature', but "), "\(misspelled.errors)")
        // BTHome, encrypted with the key below: 25.06 °C, 50.55 %.
        let device = try write(
            "{name: Secret, address: 'C0:48:E6:8F:80:A5', "
                + "advertise: {raw: '0201061216d2fc41e867997b127a881300006baed624'}}", to: "device.yaml")
        let options = "--adapter virtual:\(device) --store \(runtime.path)"
        let sealed = try await run("'C0:48:E6:8F:80:A5', expect: {temperature: {min: 20}}", options)
        #expect(sealed.errors.contains("there is no key for C0:48:E6:8F:80:A5"), "\(sealed.errors)")
        let key = try write("231d39c1d7cc1ab1aee224cd096db932\n", to: "key")
        for (mode, status) in [(0o644, 65), (0o600, 0)] as [(Int, Int32)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: key)
            let added = try await ProgramProcess(
                "identities add Cellar --address C0:48:E6:8F:80:A5 --key-file \(key) --store \(runtime.path)",
                runtime: runtime
            ).end
            #expect(added.status == status && added.errors.contains("chmod 600") == (mode == 0o644), "\(added)")
        }
        let opened = try await run("Cellar, expect: {temperature: {min: 20}}", options)
        #expect(opened.status == 0, "\(opened.errors)")
        let info = try ProgramProcess("info Cellar --json \(options)", runtime: runtime)
        let line = await info.lines.first { _ in true }
        #expect(line?.contains("25.06") == true, "\(line ?? "")")
        _ = await info.end
    }

    /// Identities that cannot be read are not the same as none.
    @Test(.timeLimit(.minutes(2))) func identitiesThatCannotBeReadAreAnError() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let file = runtime.appendingPathComponent("identities.json")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let list = try await ProgramProcess("identities --store \(runtime.path)", runtime: runtime).end
        #expect(list.status == 65 && list.errors.contains("\(file.path) cannot be read"), "\(list)")
    }

    /// A characteristic of unknown type, with a Characteristic Presentation Format: -2 decimals, °C.
    @Test(.timeLimit(.minutes(2))) func aValueIsScaledByItsPresentationFormat() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let scene = try write(
            """
            name: Meter
            services:
              - uuid: FFF0
                characteristics:
                  - uuid: FFF1
                    properties: [read]
                    value: {i16: -1234}
                    descriptors:
                      - {uuid: 2904, value: {hex: "0E FE 2F 27 01 00 00"}}
            """, to: "meter.yaml")
        let read = try ProgramProcess("read Meter FFF0/FFF1 --adapter virtual:\(scene)", runtime: runtime)
        #expect(await read.lines.first { _ in true } == "FFF1: -12.34 °C  (2E FB)")
        let tree = try ProgramProcess("tree Meter --values --json --adapter virtual:\(scene)", runtime: runtime)
        let text = await tree.lines.first { _ in true } ?? ""
        #expect(text.contains(#""value":{"unit":"°C","value":-12.34}"#), "\(text)")
    }
}
#endif
