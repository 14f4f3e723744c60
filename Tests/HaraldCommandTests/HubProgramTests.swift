#if os(Linux)
import Foundation
import PeerSupport
import Testing

/// `harald hub` as a process of its own.
@Suite("The program harald hub")
struct HubProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    private func hub(_ arguments: String) async throws -> (object: [String: Any], status: Int32, errors: String) {
        let result = try await ProgramProcess.run("hub \(arguments) --json", runtime: runtime)
        let line = result.lines.first ?? "{}"
        return (
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:], result.status,
            result.errors
        )
    }

    @Test("Administration works without a hub and while one is running", .timeLimit(.minutes(2)))
    func administration() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let store = "--store \(runtime.path)/F"
        #expect(try await hub("person add Anna --born 1961-04-30 \(store)").object["id"] as? String == "1")
        let process = try ProgramProcess("hub --listen 127.0.0.1:0 \(store) --json", runtime: runtime)
        defer { process.signal(SIGKILL) }
        var lines = process.lines.makeAsyncIterator()
        let first = try #require(await lines.next())
        let listening = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(
            listening["event"] as? String == "listening" && listening["url"] as? String == listening["base"] as? String)
        #expect((listening["login"] as? String)?.contains("?token=") == true)
        let audit = try await ProgramProcess.run("hub audit \(store)", runtime: runtime)
        #expect(audit.lines.contains { $0.hasSuffix("person add 1") }, "\(audit.lines)")
        #expect(try await hub("assign BP-1 1 --user 2 \(store)").status == 0)
        for index in ["255", "-1"] {
            let unknown = try await hub("assign BP-1 1 --user=\(index) \(store)")
            #expect(unknown.status == 64 && unknown.errors.contains("0 to 254"), "\(unknown.errors)")
        }
        let ended = try await hub("unassign BP-1 --user 2 \(store)").object
        #expect(ended["person"] as? String == "1" && ended["user"] as? Int == 2 && ended["readings"] as? Int == 0)
        let unassigned = try await hub("unassign BP-1 \(store)")
        #expect(unassigned.status == 66, "\(unassigned)")
        #expect(unassigned.errors.contains("'BP-1' is not assigned"), "\(unassigned)")
        #expect(try await hub("token add kitchen \(store)").object["token"] as? String != nil)
        #expect(try await hub("token add kitchen \(store)").errors.contains("already exists"))
        #expect(try await hub("token list \(store)").object["name"] as? String == "kitchen")
        #expect(try await hub("token revoke kitchen \(store)").status == 0)
        #expect(try await hub("token list \(store)").object.isEmpty)
        let second = try await hub("--listen 127.0.0.1:0 \(store)")
        #expect(second.status != 0 && second.errors.contains("another hub") && second.errors.contains("stop it"))
        try FileManager.default.createSymbolicLink(
            atPath: runtime.path + "/link", withDestinationPath: runtime.path + "/F")
        let linked = try await hub("--listen 127.0.0.1:0 --store \(runtime.path)/link")
        #expect(linked.status != 0 && linked.errors.contains("another hub"))
        process.signal(SIGTERM)
        #expect(await process.end.status == 143)
    }

    @Test("A hub does not start with a monitor whose adapter has no such form", .timeLimit(.minutes(1)))
    func unknownAdapterOfTheMonitor() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let result = try await hub("--monitor hci0 --listen 127.0.0.1:0 --store \(runtime.path)/F")
        #expect(result.status == 64 && result.errors.contains("bluez:hciN"), "\(result.errors)")
    }

    @Test("A hub that a person starts again says that it does not collect", .timeLimit(.minutes(1)))
    func withoutMonitor() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let store = "--store \(runtime.path)/F"
        #expect(try await hub("person add Anna --born 1961-04-30 \(store)").status == 0)
        let terminal = try TerminalProcess(
            try ProgramProcess.executable(),
            "hub --listen 127.0.0.1:0 \(store)".split(separator: " ").map(String.init), columns: 160, rows: 20,
            environment: ["HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path, "TERM": "dumb"])
        defer { terminal.signal(SIGKILL) }
        #expect(await terminal.wait(for: "--monitor auto"), "\(terminal.screen.text)")
    }

    /// Readings of the virtual radio would be stored as those of people, so it does not replace a missing adapter.
    @Test(
        "A hub that collects with a missing adapter says so, and does not name the virtual radio it does not use",
        .enabled(if: HealthMonitorTests.hasNoAdapter, "the machine has an adapter"), .timeLimit(.minutes(1)))
    func withoutAdapter() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let store = "--store \(runtime.path)/F"
        #expect(try await hub("person add Anna --born 1961-04-30 \(store)").status == 0)
        let terminal = try TerminalProcess(
            try ProgramProcess.executable(),
            "hub --monitor auto --listen 127.0.0.1:0 \(store)".split(separator: " ").map(String.init), columns: 200,
            rows: 20, environment: ["HARALD_ADAPTER": "", "XDG_RUNTIME_DIR": runtime.path, "TERM": "dumb"])
        defer { terminal.signal(SIGKILL) }
        #expect(await terminal.wait(for: "the monitor of the hub ended"), "\(terminal.screen.text)")
        let text = terminal.screen.text
        #expect(!text.contains("using the virtual radio") && text.contains("harald doctor"), "\(text)")
    }

    @Test("The monitor of a hub shows one reading of a device that belongs to nobody", .timeLimit(.minutes(2)))
    func readingsOfNobody() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let store = "--store \(runtime.path)/F"
        #expect(try await hub("person add Anna --born 1961-04-30 \(store)").status == 0)
        // The heart rate strap is hers, the oximeter nobody's; both send each second.
        #expect(try await hub("assign 02:48:41:00:00:01 1 \(store)").status == 0)
        let process = try ProgramProcess(
            "hub --monitor virtual:clinic --yes --listen 127.0.0.1:0 \(store)", runtime: runtime)
        defer { process.signal(SIGKILL) }
        var counts: [String: Int] = [:]
        for await line in process.lines {
            for name in ["Polar", "Oximeter"] where line.contains(name) { counts[name, default: 0] += 1 }
            if counts["Polar"] == 5 { break }
        }
        #expect(counts == ["Polar": 5, "Oximeter": 1])
    }

    @Test("The CSV output of a monitor that sends consists of readings", .timeLimit(.minutes(2)))
    func monitorCSV() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let store = "--store \(runtime.path)/F"
        let token = try #require(try await hub("token add kitchen \(store)").object["token"] as? String)
        try Data(token.utf8).write(to: runtime.appending(path: "token"))
        let process = try ProgramProcess("hub --listen 127.0.0.1:0 \(store) --json", runtime: runtime)
        defer { process.signal(SIGKILL) }
        var lines = process.lines.makeAsyncIterator()
        let first = try #require(await lines.next())
        let listening = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        let url = try #require(listening["base"] as? String)
        let result = try await ProgramProcess.run(
            "monitor glucose --adapter virtual:clinic --csv --count 4 --send \(url) "
                + "--token-file \(runtime.path)/token --queue \(runtime.path)/queue", runtime: runtime)
        #expect(result.status == 0 && result.lines.count > 4, "\(result)")
        #expect(result.lines.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 10 })
        #expect(result.errors.contains("mg/dL") || result.errors.contains("mmol/L"), "\(result.errors)")
    }

    @Test(
        "The store must be a file in an existing directory", .timeLimit(.minutes(1)),
        arguments: [
            ("add T", "F", 0), ("add T", "./F", 0), ("add T", "missing/F", 66), ("add T", ".", 66), ("list", "F", 66),
        ] as [(String, String, Int32)])
    func store(_ command: String, _ name: String, _ status: Int32) async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let process = try PeerProcess(
            "/bin/sh",
            [
                "-c",
                "cd '\(runtime.path)' && exec '\(try ProgramProcess.executable())' hub token \(command) --store \(name)",
            ])
        var output = ""
        for await line in process.lines { output += line.text + "\n" }
        guard case .status(let found) = await process.exit() else {
            Issue.record("it crashed: \(output)")
            return
        }
        #expect(found == status, "\(output)")
        // A store that is only read is not created.
        #expect(FileManager.default.fileExists(atPath: runtime.appending(path: "F").path) == (status == 0))
    }

    @Test("Simulated gateways end in time without a hub, and say what was not delivered", .timeLimit(.minutes(1)))
    func gatewaysWithoutHub() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let token = runtime.appending(path: "token").path
        try Data("token".utf8).write(to: URL(fileURLWithPath: token))
        let start = ContinuousClock.now
        // Nothing listens on port 9 (discard) of this machine.
        let result = try await hub(
            "simulate --gateways 100 --interval 2 --seconds 2 --url http://127.0.0.1:9 --token-file \(token)")
        #expect(ContinuousClock.now - start < .seconds(30))
        let (failed, posts) = (result.object["failed"] as? Int ?? 0, result.object["posts"] as? Int)
        #expect(result.status == 1 && failed > 0 && failed == posts, "\(result)")
        #expect(result.errors.contains("failed posts are sent again"), "\(result.errors)")
        #expect(result.errors.contains("\(failed) posts were not acknowledged: connection refused"), "\(result.errors)")
    }

    @Test(
        "Simulated gateways do not send the token unencrypted beyond this machine", .timeLimit(.minutes(1)),
        arguments: [
            ("http://192.0.2.1:8093", "would send the token unencrypted"), ("127.0.0.1", "is not the address of a hub"),
        ])
    func gatewaysBeyondLoopback(url: String, problem: String) async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let result = try await hub("simulate --gateways 1 --seconds 1 --url \(url) --token-file \(runtime.path)/token")
        #expect(result.status == 64 && result.errors.contains(problem), "\(result)")
    }

    @Test(
        "Beyond loopback a password is required", .timeLimit(.minutes(1)),
        arguments: ["--listen 0.0.0.0:0", "--listen nowhere", "--certificate cert.pem", "--listen 127.0.0.1:99999"])
    func usage(_ arguments: String) async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        #expect(try await hub("\(arguments) --store \(runtime.path)/F").status == 64)
    }
}
#endif
