#if os(Linux)
import PeerSupport
import Testing

/// The communication of tests with other programs. Needs no peer.
@Suite("Peer processes", .timeLimit(.minutes(2)))
struct PeerProcessTests {
    @Test("lines are consumed in any order, once, and a stream receives all")
    func lines() async throws {
        let cat = try PeerProcess("cat")
        try cat.send(#"{"event": "first", "number": 1}"#)
        try cat.send("plain")
        try cat.send(#"{"event": "second", "list": [1, "a", true, null]}"#)
        let second = try await cat.event("second")
        #expect(second["list"]?.list == [.number(1), .text("a"), .bool(true), .null])
        #expect(try await cat.event("first")["number"]?.int == 1)
        #expect(await cat.terminate() == .status(0))
        var all: [String] = []
        for await line in cat.lines { all.append(line.text) }
        #expect(all.count == 3)
        #expect(all[1] == "plain")
        await #expect(throws: PeerError.self) { try await cat.event("first") }
        #expect(throws: PeerError.self) { try cat.send("more") }
    }

    @Test("a missing line is a timeout that shows the received lines")
    func timeout() async throws {
        let cat = try PeerProcess("cat")
        try cat.send("something else")
        _ = try await cat.line("echo") { _ in true }
        let error = await #expect(throws: PeerError.self) {
            try await cat.event("never", timeout: .milliseconds(20))
        }
        #expect(error?.description.contains("something else") == true)
    }

    @Test("a cancelled wait ends immediately")
    func cancellation() async throws {
        let cat = try PeerProcess("cat")
        let wait = Task { try await cat.event("never", timeout: .seconds(3600)) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test("a program that ends early, fails or is killed is an error")
    func ends() async throws {
        let shell = try PeerProcess("sh", ["-c", "echo why; exit 3"])
        let error = await #expect(throws: PeerError.self) { try await shell.event("ready") }
        #expect(error?.description.contains("status 3") == true && error?.description.contains("why") == true)
        let deaf = try PeerProcess("sh", ["-c", "trap '' TERM; echo up; while :; do read x || exec sleep 1000; done"])
        _ = try await deaf.line("up") { $0.text == "up" }
        #expect(await deaf.terminate(within: .milliseconds(50)) == .signal(9))
        #expect(throws: PeerError.self) { try PeerProcess("/nonexistent/program") }
    }

    @Test("a program ends when its object is released")
    func release() async throws {
        var peer: PeerProcess? = try PeerProcess("cat")
        let lines = try #require(peer).lines
        peer = nil
        // The stream ends when the process has been reaped.
        for await _ in lines {}
    }
}
#endif
