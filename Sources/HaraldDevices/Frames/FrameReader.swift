/// Finds frames in bytes that come in pieces: a frame spans several pieces, a piece has several frames, noise comes
/// before, lengths lie, frames do not end.
///
/// It keeps no more than one longest frame, looks at no clock of its own, and says what it dropped.
public struct FrameReader: Sendable {
    /// What came of some bytes.
    public enum Event: Hashable, Sendable {
        /// A frame.
        case frame(Frame)
        /// Bytes that belong to no frame.
        case dropped(Dropped)
    }

    /// Bytes that belong to no frame.
    public struct Dropped: Hashable, Sendable {
        /// Why they were dropped.
        public enum Reason: Hashable, Sendable {
            /// They begin no frame.
            case noise
            /// They begin as a frame does, with a length that no frame has.
            case length(Int)
            /// They end as no frame does: the checksum or the last bytes are wrong.
            case trailer
            /// They began a frame, and the rest did not come in time.
            case timeout
        }

        /// How many.
        public var count: Int
        /// The first of them, 16 at most.
        public var first: [UInt8]
        /// Why.
        public var reason: Reason
    }

    /// What frames look like.
    public let format: FrameFormat
    /// How many bytes were dropped so far.
    public private(set) var droppedCount = 0
    private var buffer: [UInt8] = []
    private var lastArrival: Duration?

    /// A reader of frames of a format.
    public init(_ format: FrameFormat) { self.format = format }

    /// How many bytes wait for the rest of their frame; never more than the longest frame.
    public var pendingCount: Int { buffer.count }

    /// Takes bytes and tells what came of them.
    /// - Parameter now: the time, counted from whenever; nil for a reader that gives no frame up.
    public mutating func read(_ bytes: some Sequence<UInt8>, at now: Duration? = nil) -> [Event] {
        var events: [Event] = []
        if let now { expire(at: now, &events) }
        for byte in bytes {
            buffer.append(byte)
            // One byte at a time, so that the buffer never grows beyond a frame.
            parse(&events)
        }
        lastArrival = now ?? lastArrival
        return events
    }

    /// Gives up what is pending, whatever the time; frames that were hidden behind a lying length are found then.
    public mutating func giveUp() -> [Event] {
        var events: [Event] = []
        giveUp(&events)
        return events
    }

    /// Gives up a frame whose rest did not come in time; frames that were hidden behind a lying length are found then.
    public mutating func expire(at now: Duration) -> [Event] {
        var events: [Event] = []
        expire(at: now, &events)
        return events
    }

    /// When ``expire(at:)`` has something to do; nil where nothing is pending.
    public var deadline: Duration? { buffer.isEmpty ? nil : lastArrival.map { $0 + format.patience } }

    private mutating func expire(at now: Duration, _ events: inout [Event]) {
        if let deadline, now >= deadline { giveUp(&events) }
    }

    private mutating func giveUp(_ events: inout [Event]) {
        // Everything that is pending is as old as its first byte.
        while !buffer.isEmpty {
            drop(1, .timeout, &events)
            parse(&events)
        }
    }

    private mutating func parse(_ events: inout [Event]) {
        while !buffer.isEmpty {
            let marked = zip(buffer, format.start).allSatisfy { $0 == $1 }
            guard marked else {
                drop(1, .noise, &events)
                continue
            }
            guard buffer.count >= format.lengthAt + format.lengthBytes else { return }
            let field = buffer[format.lengthAt..<format.lengthAt + format.lengthBytes]
            let length = format.isBigEndian ? format.length(field) : format.length(field.reversed())
            guard length <= format.longestPayload else {
                drop(1, .length(length), &events)
                continue
            }
            let size = length + format.overhead
            guard buffer.count >= size else { return }
            let end = size - format.trailer.count
            guard format.accepts(trailer: buffer[end..<size], after: buffer[..<end]) else {
                drop(1, .trailer, &events)
                continue
            }
            let bytes = Array(buffer[..<size])
            events.append(
                .frame(
                    Frame(
                        bytes: bytes, payload: Array(bytes[format.payloadAt..<format.payloadAt + length]),
                        header: Array(bytes[format.start.count..<format.lengthAt]))))
            buffer.removeFirst(size)
        }
    }

    /// Bytes dropped one after the other are one event, with the first reason.
    private mutating func drop(_ count: Int, _ reason: Dropped.Reason, _ events: inout [Event]) {
        let bytes = buffer.prefix(count)
        droppedCount += bytes.count
        if case .dropped(var last)? = events.last, last.reason == reason || reason == .noise {
            last.count += bytes.count
            if last.first.count < 16 { last.first += bytes }
            events[events.count - 1] = .dropped(last)
        } else {
            events.append(.dropped(Dropped(count: bytes.count, first: Array(bytes), reason: reason)))
        }
        buffer.removeFirst(bytes.count)
    }
}

extension FrameReader.Dropped: CustomStringConvertible {
    /// "5 bytes dropped: noise"
    public var description: String {
        let why =
            switch reason {
            case .noise: "noise before a frame"
            case .length(let length): "a length of \(length), which no frame has"
            case .trailer: "a checksum that is wrong"
            case .timeout: "a frame that did not end in time"
            }
        return "\(count) byte\(count == 1 ? "" : "s") dropped: \(why)"
    }
}
