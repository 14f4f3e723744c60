#if os(Linux)
import Explorer
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Testing

@testable import HaraldCommand

/// `harald serve` as a process of its own.
@Suite struct ServeProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-serve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
    }

    private func arguments(_ more: String = "", port: String = "0") -> String {
        "serve --adapter virtual:sensortags --listen 127.0.0.1:\(port) --no-browser --json "
            + "--token-file \(runtime.path)/token --store \(runtime.path)/store \(more)"
    }

    private func listening(_ process: ProgramProcess) async throws -> (base: URL, token: String) {
        var lines = process.lines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "listening")
        #expect((object["url"] as? String)?.contains("token=") == true)
        let token = try String(contentsOfFile: "\(runtime.path)/token", encoding: .utf8)
        let text = try #require(object["base"] as? String)
        let base = try #require(URL(string: text))
        return (base, token.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test(.timeLimit(.minutes(2))) func theServerListensAndEndsWithSIGTERM() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let process = try ProgramProcess(arguments(), runtime: runtime)
        defer { process.signal(SIGKILL) }
        let (base, token) = try await listening(process)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(runtime.path)/token")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let port = try #require(base.port)
        let second = try await ProgramProcess.run(arguments(port: "\(port)"), runtime: runtime)
        #expect(second.status == 69)
        #expect(second.errors.contains("in use"))
        let client = try LineClient(port: port)
        client.send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
        // The client watches while the server is ended.
        #expect(await client.line { $0 == "event: hello" })
        process.signal(SIGTERM)
        #expect(await process.end.status == 143)
        #expect(await client.ended())
    }

    @Test(.timeLimit(.minutes(2))) func aKilledServerRestartsWithTheSameToken() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let first = try ProgramProcess(arguments(), runtime: runtime)
        let (base, token) = try await listening(first)
        let port = try #require(base.port)
        let client = try LineClient(port: port)
        client.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
        #expect(await client.line { $0 == "event: hello" })
        first.signal(SIGKILL)
        #expect(await client.ended())
        _ = await first.end
        let second = try ProgramProcess(arguments(port: "\(port)"), runtime: runtime)
        defer { second.signal(SIGKILL) }
        let (_, again) = try await listening(second)
        #expect(again == token)
        let back = try LineClient(port: port)
        back.send(
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost:\(port)\r\nAuthorization: Bearer \(token)\r\n"
                + "Last-Event-ID: before-12\r\n\r\n")
        #expect(await back.line { $0 == "event: missed" })
    }

    /// `harald run` repeats what was done on the Air page.
    @Test(.timeLimit(.minutes(3))) func changesOfTheAirRunAsAScript() async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let process = try ProgramProcess(arguments(), runtime: runtime)
        defer { process.signal(SIGKILL) }
        let (base, token) = try await listening(process)
        func request(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Data {
            var request = URLRequest(url: base.appending(path: "api/v1/\(path)"))
            request.httpMethod = method
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            if let body {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = try JSONSerialization.data(withJSONObject: body)
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            #expect((200..<300).contains(status), "\(method) \(path): \(String(decoding: data, as: UTF8.self))")
            return data
        }
        func text(_ data: Data, _ key: String) throws -> String? {
            try (JSONSerialization.jsonObject(with: data) as? [String: Any])?[key] as? String
        }
        /// Adds a device, waits until it was heard, and returns its identifiers on the air and in the list.
        func add(_ body: [String: Any]) async throws -> (air: String, device: String) {
            let id = try #require(try text(try await request("POST", "air/devices", body), "id"))
            for _ in 0..<1000 {
                let state = try await request("GET", "air/devices/\(id)")
                if let device = try text(state, "device") { return (id, device) }
                await Task.yield()
            }
            throw CancellationError()
        }
        let strap = try await add(["twin": "polar-h7", "distance": 3])
        _ = try await request("POST", "devices/\(strap.device)/connect", [:])
        _ = try await request("GET", "devices/\(strap.device)/tree")
        let own = try await add(["yaml": "name: Own\nservices:\n  - uuid: FFF0\n"])
        let clone = try await add(["clone": strap.device])
        _ = try await request("PATCH", "air/devices/\(own.air)", ["distance": 12, "faults": ["loss": 0.5]])
        _ = try await request("DELETE", "air/devices/\(own.air)")
        // The original has the name of its clone.
        _ = try await request("POST", "devices/\(clone.device)/connect", [:])
        _ = try await request("POST", "devices/\(clone.device)/read", [:])
        _ = try await request("POST", "air/devices/\(clone.air)/cut")
        let script = try await request("GET", "script")
        let file = runtime.appendingPathComponent("script.yaml")
        try script.write(to: file)
        let run = try await ProgramProcess.run("run \(file.path) --json", runtime: runtime)
        let written = String(decoding: script, as: UTF8.self)
        #expect(run.status == 0, "\(run.errors)\n\(run.lines.joined(separator: "\n"))\n\(written)")
        for words in ["- device: polar-h7\n    distance: 3.0 m", "name: Own", "{simulate: \"cut", "{read: \"180F/2A19"]
        {
            #expect(written.contains(words), "\(words) in\n\(written)")
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "--listen 0.0.0.0:0", "--listen nowhere", "--certificate cert.pem", "--listen 127.0.0.1:99999",
        ])
    func invalidArgumentsEndWith64(_ more: String) async throws {
        defer { try? FileManager.default.removeItem(at: runtime) }
        let result = try await ProgramProcess.run("serve --adapter virtual: --no-browser \(more)", runtime: runtime)
        #expect(result.status == 64)
        #expect(!result.errors.isEmpty)
    }
}

/// A connection of which the lines are read.
private final class LineClient: Sendable {
    private let descriptor: Int32
    private let lines: AsyncStream<String>

    init(port: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
        self.descriptor = descriptor
        let (lines, continuation) = AsyncStream<String>.makeStream()
        self.lines = lines
        Thread.detachNewThread {
            var rest = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                rest += String(decoding: buffer[..<count], as: UTF8.self)
                while let end = rest.firstIndex(where: \.isNewline) {
                    continuation.yield(String(rest[..<end]))
                    rest = String(rest[rest.index(after: end)...])
                }
            }
            continuation.finish()
            close(descriptor)
        }
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Waits for a matching line; returns false at the end of the output.
    func line(_ isMeant: (String) -> Bool) async -> Bool {
        for await line in lines where isMeant(line.trimmingCharacters(in: .whitespacesAndNewlines)) { return true }
        return false
    }

    /// Waits until the other side has closed.
    func ended() async -> Bool {
        for await _ in lines {}
        return true
    }
}
#endif
