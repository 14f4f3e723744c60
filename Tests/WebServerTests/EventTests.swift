import AsyncHTTPClient
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(5))) struct EventLogTests {
    private func events(_ batch: EventLog.Batch?) -> [String] {
        String(buffer: batch?.bytes ?? ByteBuffer()).components(separatedBy: "\n\n").filter { !$0.isEmpty }.map {
            $0.components(separatedBy: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }.joined(separator: "|")
        }
    }

    @Test func returningClientsResumeTheirPosition() throws {
        var log = EventLog(boot: "b", limit: 100, byteLimit: 10_000)
        for number in 1...5 { _ = log.append("value", key: nil, data: "\(number)", audience: nil) }
        var cursor = try #require(log.cursor(after: "b-3"))
        #expect(events(log.read(&cursor, audience: nil, size: 1000)) == ["b-4|value|4", "b-5|value|5"])
        #expect(log.read(&cursor, audience: nil, size: 1000) == nil)
        #expect(log.cursor(after: "b-6") == nil)
        #expect(log.cursor(after: "c-1") == nil)
        #expect(log.cursor(after: "") == nil)
    }

    @Test func theNewestEventOfAKeyReplacesTheOthers() {
        var log = EventLog(boot: "b", limit: 100, byteLimit: 10_000)
        var cursor = log.end
        for number in 1...3 {
            _ = log.append("device", key: "x", data: "\(number)", audience: nil)
            _ = log.append("value", key: nil, data: "v\(number)", audience: nil)
        }
        #expect(
            events(log.read(&cursor, audience: nil, size: 1000))
                == ["b-2|value|v1", "b-4|value|v2", "b-5|device|3", "b-6|value|v3"])
    }

    @Test func missedEventsAreCountedExactly() throws {
        var log = EventLog(boot: "b", limit: 3, byteLimit: 10_000)
        var slow = log.end
        for number in 1...6 {
            _ = log.append("device", key: "x", data: "\(number)", audience: nil)
            _ = log.append("value", key: nil, data: "\(number)", audience: nil)
        }
        // Three are kept: value 5, device 6, value 6. Values 1 to 4 are gone.
        var returning = try #require(log.cursor(after: "b-4"))
        let batch = try #require(log.read(&slow, audience: nil, size: 1000))
        #expect(batch.missed == 4)
        #expect(events(batch) == ["b-10|value|5", "b-11|device|6", "b-12|value|6"])
        #expect(log.read(&returning, audience: nil, size: 1000)?.missed == 2)
    }

    @Test func frequentlyChangingKeysDoNotDisplaceOthers() throws {
        var log = EventLog(boot: "b", limit: 8, byteLimit: 10_000)
        var cursor = log.end
        _ = log.append("value", key: nil, data: "v", audience: nil)
        for number in 1...100 { _ = log.append("device", key: "x", data: "\(number)", audience: nil) }
        let batch = try #require(log.read(&cursor, audience: nil, size: 1000))
        #expect(batch.missed == 0)
        #expect(events(batch) == ["b-1|value|v", "b-101|device|100"])
        // Replaced ones are not kept without end either.
        for number in 1...100 { _ = log.append("device", key: "x", data: "\(number)", audience: nil) }
        var returning = try #require(log.cursor(after: "b-0"))
        #expect(log.read(&returning, audience: nil, size: 1000)?.missed == 1)
    }

    @Test func eventsOfAViewerReachOnlyThatViewer() {
        var log = EventLog(boot: "b", limit: 10, byteLimit: 10_000)
        var mine = log.end
        var other = log.end
        _ = log.append("pairing", key: nil, data: "1", audience: "me")
        #expect(events(log.read(&mine, audience: "me", size: 100)) == ["b-1|pairing|1"])
        #expect(log.read(&other, audience: "you", size: 100) == nil)
    }

    @Test func dataOfSeveralLinesIsOneEvent() {
        #expect(
            String(buffer: EventLog.encoded(id: "b-1", name: "x", data: "a\nb"))
                == "id: b-1\nevent: x\ndata: a\ndata: b\n\n")
    }
}

