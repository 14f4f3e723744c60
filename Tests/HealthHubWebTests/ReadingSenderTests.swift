import Forwarding
import Foundation
import HealthHub
import NIOCore
import NIOHTTP1
import PeerSupport
import Synchronization
import Testing

@testable import HealthHubWeb

@Suite("Sending readings to a hub", .timeLimit(.minutes(2)))
struct ReadingSenderTests {
    /// A queue with readings, and a file with a token.
    private func withQueue(
        _ bodies: [String], _ body: @Sendable (SendQueue, _ token: String) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "send-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let token = directory.appending(path: "token").path
        try "secret\n".write(toFile: token, atomically: true, encoding: .utf8)
        let queue = try SendQueue(directory: directory.appending(path: "queue").path)
        for (index, text) in bodies.enumerated() { try await queue.append(id: "\(index)", body: text) }
        try await body(queue, token)
        try queue.close()
    }

    private static let cuff = """
        {"device":{"serial":"BP-1"},"characteristic":"2A35","hex":"1E8E0058006900EA070B150506004800FF0000"}
        """

    private final class Answers: Sendable {
        let all = Mutex<[ReadingSender.Event]>([])
        private var answered: [ReadingSender.Answered] {
            all.withLock { $0.compactMap { if case .answered(let answer) = $0 { answer } else { nil } } }
        }
        var texts: [String] { answered.map(\.text) }
        var fullTexts: [String] { answered.map(\.fullText) }
        var statuses: [String] { answered.map(\.status) }
        var waits: [Duration] {
            all.withLock { $0.compactMap { if case .waiting(_, _, let again) = $0 { again } else { nil } } }
        }
    }

    private func sender(
        _ queue: SendQueue, _ url: String, _ token: String, _ answers: Answers = Answers(),
        connectionTimeout: Duration = .seconds(10), responseTimeout: Duration = .seconds(60)
    ) throws -> ReadingSender {
        try ReadingSender(
            queue: queue, address: HubAddress(url), tokenFile: token, connectionTimeout: connectionTimeout,
            responseTimeout: responseTimeout
        ) { event in
            answers.all.withLock { $0.append(event) }
        }
    }

    private static func reply(_ statuses: [String]) -> HubStub.Answer {
        let results = statuses.enumerated().map { index, status in
            """
            {"index":\(index),"status":"\(status)","id":"7","person":"1","problem":\(status == "refused" ? "\"no\"" : "null"),
            "judgement":{"code":"hypertension","sentence":"142/88 mmHg: in the range of hypertension at home, ESC 2024","urgent":false}}
            """
        }
        return HubStub.Answer(
            status: 200,
            body: """
                {"results":[\(results.joined(separator: ","))],"states":{"1":{"summaries":{"bloodPressure":{"unit":"mmHg",
                "mean":"138/86 mmHg","periods":[{"days":7,"count":3,"mean":{"systolic":138.5,"diastolic":86.2}}]}}}}}
                """)
    }

    @Test("Stored, known and refused readings leave the queue; the answer has the mean")
    func answered() async throws {
        try await withQueue(Array(repeating: Self.cuff, count: 3)) { queue, token in
            let stub = HubStub { _, _ in Self.reply(["stored", "known", "refused"]) }
            try await stub.run { url in
                let answers = Answers()
                let sender = try sender(queue, url, token, answers)
                #expect(await sender.flush(within: .seconds(60)) == .nothing)
                #expect(try await queue.count() == 0)
                let text = "142/88 mmHg: in the range of hypertension at home, ESC 2024; mean of 7 days 138/86 mmHg"
                #expect(answers.texts == [text, text, "142/88 mmHg: refused: no"])
                #expect(try String(contentsOfFile: queue.refusedFile, encoding: .utf8).contains("BP-1"))
                await sender.close()
            }
            #expect(stub.received.first?.headers["authorization"] == "Bearer secret")
            #expect(stub.received.first?.path == "/api/v1/readings")
        }
    }

