import BluetoothModel

/// Finds frames in a byte stream that arrives in pieces. A frame may span several pieces and a piece may hold several
/// frames, with noise between them, wrong lengths and incomplete frames.
///
/// It buffers at most one frame of the maximum length, has no clock of its own, and reports the bytes that it drops.
public struct FrameReader: Sendable {
    /// A frame, or bytes that were dropped.
    public enum Event: Hashable, Sendable {
        /// A complete frame.
        case frame(Frame)
        /// Bytes that are part of no frame.
        case dropped(Dropped)
    }

    /// Bytes that are part of no frame.
    public struct Dropped: Hashable, Sendable {
        /// The reason for dropping bytes.
        public enum Reason: Hashable, Sendable {
            /// No frame begins with these bytes.
            case noise
            /// The length field exceeds ``FrameFormat/longestPayload``.
            case length(Int)
            /// The trailer is wrong: the checksum or the constant.
            case trailer
            /// A frame began, and the rest did not arrive in time.
            case timeout
        }

        /// The number of dropped bytes.
        public var count: Int
        /// The first of them, at most 16.
        public var first: [UInt8]
        /// The reason.
        public var reason: Reason
    }

    /// The layout of the frames.
    public let format: FrameFormat
    /// The total number of dropped bytes.
    public private(set) var droppedCount = 0
    private var buffer: [UInt8] = []
    private var lastArrival: Duration?

    /// Creates a reader.
    public init(_ format: FrameFormat) { self.format = format }

    /// The number of buffered bytes that wait for the rest of their frame; at most the longest frame.
    public var pendingCount: Int { buffer.count }

    /// Parses bytes and returns the frames and dropped bytes in them.
    /// - Parameter now: the time on any monotonic clock; nil to skip the check of ``deadline``.
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

    /// Drops the incomplete frame and parses the bytes after its first one again, which finds frames that a wrong
    /// length hid.
    public mutating func giveUp() -> [Event] {
        var events: [Event] = []
        giveUp(&events)
        return events
    }

    /// Does the same as ``giveUp()`` once ``deadline`` has passed.
    public mutating func expire(at now: Duration) -> [Event] {
        var events: [Event] = []
        expire(at: now, &events)
        return events
    }

    /// The time at which ``expire(at:)`` drops the incomplete frame; nil if there is none.
    public var deadline: Duration? { buffer.isEmpty ? nil : lastArrival.map { $0 + format.patience } }

    private mutating func expire(at now: Duration, _ events: inout [Event]) {
        if let deadline, now >= deadline { giveUp(&events) }
    }

    private mutating func giveUp(_ events: inout [Event]) {
        // All pending bytes are as old as the first one, so all of them have expired.
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

    /// Merges consecutive dropped bytes into one event with the first reason.
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
            case .noise: "unexpected data before a frame"
            case .length(let length): "an invalid length of \(length)"
            case .trailer: "a wrong trailer"
            case .timeout: "an incomplete frame at the timeout"
            }
        return "\(count.counted("byte")) dropped: \(why)"
    }
}