@Suite(.timeLimit(.minutes(5))) struct EventHubTests {
    /// Each sleep of the hub waits for one permission.
    private final class Gate: Sendable {
        let stream: AsyncStream<Void>
        private let source: AsyncStream<Void>.Continuation
        private let started: AsyncStream<Void>.Continuation
        let starts: AsyncStream<Void>

        init() {
            (stream, source) = AsyncStream.makeStream()
            (starts, started) = AsyncStream.makeStream()
        }

        func pass() { source.yield() }

        @Sendable func sleep(_: Duration) async {
            started.yield()
            for await _ in stream { return }
        }
    }

    @Test func changesOfAKeyAreThrottled() async throws {
        let gate = Gate()
        let hub = EventHub(sleep: gate.sleep)
        let (stream, cursor, _) = hub.open(viewer: "v", lastEventID: nil)
        var position = cursor
        var starts = gate.starts.makeAsyncIterator()
        hub.publishNewest("device", key: "a") { "1" }
        await starts.next()
        for number in 2...9 { hub.publishNewest("device", key: "a") { "\(number)" } }
        let first = try #require(hub.read(&position, viewer: "v"))
        #expect(String(buffer: first.bytes).contains("data: 1\n"))
        #expect(hub.read(&position, viewer: "v") == nil)
        gate.pass()
        await starts.next()
        let second = try #require(hub.read(&position, viewer: "v"))
        #expect(String(buffer: second.bytes).contains("data: 9\n"))
        #expect(hub.counters.replaced == 7)
        #expect(hub.counters.published == 9)
        hub.close(stream: stream, viewer: "v")
        hub.close()
        gate.pass()
    }

    @Test func anOlderValueOfAKeyNeverFollowsANewerOne() async throws {
        var configuration = EventHub.Configuration()
        configuration.pending = 0
        let hub = EventHub(configuration: configuration)
        var (_, position, _) = hub.open(viewer: "v", lastEventID: nil)
        let newer = DispatchSemaphore(value: 0)
        let (ends, end) = AsyncStream<Void>.makeStream()
        hub.publishNewest("device", key: "a") {
            // While this value is encoded, another thread publishes a newer one, which is sent at once.
            DispatchQueue.global().async {
                hub.publishNewest("device", key: "a") { "2" }
                newer.signal()
                end.finish()
            }
            _ = newer.wait(timeout: .now() + 0.5)
            return "1"
        }
        for await _ in ends {}
        let batch = try #require(hub.read(&position, viewer: "v"))
        #expect(String(buffer: batch.bytes).hasSuffix("data: 2\n\n"))
        hub.close()
    }

    @Test func aViewerOpensWithItsFirstStreamAndClosesWithTheLast() {
        let changes = Mutex<[String]>([])
        let hub = EventHub(viewerChanged: { viewer, isOpen in changes.withLock { $0.append("\(viewer) \(isOpen)") } })
        let (one, _, _) = hub.open(viewer: "v", lastEventID: nil)
        let (two, _, _) = hub.open(viewer: "v", lastEventID: nil)
        hub.close(stream: one, viewer: "v")
        #expect(changes.withLock { $0 } == ["v true"])
        hub.close(stream: two, viewer: "v")
        #expect(changes.withLock { $0 } == ["v true", "v false"])
    }
}