    @Test(
        "No reading is lost if the hub is temporarily unavailable",
        arguments: [
            (429, "3", Duration.seconds(3) as Duration?), (507, "", nil), (503, "10", .seconds(10)), (500, "", nil),
        ])
    func refusedForNow(status: Int, retryAfter: String, wait: Duration?) async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let stub = HubStub { _, number in
                guard number == 0 else { return Self.reply(["stored"]) }
                return HubStub.Answer(
                    status: status, headers: retryAfter.isEmpty ? [:] : ["retry-after": retryAfter],
                    body: #"{"title":"Not now"}"#)
            }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                #expect(
                    await sender.attempt() == .failed("the hub responded with status \(status): Not now", after: wait))
                #expect(try await queue.count() == 1)
                #expect(await sender.attempt() == .progress)
                #expect(try await queue.count() == 0)
                await sender.close()
            }
        }
    }

    @Test("One reading that the hub cannot parse does not block the others")
    func bisects() async throws {
        let bodies = (0..<8).map { #"{"id":"\#($0)"}"# }
        try await withQueue(bodies) { queue, token in
            let stub = HubStub { request, _ in
                let text = String(decoding: request.body, as: UTF8.self)
                if text.contains(#""id":"5""#) {
                    return HubStub.Answer(
                        status: 400, headers: ["content-type": "application/problem+json"],
                        body: #"{"type":"/problems/bad-request","status":400,"detail":"bad"}"#)
                }
                return Self.reply(Array(repeating: "stored", count: text.components(separatedBy: #""id""#).count - 1))
            }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                #expect(await sender.flush(within: .seconds(60)) == .nothing)
                #expect(try await queue.count() == 0)
                let refused = try String(contentsOfFile: queue.refusedFile, encoding: .utf8)
                #expect(refused == #"{"problem":"bad","reading":{"id":"5"}}"# + "\n")
                await sender.close()
            }
        }
    }

    @Test("Queued entries that are not readings are set aside, and the others are sent")
    func unusable() async throws {
        try await withQueue(["", Self.cuff, #"],"x":["#, "{}"]) { queue, token in
            let stub = HubStub { _, _ in Self.reply(["stored", "stored"]) }
            try await stub.run { url in
                let answers = Answers()
                let sender = try sender(queue, url, token, answers)
                #expect(await sender.flush(within: .seconds(60)) == .nothing)
                #expect(answers.statuses == ["unusable", "unusable", "stored", "stored"])
                #expect(try await queue.count() == 0)
                let refused = try String(contentsOfFile: queue.refusedFile, encoding: .utf8)
                #expect(refused.split(separator: "\n").count == 2)
                await sender.close()
            }
            #expect(
                stub.received.map { String(decoding: $0.body, as: UTF8.self) } == [
                    #"{"readings":["# + Self.cuff + ",{}]}"
                ])
        }
    }

    @Test("A file that cannot be written is not called a hub that cannot be reached")
    func blocked() async throws {
        try await withQueue([""]) { queue, token in
            let sender = try sender(queue, "http://127.0.0.1:9", token)
            // The file for entries that cannot be sent.
            try FileManager.default.createDirectory(atPath: queue.refusedFile, withIntermediateDirectories: false)
            #expect(
                await sender.flush(within: .seconds(60))
                    == .blocked("cannot write \(queue.refusedFile): Is a directory"))
            #expect(try await queue.count() == 1)
            await sender.close()
        }
    }

    @Test("The last attempt keeps the pause that the hub requested")
    func lastAttempt() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let stub = HubStub { _, number in
                number == 0 ? HubStub.Answer(status: 503, headers: ["retry-after": "3600"]) : Self.reply(["stored"])
            }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                let reason = await sender.attempt().reason
                #expect(await sender.flush(within: .seconds(60)).reason == reason)
                #expect(reason?.contains("status 503") == true)
                await sender.close()
            }
            #expect(stub.received.count == 1)
        }
    }

    @Test("An answer names the time and the device of its reading")
    func answerWithDevice() async throws {
        let reading = """
            {"device":{"id":"3","name":"bp monitor"},"characteristic":"2A35","time":"2026-11-21T08:00:12Z",
            "hex":"1E8E0058006900EA070B150506004800FF0000"}
            """
        try await withQueue([reading]) { queue, token in
            try await HubStub { _, _ in Self.reply(["stored"]) }.run { url in
                let answers = Answers()
                let sender = try sender(queue, url, token, answers)
                #expect(await sender.flush(within: .seconds(60)) == .nothing)
                #expect(answers.fullTexts == ["2026-11-21T08:00:12Z  bp monitor  \(answers.texts[0])"])
                await sender.close()
            }
        }
    }

    @Test(
        "A proxy that refuses the request removes nothing from the queue", arguments: [400, 413, 422],
        [("text/html", "<html>"), ("application/problem+json", #"{"type":"about:blank","detail":"no"}"#), ("", "")])
    func proxy(status: Int, answer: (type: String, body: String)) async throws {
        try await withQueue([Self.cuff, Self.cuff]) { queue, token in
            let headers = answer.type.isEmpty ? [:] : ["content-type": answer.type]
            let stub = HubStub { _, _ in HubStub.Answer(status: status, headers: headers, body: answer.body) }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                let reason = await sender.flush(within: .seconds(60)).reason
                #expect(reason?.contains("did not respond like a hub") == true, "\(reason ?? "")")
                #expect(try await queue.count() == 2)
                #expect(!FileManager.default.fileExists(atPath: queue.refusedFile))
                await sender.close()
            }
        }
    }

    @Test("A response without end is a failure")
    func endless() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            try await HubStub { _, _ in HubStub.Answer(status: 200, isEndless: true) }.run { url in
                let sender = try sender(queue, url, token, responseTimeout: .milliseconds(200))
                guard case .failed(let reason, _) = await sender.attempt() else {
                    Issue.record("the response was taken")
                    return
                }
                #expect(reason.hasSuffix("cannot be reached: no response in time"))
                #expect(try await queue.count() == 1)
                await sender.close()
            }
        }
    }

    @Test("A hub cannot shorten the pauses", arguments: ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
    func pauses(retryAfter: String) async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let stub = HubStub { _, _ in HubStub.Answer(status: 429, headers: ["retry-after": retryAfter]) }
            try await stub.run { url in
                let (waits, wait) = AsyncStream<Duration>.makeStream()
                let sender = try ReadingSender(queue: queue, address: HubAddress(url), tokenFile: token) { event in
                    if case .waiting(_, _, let again) = event { wait.yield(again) }
                }
                let running = Task { await sender.run() }
                let first = await waits.first { _ in true }
                running.cancel()
                await running.value
                #expect(try #require(first) >= .milliseconds(750))
                await sender.close()
            }
        }
    }

    @Test("An address with the wrong protocol is named in plain words")
    func wrongProtocol() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            try await HubStub { _, _ in HubStub.Answer(status: 200) }.run { url in
                let sender = try sender(queue, url.replacing("http://", with: "https://"), token)
                let reason = await sender.flush(within: .seconds(60)).reason
                #expect(reason?.contains("the server does not use TLS at this port") == true, "\(reason ?? "")")
                await sender.close()
            }
        }
        #expect(ConnectionProblem.text(of: HTTPParserError.invalidConstant) == "the response is not HTTP")
        #expect(
            ConnectionProblem.text(of: ChannelError.ioOnClosedChannel) == "the server closed the connection")
        #expect(
            ConnectionProblem.text(of: HTTPParserError.invalidEOFState) == "the server closed the connection")
        #expect(
            ConnectionProblem.text(of: NIOTooManyBytesError(maxBytes: 16))
                == "the response is longer than 16 octets")
    }

    @Test("A token file with several words is not called empty")
    func tokenFile() async throws {
        try await withQueue([]) { queue, token in
            try "one two\n".write(toFile: token, atomically: true, encoding: .utf8)
            let problem = #expect(throws: HubProblem.self) { try sender(queue, "http://127.0.0.1:1", token) }
            #expect(problem?.description.contains("must contain only a token") == true)
        }
    }

    @Test("The longest token is sent")
    func longestToken() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let text = String(repeating: "a", count: SecretText.maximumLength)
            try text.write(toFile: token, atomically: true, encoding: .utf8)
            let stub = HubStub { _, _ in Self.reply(["stored"]) }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                #expect(await sender.attempt() == .progress)
                await sender.close()
            }
            #expect(stub.received.first?.headers["authorization"] == "Bearer \(text)")
        }
    }

    @Test("A missing certificate file is not called another file")
    func certificateFile() async throws {
        try await withQueue([]) { queue, token in
            let address = try HubAddress("https://127.0.0.1:9")
            for (file, text) in [
                (token + "-ca", "cannot read \(token)-ca: No such file or directory"),
                (token, "\(token) is not a PEM certificate file"),
            ] {
                let problem = #expect(throws: HubProblem.self) {
                    try ReadingSender(queue: queue, address: address, tokenFile: token, certificates: file) { _ in }
                }
                #expect(problem?.description == text)
            }
        }
    }

    @Test("A status that the monitor does not know is named, and the reading stays queued")
    func unknownStatus() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            try await HubStub { _, _ in Self.reply(["postponed"]) }.run { url in
                let sender = try sender(queue, url, token)
                #expect(
                    await sender.attempt()
                        == .failed("the hub responded with the unknown status 'postponed'", after: nil))
                #expect(try await queue.count() == 1)
                await sender.close()
            }
        }
    }

    @Test("Without a hub, readings stay queued and the reason is reported")
    func noHub() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let dead = try HeldPort(.refusing)
            let sender = try sender(queue, "http://127.0.0.1:\(dead.port)", token)
            let reason = await sender.flush(within: .seconds(60)).reason
            #expect(reason?.contains("cannot be reached") == true, "\(reason ?? "")")
            #expect(try await queue.count() == 1)
            await sender.close()
            withExtendedLifetime(dead) {}
        }
    }

    @Test("A hub that does not accept the connection does not delay the end")
    func connectionInProgress() async throws {
        let silent = try HeldPort(.silent)
        try await withQueue([Self.cuff]) { queue, token in
            let sender = try sender(
                queue, "http://127.0.0.1:\(silent.port)", token, connectionTimeout: .seconds(3600))
            #expect(await sender.flush(within: .milliseconds(200)).reason == "the hub did not respond in time")
            // It does not wait for the connection, whose time limit is that of the test many times over.
            await sender.close()
            #expect(try await queue.count() == 1)
        }
        withExtendedLifetime(silent) {}
    }

    @Test("A hub that responds until the time at the end is over is not called silent")
    func timeIsOver() async throws {
        try await withQueue(Array(repeating: "{}", count: 150)) { queue, token in
            let (never, hold) = AsyncStream<Void>.makeStream()
            let stub = HubStub { _, number in
                if number > 0 { for await _ in never {} }
                return Self.reply(Array(repeating: "stored", count: 100))
            }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                let reason = await sender.flush(within: .seconds(5)).reason
                #expect(reason == "the time at the end was over; the hub has responded to the others")
                #expect(try await queue.count() == 50)
                await sender.close()
                hold.finish()
            }
        }
    }

    @Test("The text of a hub's error is one line of limited length")
    func errorText() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            let detail = #"no room\nharald: the queue is empty "# + String(repeating: "x", count: 100_000)
            let stub = HubStub { _, _ in HubStub.Answer(status: 507, body: #"{"detail":"\#(detail)"}"#) }
            try await stub.run { url in
                let sender = try sender(queue, url, token)
                let reason = await sender.flush(within: .seconds(60)).reason ?? ""
                #expect(reason.contains("no room harald: the queue is empty xxx") && reason.count < 400, "\(reason)")
                await sender.close()
            }
        }
        #expect(HubReply.line("142/88 mmHg: in range") == "142/88 mmHg: in range")
        #expect(HubReply.line(String(repeating: "e\u{301}", count: 200)).unicodeScalars.count == 301)
    }

    @Test("A response that is not a hub's removes nothing from the queue")
    func noAnswer() async throws {
        try await withQueue([Self.cuff]) { queue, token in
            for body in ["<html>", #"{"results":[]}"#, #"{"results":[{"index":9,"status":"stored"}]}"#] {
                try await HubStub { _, _ in HubStub.Answer(status: 200, body: body) }.run { url in
                    let sender = try sender(queue, url, token)
                    if case .failed = await sender.attempt() {} else { Issue.record("\(body) was taken") }
                    await sender.close()
                }
            }
            #expect(try await queue.count() == 1)
        }
    }

    @Test("Retry-After is read in seconds and as a date")
    func retryAfter() {
        let now = Date(timeIntervalSince1970: 784_111_777)
        #expect(HTTPPoster.retryAfter("120") == .seconds(120))
        #expect(HTTPPoster.retryAfter("Sun, 06 Nov 1994 08:50:07 GMT", now: now) == .seconds(30))
        #expect(HTTPPoster.retryAfter("9223372036854775808") == .seconds(3600))
        for text in ["soon", "-1", ""] { #expect(HTTPPoster.retryAfter(text) == nil) }
        #expect(HTTPPoster.retryAfter(nil) == nil)
    }

    @Test("The token is not sent unencrypted")
    func addresses() throws {
        #expect(try HubAddress("http://127.0.0.1:8093/").readings == "http://127.0.0.1:8093/api/v1/readings")
        #expect(try HubAddress("https://hub.example/a").readings == "https://hub.example/a/api/v1/readings")
        for text in [
            "http://hub.example", "hub.example:80", "ftp://a", "", "https://a:b@c/", "http://127.hub.example",
            "http://127.0.0.1:80930", "https://a:99999999999", "http://127.0.0.1:8093/#", "https://a/#b",
        ] {
            #expect(throws: HubProblem.self, "\(text)") { try HubAddress(text) }
        }
    }
}
