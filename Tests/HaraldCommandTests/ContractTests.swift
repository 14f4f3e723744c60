#if os(Linux)
import ArgumentParser
import Foundation
import Testing

@testable import HaraldCommand

/// Exit statuses, limits and JSON keys that scripts rely on.
@Suite(.serialized, .timeLimit(.minutes(3))) final class ContractTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private func run(_ arguments: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run(arguments, runtime: runtime)
    }

    private func object(_ line: String?) throws -> [String: Any] {
        let line = try #require(line)
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let url = runtime.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    // MARK: Limits

    /// The arguments of each command, without the options of all commands on an adapter.
    private static let words: [String: String] = [
        "check": "x", "read": "x 180F/2A19", "write": "x 180F/2A19 00", "notify": "x 180D/2A37", "tree": "x",
        "pair": "x",
        "rssi": "x", "info": "x", "deanna": "", "demo": "", "scan": "",
    ]
    /// The commands that wait without limit, also with `--timeout`, until a person or `--for` ends them.
    private static let endless = ["monitor", "simulate", "air"]
    /// The commands that wait for nothing on an adapter.
    private static let local = ["uuid", "decode", "adapters", "doctor", "bonds", "identities", "power"]
    /// The commands that have a suite of their own, with their limits.
    private static let elsewhere = [
        "explore", "shell", "link", "l2cap", "frames", "clone", "run", "stress", "replay", "dissect", "hub", "serve",
        "bluez", "gateway",
    ]

    /// On an air without devices each command that searches ends and reports that in one line. Without the time limit
    /// of a command this test does not end.
    @Test(arguments: ContractTests.words.keys.sorted(), ["", "--json"])
    func commandsEndOnAnEmptyAir(_ command: String, _ option: String) async throws {
        let words = Self.words[command] ?? ""
        var result = try await run("\(command) \(words) --adapter virtual:empty --timeout 1 \(option)")
        // A busy machine may take more than a second to open the adapter.
        if result.status == 75 {
            result = try await run("\(command) \(words) --adapter virtual:empty --timeout 10 \(option)")
        }
        #expect(result.status == 66, "\(command): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        #expect(option.isEmpty || command == "demo" || result.lines.isEmpty, "\(result.lines)")
    }

    @Test func commandsWithoutALimitStateItInTheirHelp() throws {
        let known = Array(Self.words.keys) + Self.endless + Self.local + Self.elsewhere
        for command in HaraldProgram.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            if !known.contains(name) { Issue.record("no test checks the limits of \(name)") }
            guard Self.endless.contains(name) || name == "notify" || name == "scan" else { continue }
            let help = command.helpMessage().split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(help.contains("without limit"), "\(name)")
        }
    }

    @Test(arguments: [
        "monitor --adapter virtual:empty --for 0.2", "monitor --adapter virtual:empty --for 0.2 --json --timeout 1",
    ])
    func aMonitorIsLimitedByForAndNotByItsTimeout(_ line: String) async throws {
        #expect(try await run(line).status == 0)
    }

    @Test(arguments: [
        "scan --timeout 0 --adapter virtual:", "monitor --adapter virtual:clinic --json --timeout 10",
        "notify polar 2A37 --adapter virtual:", "simulate polar-h7 --json", "air empty",
    ])
    func waitingWithoutLimitIsAnnounced(_ line: String) async throws {
        let process = try ProgramProcess(line, runtime: runtime)
        defer { process.signal(SIGKILL) }
        var lines = process.lines.makeAsyncIterator()
        #expect(await lines.next() != nil)
        process.signal(SIGINT)
        let end = await process.end
        #expect(end.status == 130 && end.errors.contains("without limit; Ctrl-C stops"), "\(end.errors)")
    }

    @Test func aTagWithAnotherNameIsNotFound() async throws {
        let other = try await run("deanna nobody --adapter virtual:sensortags --json --timeout 1")
        #expect(other.status == 66 && other.errors.contains("'nobody'"), "\(other.errors)")
        // A device that cannot be connected is in range, and sends nothing.
        let scene = try file("tag.yaml", "devices: [{device: sensortag-cc2650, faults: {failedConnects: 1000}}]")
        let silent = try await run("deanna --adapter virtual:\(scene) --json --timeout 3")
        #expect(silent.status == 75 && silent.errors.contains("no reading arrived"), "\(silent.errors)")
    }

    /// A command does not wait without limit for a controller that never connects.
    @Test func openingAnAdapterTimesOut() async throws {
        let scan = try await run("scan --adapter tcp-server:127.0.0.1:0 --timeout 1")
        #expect(scan.status == 75 && scan.errors.contains("no answer in 1 s"), "\(scan.errors)")
    }

    @Test(arguments: [
        "bonds", "scan --adapter virtual:", "pair x --adapter virtual:", "simulate polar-h7 --for 1",
        "bonds forget --all",
    ])
    func aMissingStoreDirectoryIsAnError(_ line: String) async throws {
        let store = runtime.appendingPathComponent("missing").path
        let result = try await run("\(line) --store \(store)")
        #expect(result.status == 66 && result.errors.contains(store), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: store) && result.lines.isEmpty)
    }

    // MARK: Values

    @Test func undecodableBytesAreAProblem() async throws {
        let json = try await run("decode 2A35 0178 --json")
        #expect(json.status == 65)
        #expect(json.lines == [#"{"problem":"systolic: 2 bytes needed, 1 left"}"#])
        let text = try await run("decode 2A35 0178")
        #expect(text.status == 65 && text.lines.isEmpty && text.errors.contains("systolic: 2 bytes needed, 1 left"))
    }

    @Test func advertisementsHaveTimeAndBytes() async throws {
        let json = try await run("scan --advertisements --json --adapter virtual: --timeout 1")
        let all = try json.lines.map { try object($0) }
        let time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
        #expect(!all.isEmpty && all.allSatisfy { ($0["time"] as? String)?.wholeMatch(of: time) != nil })
        let strap = all.filter { ($0["name"] as? String)?.hasPrefix("Polar") == true }
        // Each packet alone: the name is in the advertisement, the company in the scan response.
        for packet in strap {
            let isResponse = try #require(packet["scanResponse"] as? Bool)
            let hex = try #require(packet["hex"] as? String)
            #expect(hex.contains("FF6B00") == isResponse, "\(hex)")
        }
        #expect(Set(strap.compactMap { $0["scanResponse"] as? Bool }) == [true, false])
        let text = try await run("scan --advertisements --adapter virtual: --timeout 1")
        #expect(!text.lines.isEmpty && text.lines.allSatisfy { $0.prefix(24).wholeMatch(of: time) != nil })
    }

    // MARK: Attributes

    @Test func descriptorsAreReadAndWritten() async throws {
        let path = try file(
            "device.yaml",
            """
            name: Lamp
            services:
              - uuid: FFE0
                characteristics:
                  - uuid: FFE1
                    properties: [read, notify]
                    value: {u8: 1}
                    descriptors:
                      - {uuid: 2901, value: {text: "Light"}}
                      - {uuid: FFD1, value: {hex: "AA"}, permissions: [readable, writeable]}
            """)
        func onLamp(_ line: String) async throws -> (status: Int32, lines: [String], errors: String) {
            try await run("\(line) --adapter virtual:\(path)")
        }
        for name in ["FFE0/FFE1/2901", "FFE1/2901"] {
            let read = try await onLamp("read lamp \(name) --json")
            #expect(read.status == 0, "\(read.errors)")
            let value = try object(read.lines.first)
            #expect(value["descriptor"] as? String == "2901" && value["text"] as? String == "Light")
            #expect(value["characteristic"] as? String == "FFE1" && value["service"] as? String == "FFE0")
        }
        let write = try await onLamp("write lamp FFE0/FFE1/FFD1 BB --json")
        #expect(write.status == 0, "\(write.errors)")
        #expect(try object(write.lines.first)["acknowledged"] as? Bool == true)
        let subscribe = try await onLamp("write lamp FFE1/2902 0100")
        #expect(subscribe.status == 1 && subscribe.errors.contains("harald notify"), "\(subscribe.errors)")
        #expect(try await onLamp("read lamp FFE0/FFE1/2904").status == 66)
        #expect(try await onLamp("notify lamp FFE1/2901").status == 64)
    }

    /// Attributes in secondary services are found too.
    @Test func secondaryServicesAreReadAndWritten() async throws {
        let path = try file(
            "parts.yaml",
            """
            name: Parts
            services:
              - uuid: FFE0
                characteristics: [{uuid: FFE1, properties: [read], value: {u8: 1}}]
              - uuid: FFE2
                primary: false
                handle: 0x0064
                characteristics:
                  - uuid: FFE3
                    properties: [read, write, notify]
                    value: {u8: 9}
                    notifyEvery: 100 ms
                    descriptors: [{uuid: FFD1, value: {hex: "AA"}}]
            """)
        func onParts(_ line: String) async throws -> (status: Int32, lines: [String], errors: String) {
            try await run("\(line) --json --adapter virtual:\(path)")
        }
        for (name, value) in [("FFE3", "09"), ("FFE2/FFE3", "09"), ("FFE2/FFE3/FFD1", "AA"), ("#102", "09")] {
            let read = try await onParts("read parts \(name)")
            #expect(read.status == 0, "\(name): \(read.errors)")
            #expect(try object(read.lines.first)["hex"] as? String == value)
        }
        #expect(try await onParts("write parts FFE3 0A").status == 0)
        #expect(try await onParts("notify parts FFE2/ --count 1").lines.count == 1)
        let none = try await onParts("read parts FFE4")
        #expect(none.status == 66 && none.errors.contains("FFE2/FFE3"), "\(none.errors)")
    }

    /// Pairing is refused, because there is no user to ask; everything else is shown.
    @Test func aTreeContinuesAfterARefusedRead() async throws {
        let path = try file(
            "lock.yaml",
            """
            name: Lock
            passkey: 123456
            services:
              - uuid: FFE0
                characteristics:
                  - {uuid: FFE1, properties: [read], value: {u8: 1}, security: authenticated}
                  - uuid: FFE2
                    properties: [read]
                    value: {u8: 2}
                    descriptors:
                      - {uuid: FFD1, value: {hex: "AA"}, permissions: [readable, readAuthenticated]}
            """)
        let json = try await run("tree lock --values --json --adapter virtual:\(path)")
        #expect(json.status == 1 && json.lines.count == 1, "\(json.errors)")
        let services = try #require(try object(json.lines.first)["services"] as? [[String: Any]])
        let all = services.flatMap { $0["characteristics"] as? [[String: Any]] ?? [] }
        let refused = try #require(all.first { $0["uuid"] as? String == "FFE1" })
        #expect(refused["problem"] is String && refused["hex"] == nil)
        let other = try #require(all.first { $0["uuid"] as? String == "FFE2" })
        #expect(other["hex"] as? String == "02" && other["problem"] == nil)
        let descriptor = try #require((other["descriptors"] as? [[String: Any]])?.first)
        #expect(descriptor["problem"] is String && descriptor["hex"] == nil)
        let text = try await run("tree lock --values --adapter virtual:\(path)")
        #expect(text.status == 1 && text.lines.contains { $0.contains("FFE2") && $0.contains("= 02") })
    }

    @Test func applicationErrorsHaveTheNameOfTheirService() async throws {
        let write = try await run("write polar 180D/2A39 02 --adapter virtual:")
        #expect(write.status == 1 && write.errors.contains("control point not supported (0x80)"), "\(write.errors)")
    }

    // MARK: Simulated devices

    @Test func operationsOfCentralsArePrinted() async throws {
        let simulate = try ProgramProcess("simulate polar-h7 --writable 2A38 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(try object(await events.next())["event"] as? String == "offered")
        #expect(try await run("write polar 180D/2A38 02 --adapter virtual:").status == 0)
        let read = try await run("read polar 180D/2A38 --json --adapter virtual:")
        #expect(try object(read.lines.first)["hex"] as? String == "02")
        #expect(try await run("notify polar 180D/2A37 --count 1 --adapter virtual:").status == 0)
        #expect(try await run("write polar 180D/2A39 02 --adapter virtual:").status == 1)
        var told: [[String: Any]] = []
        while told.filter({ $0["event"] as? String == "disconnected" }).count < 4 {
            told.append(try object(await events.next()))
        }
        let names = told.compactMap { $0["event"] as? String }
        #expect(names.filter { $0 == "connected" }.count == 4)
        #expect(names.contains("subscribed") && names.contains("unsubscribed"))
        for event in told where event["event"] as? String != "message" {
            for key in ["time", "event", "central", "service", "characteristic", "handle", "value"] {
                #expect(event.keys.contains(key), "\(key) of \(event)")
            }
        }
        let written = try #require(told.first { $0["event"] as? String == "write" })
        #expect(written["value"] as? String == "02" && written["central"] is String)
        #expect(written["service"] as? String == "180D" && written["characteristic"] as? String == "2A38")
        let wasRead = try #require(
            told.first { $0["event"] as? String == "read" && $0["characteristic"] as? String == "2A38" })
        #expect(wasRead["value"] as? String == "02" && wasRead["handle"] is Int)
        let refused = try #require(told.last { $0["event"] as? String == "write" })
        #expect(refused["error"] as? Int == 0x80)
        simulate.signal(SIGTERM)
        #expect(await simulate.end.status == 143)
    }

    @Test func readsAndWritesAreShownAsText() async throws {
        let simulate = try ProgramProcess("simulate polar-h7", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var lines = simulate.lines.makeAsyncIterator()
        #expect(await lines.next()?.contains("serving") == true)
        #expect(try await run("read polar 180A/2A29 --adapter virtual:").status == 0)
        while let line = await lines.next() {
            if line.contains("read 180A/2A29 Manufacturer Name String") && line.contains("Polar Electro Oy") { break }
        }
        simulate.signal(SIGTERM)
        _ = await simulate.end
    }

    @Test func aMissingCharacteristicCannotBeMadeWritable() async throws {
        #expect(try await run("simulate polar-h7 --writable 2A39 --check").status == 0)
        let none = try await run("simulate thermometer --writable 2A38 --for 1")
        #expect(none.status == 66 && none.errors.contains("2A38"), "\(none.errors)")
    }

    // MARK: The command line

    @Test func aMistypedCommandIsCorrected() async throws {
        let result = try await run("scna")
        #expect(result.status == 64 && result.errors.contains("did you mean 'harald scan'?"), "\(result.errors)")
    }

    @Test func pickAsksOnlyAtATerminal() async throws {
        let result = try await run("tree --pick --adapter virtual:")
        #expect(result.status == 64 && result.errors.contains("strongest, first or only"), "\(result.errors)")
    }

    @Test func shellsCompleteDevicesScenesAndNumbers() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let script = try await run("--generate-completion-script \(shell)")
            #expect(script.status == 0 && script.lines.contains { $0.contains("---completion") })
        }
        #expect(Completions.words(["harald", "tree", "--adapter", "virtual:clinic"], at: 4).contains("Health Scale"))
        #expect(Completions.words(["harald", "read", "--adapter", "virtual:", "polar"], at: 5).contains("180F/2A19"))
    }
}
#endif