@Suite(.blocksThread, .timeLimit(.minutes(5))) struct EventStreamTests {
    /// Reads events of a response one by one.
    private struct Reader {
        var iterator: HTTPClientResponse.Body.AsyncIterator
        var text = ""

        mutating func next() async throws -> [String: String]? {
            while true {
                if let end = text.range(of: "\n\n") {
                    let block = text[..<end.lowerBound]
                    text = String(text[end.upperBound...])
                    var event: [String: String] = [:]
                    for line in block.split(separator: "\n") {
                        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                        if parts.count == 2, !parts[0].isEmpty {
                            event[String(parts[0])] = String(parts[1].dropFirst())
                        }
                    }
                    if !event.isEmpty { return event }
                    continue
                }
                guard let chunk = try await iterator.next() else { return nil }
                text += String(buffer: chunk)
            }
        }
    }

    private func open(_ running: RunningServer, _ headers: [String: String] = [:], viewer: String = "a") async throws
        -> Reader
    {
        var headers = headers
        headers["Authorization"] = "Bearer \(try running.token)"
        let response = try await running.client.execute(
            running.request("/api/v1/events?viewer=\(viewer)", headers: headers), timeout: .seconds(60))
        #expect(response.status.code == 200)
        #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
        return Reader(iterator: response.body.makeAsyncIterator())
    }

    @Test func aStreamBeginsWithHelloAndContinues() async throws {
        let store = try TemporaryDirectory()
        let hub = EventHub()
        try await RunningServer.with(store: store.path, hub: hub) { running in
            var reader = try await open(running)
            let hello = try #require(try await reader.next())
            #expect(hello["event"] == "hello" && hello["data"] == "{\"viewer\":1}")
            hub.publish("value", data: "1")
            let value = try #require(try await reader.next())
            #expect(value["data"] == "1" && value["id"] == "\(hub.boot)-1")
            hub.publish("value", data: "2")
            var again = try await open(running, ["Last-Event-ID": "\(hub.boot)-1"])
            #expect(try await again.next()?["event"] == "hello")
            #expect(try await again.next()?["data"] == "2")
            var stranger = try await open(running, ["Last-Event-ID": "before-7"])
            #expect(try await stranger.next()?["event"] == "hello")
            let missed = try #require(try await stranger.next())
            #expect(missed["event"] == "missed" && missed["data"] == "{\"count\":1}")
            #expect(try await stranger.next()?["data"] == "1")
            // The server ends its streams when it stops.
            running.server.stop()
            _ = try await reader.next()
            #expect(try await reader.next() == nil)
        }
    }

    @Test func aLogoutEndsTheStreamsOfItsSessionAlone() async throws {
        let store = try TemporaryDirectory()
        let ended = Mutex<[String]>([])
        let hub = EventHub(sessionEnded: { session in ended.withLock { $0.append(session) } })
        try await RunningServer.with(store: store.path, hub: hub) { running in
            let cookies = [try await running.logIn(), try await running.logIn()]
            var readers: [Reader] = []
            for cookie in cookies {
                let response = try await running.client.execute(
                    running.request("/api/v1/events?viewer=a", headers: ["Cookie": cookie]), timeout: .seconds(60))
                readers.append(Reader(iterator: response.body.makeAsyncIterator()))
            }
            for index in readers.indices { #expect(try await readers[index].next()?["event"] == "hello") }
            let answer = try await running.send("/logout", method: "POST", headers: ["Cookie": cookies[0]])
            #expect(answer.status == 303)
            hub.publish("value", data: "1")
            #expect(try await readers[0].next() == nil)
            #expect(try await readers[1].next()?["data"] == "1")
            #expect(ended.withLock { $0.count } == 1)
            #expect(try await running.send("/api/v1/things/1", headers: ["Cookie": cookies[0]]).status == 401)
        }
    }

    @Test func aSlowClientDelaysNoOtherAndReceivesTheNumberOfMissedEvents() async throws {
        let store = try TemporaryDirectory()
        var configuration = EventHub.Configuration()
        configuration.history = 64
        let hub = EventHub(configuration: configuration)
        // It may not read for long where the machine is busy.
        let patient: (inout WebServerConfiguration) -> Void = { configuration in
            configuration.limits.idle = .seconds(600)
            configuration.limits.unacknowledged = .seconds(600)
        }
        try await RunningServer.with(store: store.path, hub: hub, change: patient) { running in
            var slow = try await open(running, viewer: "slow")
            var quick = try await open(running, viewer: "quick")
            _ = try await slow.next()
            _ = try await quick.next()
            let padding = String(repeating: "x", count: 40_000)
            // More than sockets hold: the slow one falls behind the 64 that are kept.
            for number in 1...400 {
                hub.publish("value", data: "\(number) \(padding)")
                let event = try #require(try await quick.next())
                #expect(event["data"]?.hasPrefix("\(number) ") == true)
            }
            var received = 0
            var missed = 0
            while received + missed < 400 {
                let event = try #require(try await slow.next())
                if event["event"] == "missed" {
                    missed += Int(try #require(event["data"]).filter(\.isNumber)) ?? 0
                } else {
                    received += 1
                }
            }
            #expect(missed > 0)
            #expect(received + missed == 400)
        }
    }

    @Test func aDisconnectedClientClosesItsViewer() async throws {
        let store = try TemporaryDirectory()
        let (closed, source) = AsyncStream<String>.makeStream()
        let hub = EventHub(viewerChanged: { viewer, isOpen in if !isOpen { source.yield(viewer) } })
        try await RunningServer.with(store: store.path, hub: hub) { running in
            let reading = Task {
                var reader = try await open(running, viewer: "gone")
                while try await reader.next() != nil {}
            }
            while hub.streamCount == 0 { try await Task.pause() }
            reading.cancel()
            var iterator = closed.makeAsyncIterator()
            #expect(await iterator.next() == "bearer/gone")
        }
    }
}
