#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Synchronization
import Testing
import VirtualTransport

@testable import HaraldCommand
@testable import VirtualDevices

/// Commands to simulated devices.
@Suite("Commands to simulated devices")
struct SimulationControlTests {
    private static let yaml = """
        name: Gadget 2
        services:
          - uuid: FFF0
            characteristics:
              - {uuid: FFF1, properties: [read, write], value: {hex: "01"}}
              - {uuid: FFF2, properties: [read, notify], value: {hex: "02"}}
        """

    @Test("Values, notifications, disconnections and faults reach a central", .timeLimit(.minutes(2)))
    func commands() async throws {
        guard case .device(let file) = try DeviceDocument(yaml: Self.yaml, file: "test") else { return }
        let scene = try await VirtualScene(SceneFile(name: "control", devices: [SceneDevice(file)]))
        let control = SimulationControl(devices: scene.devices, scene: scene)
        let central = try await Central(
            adapter: scene.radio.adapter(named: "central"), options: AdapterOptions(storage: .none))
        var found: Peripheral?
        for try await discovery in central.scan(duration: .seconds(60)) {
            found = discovery.peripheral
            break
        }
        let peripheral = try #require(found)
        try await peripheral.connect(timeout: .seconds(30))
        let (first, second) = (try await peripheral.characteristic("FFF1"), try await peripheral.characteristic("FFF2"))
        #expect(await control.perform("set FFF1 \"AA BB\"")?.error == nil)
        #expect(try await first.read() == [0xAA, 0xBB])
        // A central's write replaces it.
        try await first.write([0x07])
        #expect(try await first.read() == [0x07])
        let values = try await second.subscribe()
        #expect(await control.perform("notify \"Gadget 2\" FFF0/FFF2 u16:513")?.done?.contains("1 subscriber") == true)
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next() == [0x01, 0x02])
        #expect(await control.perform("fault FFF1 0x0E")?.error == nil)
        await #expect(throws: BluetoothError.self) { try await first.read() }
        await #expect(throws: BluetoothError.self) { try await first.write([1]) }
        #expect(await control.perform("fault FFF1 none")?.error == nil)
        #expect(try await first.read() == [0x07])
        #expect(await control.perform("disconnect")?.done?.contains("1 central") == true)
        for try await state in peripheral.states {
            if case .disconnected = state { break }
        }
        await central.close()
        await scene.close()
    }

    @Test("A device is moved, made to fail and removed")
    func places() async throws {
        let file = try DeviceFile(yaml: Self.yaml)
        let scene = try await VirtualScene(SceneFile(name: "places", devices: [SceneDevice(file), SceneDevice(file)]))
        let control = SimulationControl(devices: [scene.devices[0]], scene: scene)
        // An address names devices of the scene that are not the script's.
        let address = try #require(await scene.devices[1].peripheral.address?.text)
        for (line, done) in [
            ("move 4", "'Gadget 2' is at 4.0 m"), ("walk on", "walking"), ("fault silent on", "silent"),
            ("fault away on", "out of range"), ("fault loss 0.3", "at 4.0 m"), ("fault delay 1", "at 4.0 m"),
            ("fault failing 2", "at 4.0 m"), ("move \(address) 7", "at 7.0 m"),
            ("cut \(address.lowercased())", "are cut"),
            ("remove \(address)", "not on the air"),
        ] {
            let outcome = await control.perform(line)
            #expect(outcome?.done?.contains(done) == true, "\(line): \(String(describing: outcome))")
        }
        #expect(scene.devices.count == 1)
        let faults = await scene.withController(of: scene.devices[0]) { $0.faults }
        #expect(faults?.isSilent == true && faults?.advertisingLoss == 0.3 && faults?.delay == .seconds(1))
        #expect(faults?.failedEstablishments == 2)
        for (line, reason) in [
            ("move far", "must be a number from 0"), ("move", "another form"), ("walk slowly", "must be on or off"),
            ("fault loss 2", "must be a number from 0"), ("cut now", "another form"),
        ] {
            let outcome = await control.perform(line)
            #expect(outcome?.error?.contains(reason) == true, "\(line): \(String(describing: outcome))")
        }
        await scene.close()
    }

    @Test(
        "Invalid commands are errors with their cause",
        arguments: [
            ("frob FFF1", "is not a command"), ("set", "is missing"), ("set FFF1", "is missing"),
            ("set FFF9 AA", "has no characteristic"), ("set FFF1 zz", "is not a value"),
            ("set \"FFF1", "quotation mark"),
            ("fault FFF1", "error is missing"), ("fault FFF1 0x100", "is not an ATT error code"),
            ("fault FFF1 0", "is not an ATT error code"),
            ("disconnect C0:00:00:00:00:01", "no central"), ("notify #0x9999", "has no characteristic"),
            ("fault lost", "virtual radio"), ("move 3", "virtual radio"),
        ])
    func wrong(_ line: String, _ reason: String) async throws {
        guard case .device(let file) = try DeviceDocument(yaml: Self.yaml, file: "test") else { return }
        let scene = try await VirtualScene(SceneFile(name: "control", devices: [SceneDevice(file)]))
        // As on a real adapter: without the scene.
        let outcome = await SimulationControl(devices: scene.devices).perform(line)
        #expect(outcome?.done == nil && outcome?.error?.contains(reason) == true, "\(outcome?.error ?? "no error")")
        await scene.close()
    }

    @Test("A device is named by the beginning of its name")
    func names() async throws {
        func device(_ name: String) throws -> SceneDevice {
            SceneDevice(try DeviceFile(yaml: Self.yaml.replacingOccurrences(of: "Gadget 2", with: name)))
        }
        let all = try [device("Polar H7 A"), device("Polar H7 B"), device("Pol")]
        let scene = try await VirtualScene(SceneFile(name: "names", devices: all))
        let control = SimulationControl(devices: scene.devices, scene: scene)
        for (line, error) in [
            ("set polar h7 b FFF1 AA", nil), ("set 'x' FFF1 AA", "name one device"), ("set pol FFF1 AA", nil),
            ("set \"polar h7 a\" FFF1 AA", nil), ("notify polar h7 a FFF2", nil), ("fault pol lost", nil),
            ("set polar FFF1 AA", "'polar' is the beginning of \"Polar H7 A\", \"Polar H7 B\""),
            ("set FFF1 AA", "\"Polar H7 A\", \"Polar H7 B\", \"Pol\""),
        ] as [(String, String?)] {
            let found = await control.perform(line)?.error
            #expect(error.map { found?.contains($0) == true } ?? (found == nil), "\(line): \(found ?? "no error")")
        }
        // The name of a single device is optional.
        let alone = SimulationControl(devices: [scene.devices[1]], scene: scene)
        for line in ["set FFF1 AA", "set polar FFF1 AA", "set polar h7 FFF1 AA", "notify FFF2", "disconnect pol"] {
            #expect(await alone.perform(line)?.error == nil, "\(line)")
        }
        await scene.close()
    }

    @Test("A line is split into words")
    func words() throws {
        #expect(try SimulationControl.words(of: "set  FFF1\t\"AA BB\" CC") == ["set", "FFF1", "AA BB", "CC"])
        #expect(try SimulationControl.words(of: "a\"b c\"d \"\"") == ["ab cd", ""])
    }

    @Test("The program reads commands from standard input, and continues after its end", .timeLimit(.minutes(2)))
    func program() async throws {
        let runtime = FileManager.default.temporaryDirectory.appendingPathComponent(
            "harald-control-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: runtime) }
        let process = try PeerProcess(
            "/bin/sh",
            [
                "-c",
                "printf 'set 180F/2A19 \"07\"\\nset FFF9 AA\\n' | '\(try ProgramProcess.executable())' simulate polar-h7 --json --for 3",
            ], environment: ["HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path], separatesErrors: true)
        var lines: [String] = []
        for await line in process.lines where line.text.contains(#""event":"command""#) { lines.append(line.text) }
        #expect(await process.exit() == .status(0))
        #expect(lines.count == 2 && lines[0].contains(#""ok":true"#) && lines[1].contains(#""ok":false"#), "\(lines)")
    }

    @Test("A simulated clone can be read, and its link parameters are shown", .timeLimit(.minutes(3)))
    func clone() async throws {
        let runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-clone-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: runtime) }
        let clone = try await ProgramProcess.run(
            "clone polar --yes --observe 0 --adapter virtual:default", runtime: runtime)
        #expect(clone.status == 0, "\(clone.errors)")
        let file = runtime.appendingPathComponent("clone.yaml")
        try (clone.lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        let check = try await ProgramProcess.run("simulate --check \(file.path)", runtime: runtime)
        #expect(check.status == 0, "\(check.errors)")
        let link = try await ProgramProcess.run(
            "link polar --phy 2M --data-length 100 --json --adapter virtual:default", runtime: runtime)
        #expect(link.status == 0, "\(link.errors)")
        let text = link.lines.joined()
        #expect(
            text.contains(#""phy":{"receive":"2M","transmit":"2M"}"#) && text.contains(#""transmitOctets":100"#),
            "\(text)")
        for wrong in ["--interval 5", "--phy 3M", "--data-length 26", "--latency 500", "--for 3"] {
            let run = try await ProgramProcess.run("link polar \(wrong) --adapter virtual:default", runtime: runtime)
            #expect(run.status == 64, "\(wrong)")
        }
    }

    @Test("A device advertises again after its controller restarted", .timeLimit(.minutes(2)))
    func hardwareError() async throws {
        let radio = VirtualRadio()
        let device = try await VirtualDevice(
            try DeviceFile(yaml: Self.yaml), on: radio.adapter(named: "device"),
            options: AdapterOptions(storage: .none))
        let (messages, message) = AsyncStream<String>.makeStream()
        let watch = DeviceWatch([device])
        let running = Task {
            try await watch.run(for: nil) { event in
                if case .message(let text) = event { message.yield(text) }
            }
        }
        await radio.failHardware(adapterNamed: "device", code: 0x42)
        #expect(await messages.first { _ in true }?.contains("hardware error") == true)
        let central = try await Central(
            adapter: radio.adapter(named: "central"), options: AdapterOptions(storage: .none))
        let found = try await central.scan(filter: ScanFilter(namePrefix: "Gadget 2")).first { _ in true }
        #expect(found != nil)
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        await central.close()
        await device.close()
    }

    @Test("An error that does not pass ends a command; refusals are limited")
    func recovery() async throws {
        let reports = Mutex<[String]>([])
        var recovery = Recovery { report in reports.withLock { $0.append(report) } }
        let lost = BluetoothError(.radio(.unsupported), operation: "scan", reason: "the controller is gone")
        let error = await #expect(throws: BluetoothError.self) { try await recovery.wait(after: lost) {} }
        #expect(error == lost && reports.withLock { $0.isEmpty })
        let refused = BluetoothError(.controller(.commandDisallowed), operation: "scan", reason: "refused")
        try await recovery.wait(after: refused) {}
        #expect(reports.withLock { $0 } == ["scan: refused; trying again"])
    }
}
#endif
