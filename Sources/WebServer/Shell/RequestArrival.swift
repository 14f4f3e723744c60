#if Programs
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

/// The arrival of the current request of a connection: its head, then its body.
///
/// A body that arrives together with the head is collected. Otherwise the request begins with a body that continues to
/// arrive, through a source.
struct RequestArrival {
    /// The part of the current request that has arrived.
    enum State {
        /// No part.
        case none
        /// The head, and perhaps a part of the body; more may be in the data that is being read.
        case begun(HTTPRequest)
        /// The head; the source receives the body. It is full if the consumer has not read the body as fast as it
        /// arrived.
        case body(RequestBodySource, isFull: Bool)
        /// The head; the rest of the body is ignored.
        case ignored
        /// The whole request.
        case whole
    }

    /// The end of a request.
    enum End {
        /// The end of a request that arrived together.
        case request(Request)
        /// The end of a body whose request has begun.
        case body
        /// The end of a body that was ignored.
        case ignored
    }

    /// A change of the deadline until which the client must have sent the whole request.
    enum DeadlineChange {
        case unchanged
        /// The time begins again.
        case restart
        /// The client waits for the server.
        case suspend
    }

    private(set) var state = State.none
    /// The part of the body that arrived together with the head.
    private var body = ByteBuffer()
    /// The octets of the body that have arrived since the deadline was set.
    private var progress = 0
    /// The octets of progress that extend the deadline. The limit of the body's size bounds the number of times.
    private let steadyProgress: Int
    /// The number of the last body that continued to arrive, which distinguishes the bodies.
    private var number = 0

    init(_ limits: WebServerConfiguration.Limits) { steadyProgress = limits.progress }

    var isWhole: Bool { if case .whole = state { true } else { false } }
    var isBodyFull: Bool { if case .body(_, isFull: true) = state { true } else { false } }

    // MARK: Parts

    /// Begins a request with its head.
    ///
    /// - Throws: ``Problem``, if the request must be refused.
    mutating func begin(_ head: HTTPRequestHead) throws { state = .begun(try head.request()) }

    /// Adds a part of the body.
    mutating func add(_ buffer: ByteBuffer) -> DeadlineChange {
        switch state {
        case .begun:
            if body.readableBytes == 0 { body = buffer } else { body.writeImmutableBuffer(buffer) }
            return .unchanged
        case .body(let source, let isFull):
            progress += buffer.readableBytes
            let isSteady = progress >= steadyProgress
            if isSteady { progress = 0 }
            switch source.yield(buffer) {
            case .produceMore: return isSteady ? .restart : .unchanged
            case .stopProducing:
                state = .body(source, isFull: true)
                return .suspend
            case .dropped:
                state = .ignored
                return isSteady || isFull ? .restart : .unchanged
            }
        case .none, .ignored, .whole: return .unchanged
        }
    }

    /// Ends the request. Returns nil if none is arriving.
    mutating func end() -> End? {
        let end: End
        switch state {
        case .begun(let head): end = .request(Request(head: head, body: RequestBody(buffer: takeBody())))
        case .body(let source, _):
            source.finish()
            end = .body
        case .ignored: end = .ignored
        case .none, .whole: return nil
        }
        (state, progress) = (.whole, 0)
        return end
    }

    // MARK: A body that continues to arrive

    /// Returns a request whose body has not arrived as a whole, and whether its client expects 100 (Continue) before it
    /// sends the body. Returns nil unless only the head and perhaps a part of the body have arrived.
    /// - Parameter demand: creates the demand for the body with a number.
    mutating func beginBody(_ demand: (_ number: Int) -> BodyDemand) -> (request: Request, expectsContinue: Bool)? {
        guard case .begun(let head) = state else { return nil }
        number += 1
        let (sequence, source) = RequestBodySource.make(demand(number))
        state = .body(source, isFull: false)
        let first = takeBody()
        let hasBody = first.readableBytes > 0
        // One piece does not fill the source.
        if hasBody { _ = source.yield(first) }
        let expectsContinue = !hasBody && head.headerFields[.expect]?.lowercased() == "100-continue"
        return (Request(head: head, body: RequestBody(asyncSequence: sequence)), expectsContinue)
    }

    /// Handles the consumer's request for more of a body, or the end of its interest in it. Returns nil if the body
    /// with this number is not arriving.
    mutating func bodyIsWanted(_ isWanted: Bool, _ number: Int) -> DeadlineChange? {
        guard number == self.number, case .body(let source, let isFull) = state else { return nil }
        state = isWanted ? .body(source, isFull: false) : .ignored
        return isFull ? .restart : .unchanged
    }

    /// Ends the body for its consumer, if one is arriving, and ignores the rest.
    /// - Parameter error: the error that the consumer receives; nil for none.
    @discardableResult
    mutating func endBody(_ error: (any Error)?) -> DeadlineChange {
        guard case .body(let source, let isFull) = state else { return .unchanged }
        if let error { source.finish(error) } else { source.finish() }
        state = .ignored
        return isFull ? .restart : .unchanged
    }

    // MARK: Exchanges

    /// Ignores the rest of the current request.
    mutating func ignoreRest() { state = .ignored }

    /// Waits for the head of the next request.
    mutating func waitForNext() { state = .none }

    private mutating func takeBody() -> ByteBuffer {
        defer { body = ByteBuffer() }
        return body
    }
}
#endif
