#if Programs
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import WebServer

/// The arrival of requests, without a connection.
@Suite(.timeLimit(.minutes(1))) struct RequestArrivalTests {
    private struct Broken: Error {}

    private struct Demand: Equatable {
        var isWanted: Bool
        var number: Int
    }

    /// A demand for each body, whose reports are collected.
    private struct Demands {
        let reports: AsyncStream<Demand>
        private let report: AsyncStream<Demand>.Continuation

        init() { (reports, report) = AsyncStream.makeStream(of: Demand.self) }

        func demand(_ number: Int) -> BodyDemand {
            BodyDemand(eventLoop: MultiThreadedEventLoopGroup.singleton.any()) { [report] isWanted in
                report.yield(Demand(isWanted: isWanted, number: number))
            }
        }

        /// Waits for a report.
        func wait(for demand: Demand) async {
            for await report in reports where report == demand { return }
        }
    }

    private enum Change: Equatable { case unchanged, restart, suspend }

    private func change(_ change: RequestArrival.DeadlineChange?) -> Change? {
        switch change {
        case .unchanged: .unchanged
        case .restart: .restart
        case .suspend: .suspend
        case nil: nil
        }
    }

    private func add(_ text: String, to arrival: inout RequestArrival) -> Change? {
        change(arrival.add(ByteBuffer(string: text)))
    }

    private func isNone(_ arrival: RequestArrival) -> Bool { if case .none = arrival.state { true } else { false } }
    private func isIgnored(_ arrival: RequestArrival) -> Bool {
        if case .ignored = arrival.state { true } else { false }
    }

    private func makeArrival(progress: Int = 1 << 20) -> RequestArrival {
        var limits = WebServerConfiguration.Limits()
        limits.progress = progress
        return RequestArrival(limits)
    }

    private func head(_ fields: [(String, String)] = [], _ version: NIOHTTP1.HTTPVersion = .http1_1)
        -> HTTPRequestHead
    {
        HTTPRequestHead(
            version: version, method: .POST, uri: "/things", headers: HTTPHeaders([("Host", "localhost")] + fields))
    }

    private func beginBody(of arrival: inout RequestArrival, _ demands: Demands) throws
        -> (request: Request, expectsContinue: Bool)
    {
        let begun = arrival.beginBody(demands.demand)
        return try #require(begun)
    }

    /// Reads a body to its end.
    private func text(_ body: RequestBody) async throws -> String {
        var text = ""
        for try await part in body { text += String(buffer: part) }
        return text
    }

    // MARK: Bodies that arrive together

    @Test func aBodyThatArrivesTogetherIsCollected() async throws {
        var arrival = makeArrival(progress: 1)
        #expect(isNone(arrival))
        for body in ["abcdef", "", "gh"] {
            try arrival.begin(head())
            // It does not count as progress, and the deadline of the whole request stays.
            for octet in body { #expect(add(String(octet), to: &arrival) == .unchanged) }
            guard case .request(let request) = arrival.end() else {
                Issue.record("no request")
                return
            }
            #expect(arrival.isWhole)
            #expect(request.head.path == "/things")
            // A part of an earlier body is not in it.
            #expect(try await text(request.body) == body)
            #expect(arrival.end() == nil)
            #expect(add("x", to: &arrival) == .unchanged)
            arrival.waitForNext()
            #expect(isNone(arrival))
        }
    }

    @Test func nothingEndsBeforeAHead() {
        var arrival = makeArrival()
        #expect(arrival.end() == nil)
        #expect(add("x", to: &arrival) == .unchanged)
        #expect(isNone(arrival))
        #expect(change(arrival.endBody(nil)) == .unchanged)
        #expect(isNone(arrival))
    }

    @Test func aRefusedHeadBeginsNoRequest() {
        var arrival = makeArrival()
        let heads = [
            head([("Host", "other")]), head([("Transfer-Encoding", "gzip")]),
            HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"),
        ]
        for head in heads {
            #expect(throws: Problem.self) { try arrival.begin(head) }
            #expect(isNone(arrival))
        }
        arrival.ignoreRest()
        #expect(add("x", to: &arrival) == .unchanged)
        guard case .ignored = arrival.end() else {
            Issue.record("the rest was not ignored")
            return
        }
        #expect(arrival.isWhole)
    }

    // MARK: Bodies that continue to arrive

    @Test func aBodyContinuesToArrive() async throws {
        var arrival = makeArrival()
        let demands = Demands()
        #expect(arrival.beginBody(demands.demand) == nil)
        try arrival.begin(head())
        #expect(add("ab", to: &arrival) == .unchanged)
        let begun = try beginBody(of: &arrival, demands)
        #expect(arrival.beginBody(demands.demand) == nil)
        #expect(add("cd", to: &arrival) == .unchanged)
        #expect(!arrival.isWhole)
        guard case .body = arrival.end() else {
            Issue.record("the body did not end")
            return
        }
        #expect(arrival.isWhole)
        #expect(arrival.end() == nil)
        #expect(try await text(begun.request.body) == "abcd")
        #expect(arrival.beginBody(demands.demand) == nil)
    }

    private static let expectations: [(String?, String, Bool)] = [
        ("100-continue", "", true), ("100-Continue", "", true), ("100-continue", "a", false), ("200-ok", "", false),
        (nil, "", false),
    ]

    @Test(arguments: expectations)
    func aClientThatWaitsReceivesContinue(field: String?, body: String, expects: Bool) throws {
        var arrival = makeArrival()
        try arrival.begin(head(field.map { [("Expect", $0)] } ?? []))
        if !body.isEmpty { _ = arrival.add(ByteBuffer(string: body)) }
        let begun = try beginBody(of: &arrival, Demands())
        #expect(begun.expectsContinue == expects)
    }

    @Test func progressExtendsTheDeadline() throws {
        var arrival = makeArrival(progress: 10)
        let demands = Demands()
        for _ in 0..<2 {
            try arrival.begin(head())
            #expect(add("0123456789", to: &arrival) == .unchanged)
            let begun = try beginBody(of: &arrival, demands)
            // The part of the body that arrived with the head is no progress.
            #expect(add("012345678", to: &arrival) == .unchanged)
            // Exactly the limit, which begins again.
            #expect(add("9", to: &arrival) == .restart)
            #expect(add("012345678", to: &arrival) == .unchanged)
            #expect(add("9+", to: &arrival) == .restart)
            // The next request begins without progress.
            #expect(add("012345678", to: &arrival) == .unchanged)
            withExtendedLifetime(begun) { _ = arrival.end() }
            arrival.waitForNext()
        }
    }

    @Test func anIgnoredBodyExtendsNoDeadline() throws {
        var arrival = makeArrival(progress: 1)
        try arrival.begin(head())
        let begun = try beginBody(of: &arrival, Demands())
        #expect(add("a", to: &arrival) == .restart)
        #expect(change(arrival.endBody(nil)) == .unchanged)
        #expect(add("b", to: &arrival) == .unchanged)
        withExtendedLifetime(begun) {}
    }

    // MARK: Full bodies

    /// Begins a body, and adds parts until it is full.
    private func fill(_ arrival: inout RequestArrival, _ demands: Demands) throws -> Request {
        try arrival.begin(head())
        let begun = try beginBody(of: &arrival, demands)
        for number in 0..<7 {
            let change = add("\(number)", to: &arrival)
            #expect(change == .unchanged)
            #expect(!arrival.isBodyFull)
        }
        let change = add("7", to: &arrival)
        #expect(change == .suspend)
        #expect(arrival.isBodyFull)
        return begun.request
    }

    @Test func aFullBodySuspendsTheDeadlineUntilItIsRead() async throws {
        var arrival = makeArrival()
        let demands = Demands()
        let request = try fill(&arrival, demands)
        // Parts of the data that was read already still arrive.
        #expect(add("8", to: &arrival) == .suspend)
        #expect(arrival.isBodyFull)
        var parts = request.body.makeAsyncIterator()
        for number in 0..<8 {
            let part = try await parts.next()
            #expect(part == ByteBuffer(string: "\(number)"))
        }
        await demands.wait(for: Demand(isWanted: true, number: 1))
        // The demand of another body has no effect.
        #expect(change(arrival.bodyIsWanted(true, 2)) == nil)
        #expect(arrival.isBodyFull)
        #expect(change(arrival.bodyIsWanted(true, 1)) == .restart)
        #expect(!arrival.isBodyFull)
        #expect(change(arrival.bodyIsWanted(true, 1)) == .unchanged)
        #expect(add("9", to: &arrival) == .unchanged)
        guard case .body = arrival.end() else {
            Issue.record("the body did not end")
            return
        }
        #expect(change(arrival.bodyIsWanted(true, 1)) == nil)
        let rest = [try await parts.next(), try await parts.next(), try await parts.next()]
        #expect(rest == [ByteBuffer(string: "8"), ByteBuffer(string: "9"), nil])
    }

    /// The consumer reads what arrived, then receives the error.
    @Test func aFullBodyTurnsOutToBeBroken() async throws {
        var arrival = makeArrival()
        let request = try fill(&arrival, Demands())
        #expect(change(arrival.endBody(Broken())) == .restart)
        #expect(!arrival.isBodyFull)
        #expect(isIgnored(arrival))
        // The deadline is not extended again.
        #expect(change(arrival.endBody(Broken())) == .unchanged)
        #expect(change(arrival.bodyIsWanted(true, 1)) == nil)
        #expect(add("x", to: &arrival) == .unchanged)
        var parts = request.body.makeAsyncIterator()
        for number in 0..<8 {
            let part = try await parts.next()
            #expect(part == ByteBuffer(string: "\(number)"))
        }
        var isBroken = false
        do { _ = try await parts.next() } catch is Broken { isBroken = true }
        #expect(isBroken)
    }

    @Test func aFullBodyEndsWithTheInput() async throws {
        var arrival = makeArrival()
        let request = try fill(&arrival, Demands())
        guard case .body = arrival.end() else {
            Issue.record("the body did not end")
            return
        }
        #expect(!arrival.isBodyFull)
        #expect(try await text(request.body) == "01234567")
    }

    @Test func aBodyWithoutConsumerIsIgnored() async throws {
        var arrival = makeArrival()
        let demands = Demands()
        // The consumer ends its interest in a full body, and in one that is not.
        for number in 1...2 {
            if number == 1 {
                _ = try fill(&arrival, demands)
            } else {
                try arrival.begin(head())
                _ = try beginBody(of: &arrival, demands)
            }
            await demands.wait(for: Demand(isWanted: false, number: number))
            #expect(change(arrival.bodyIsWanted(false, 3)) == nil)
            let expected: Change = number == 1 ? .restart : .unchanged
            #expect(change(arrival.bodyIsWanted(false, number)) == expected)
            #expect(isIgnored(arrival))
            #expect(add("x", to: &arrival) == .unchanged)
            guard case .ignored = arrival.end() else {
                Issue.record("the body was not ignored")
                return
            }
            #expect(arrival.isWhole)
            arrival.waitForNext()
        }
    }

    /// A part arrives before the event loop has learned of the end.
    @Test func aPartForAConsumerThatEndedIsDropped() async throws {
        var arrival = makeArrival()
        let demands = Demands()
        _ = try fill(&arrival, demands)
        await demands.wait(for: Demand(isWanted: false, number: 1))
        #expect(add("x", to: &arrival) == .restart)
        #expect(isIgnored(arrival))
        #expect(change(arrival.bodyIsWanted(false, 1)) == nil)
    }
}

/// Reads that are held back, and the parts of requests that wait.
@Suite struct InputBackPressureTests {
    private let parts: [HTTPServerRequestPart] = [
        .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/1")), .body(ByteBuffer(string: "a")), .end(nil),
        .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/2")), .end(nil),
    ]

    @Test func aReadThatWasNotHeldBackIsNotRepeated() {
        var input = InputBackPressure()
        #expect(input.mayRead(isBodyFull: false) == true)
        #expect(input.mayContinue(isBodyFull: false) == false)
    }

    @Test func aFullBodyHoldsReadsBack() {
        var input = InputBackPressure()
        #expect(input.mayRead(isBodyFull: true) == false)
        #expect(input.mayContinue(isBodyFull: true) == false)
        #expect(input.mayContinue(isBodyFull: false) == true)
        // One read, however many were held back.
        #expect(input.mayContinue(isBodyFull: false) == false)
        #expect(input.mayRead(isBodyFull: true) == false)
        #expect(input.mayRead(isBodyFull: true) == false)
        #expect(input.mayContinue(isBodyFull: false) == true)
        #expect(input.mayContinue(isBodyFull: false) == false)
    }

    @Test func laterRequestsAreReleasedInOrderBeforeTheNextRead() {
        var input = InputBackPressure()
        #expect(!input.hasLater)
        for part in parts { input.add(part) }
        #expect(input.mayRead(isBodyFull: false) == false)
        var released: [HTTPServerRequestPart] = []
        while input.hasLater {
            #expect(input.mayContinue(isBodyFull: false) == false)
            if let part = input.next() { released.append(part) }
        }
        #expect(released == parts)
        #expect(input.next() == nil)
        // The last of them may have filled a body.
        #expect(input.mayContinue(isBodyFull: true) == false)
        #expect(input.mayContinue(isBodyFull: false) == true)
        #expect(input.mayRead(isBodyFull: false) == true)
    }

    @Test func discardedRequestsHoldNothingBack() {
        var input = InputBackPressure()
        for part in parts { input.add(part) }
        #expect(input.mayRead(isBodyFull: false) == false)
        input.discard()
        #expect(!input.hasLater)
        #expect(input.next() == nil)
        #expect(input.mayContinue(isBodyFull: false) == true)
    }
}

/// The end of a connection after its responses.
@Suite struct ResponseOutputTests {
    private func head(
        _ version: NIOHTTP1.HTTPVersion, _ connection: String? = nil, method: NIOHTTP1.HTTPMethod = .GET
    ) -> HTTPRequestHead {
        var head = HTTPRequestHead(version: version, method: method, uri: "/")
        if let connection { head.headers.add(name: "Connection", value: connection) }
        return head
    }

    private func closes(_ heads: [HTTPRequestHead]) -> Bool {
        var output = ResponseOutput()
        for head in heads { output.begin(head) }
        return output.closesAfterResponse
    }

    @Test func requestsThatKeepTheConnection() {
        #expect(!ResponseOutput().closesAfterResponse)
        #expect(!closes([head(.http1_1)]))
        #expect(!closes([head(.http1_1, "keep-alive"), head(.http1_1, "TE"), head(.http1_1)]))
    }

    @Test func requestsThatEndTheConnection() {
        #expect(closes([head(.http1_1, "close")]))
        #expect(closes([head(.http1_1, "TE, Close")]))
        #expect(closes([head(.http1_0)]))
        // The end of a stream is that of the connection.
        #expect(closes([head(.http1_0, "keep-alive")]))
        #expect(closes([head(.http1_1, method: .CONNECT)]))
    }

    @Test func aLaterRequestDoesNotKeepTheConnection() {
        #expect(closes([head(.http1_1, "close"), head(.http1_1)]))
        var output = ResponseOutput()
        // The server ends it, whatever the client asks for.
        output.closesAfterResponse = true
        output.begin(head(.http1_1, "keep-alive"))
        #expect(output.closesAfterResponse)
    }
}
#endif
