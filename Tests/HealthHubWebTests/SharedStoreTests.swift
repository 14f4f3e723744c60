#if os(Linux)
import AsyncHTTPClient
import Foundation
import HealthHub
import NIOCore
import PeerSupport
import TestSupport
import Testing
import WebServer

@testable import HealthHubWeb

@Suite("Two hubs on one database", .timeLimit(.minutes(5)), .enabled(if: PostgresServer.problem == nil), .blocksThread)
struct SharedStoreTests {
    private struct Answer {
        let status: Int
        let text: String
        let cookie: String?
    }

    private let reading = """
        {"readings":[{"device":{"serial":"BP-1"},"characteristic":"2A35",
        "hex":"1E8E0058006900EA070B150506004800FF0000","clockOffset":0}]}
        """

    /// Runs two hubs on a database of their own.
    private func withHubs(_ body: (_ urls: [String], _ store: String) async throws -> Void) async throws {
        let address = try PostgresServer.shared.get().makeDatabase()
        let directory = FileManager.default.temporaryDirectory.appending(path: "h\(UInt32.random(in: 0...UInt32.max))")
        defer {
            try? FileManager.default.removeItem(at: directory)
            try? PostgresServer.shared.get().remove(address)
        }
        var servers: [(HubServer, Task<Void, any Error>)] = []
        var bases: [String] = []
        for name in ["one", "two"] {
            let server = try HubServer(
                store: address, directory: directory.appending(path: name).path,
                listen: WebAddress(host: "127.0.0.1", port: 0))
            let (urls, url) = AsyncStream<String>.makeStream()
            let running = Task {
                defer { url.finish() }
                try await server.run { url.yield($0.base) }
            }
            servers.append((server, running))
            bases.append(try #require(await urls.first { _ in true }))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(bases, address)) } catch { result = .failure(error) }
        for (server, running) in servers {
            server.stop()
            try await running.value
        }
        try result.get()
    }

    private func send(
        _ method: String, _ url: String, _ headers: [String: String], body: String? = nil
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .RAW(value: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await HTTPClient.direct.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 22))
        let cookie = response.headers.first(name: "set-cookie")?.prefix { $0 != ";" }
        return Answer(status: Int(response.status.code), text: text, cookie: cookie.map { String($0) })
    }

    @Test("They answer alike, and a revoked token is invalid at both")
    func alike() async throws {
        try await withHubs { urls, store in
            let added = try await AdministrationSocket.perform(.addToken(name: "k", role: .editor), store: store)
            let token = try #require(added.items.first?.text.split(separator: "\n").first)
            let headers = ["authorization": "Bearer \(token)", "content-type": "application/json"]
            let person = #"{"name":"Anna","born":"1961-04-30"}"#
            #expect(try await send("POST", urls[0] + "/api/v1/people", headers, body: person).status == 201)
            let assignment = #"{"device":"BP-1","person":"1"}"#
            #expect(try await send("POST", urls[1] + "/api/v1/assignments", headers, body: assignment).status == 200)
            #expect(try await send("POST", urls[0] + "/api/v1/readings", headers, body: reading).status == 200)
            let again = try await send("POST", urls[1] + "/api/v1/readings", headers, body: reading)
            #expect(again.text.contains(#""status":"known""#))
            let states = [
                try await send("GET", urls[0] + "/api/v1/people/1/state", headers),
                try await send("GET", urls[1] + "/api/v1/people/1/state", headers),
            ]
            #expect(states[0].text == states[1].text && states[0].text.contains("142/88 mmHg"))
            _ = try await AdministrationSocket.perform(.revokeToken(name: "k"), store: store)
            for url in urls { #expect(try await send("GET", url + "/api/v1/people", headers).status == 401) }
        }
    }

    @Test("A session is valid at both, until it ends at one; wrong passwords are counted together")
    func sessions() async throws {
        try await withHubs { urls, store in
            let hash = try WebPassword.hash("a secret password")
            _ = try await AdministrationSocket.perform(
                .addUser(name: "ed", role: .editor, hash: hash), store: store)
            let form = ["content-type": "application/x-www-form-urlencoded"]
            let login = try await send(
                "POST", urls[0] + "/login", form, body: "name=ed&secret=a+secret+password")
            let cookie = ["cookie": try #require(login.cookie)]
            for url in urls { #expect(try await send("GET", url + "/api/v1/people", cookie).status == 200) }
            #expect(try await send("POST", urls[1] + "/logout", cookie).status == 303)
            for url in urls { #expect(try await send("GET", url + "/api/v1/people", cookie).status == 401) }
            // Five attempts are allowed, and another one after each 30 seconds.
            var (wrong, limited): (Int, Set<String>) = (0, [])
            let begin = ContinuousClock.now
            for url in [[String]](repeating: urls, count: 50).joined() where limited.count < urls.count {
                switch try await send("POST", url + "/login", form, body: "name=ed&secret=no").status {
                case 401: wrong += 1
                case let status:
                    #expect(status == 429)
                    limited.insert(url)
                }
            }
            let restored = Int((.now - begin) / .seconds(30))
            #expect((5...5 + restored).contains(wrong) && limited.count == urls.count)
        }
    }
}
#endif
