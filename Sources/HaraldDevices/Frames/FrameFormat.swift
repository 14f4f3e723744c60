/// How frames stand in a stream of bytes, in words: where the length is, where the payload begins, what is around it.
///
///     let format = FrameFormat(lengthAt: 3, payloadAt: 5, overhead: 7)
public struct FrameFormat: Hashable, Sendable {
    /// What a frame ends with after its payload.
    public enum Trailer: Hashable, Sendable {
        /// Bytes that mean nothing here.
        case any(count: Int)
        /// These bytes.
        case bytes([UInt8])
        /// The sum of all bytes before it, modulo 65536, the most significant byte first.
        case sum16
        /// All bytes before it, combined by exclusive or.
        case xor8

        var count: Int {
            switch self {
            case .any(let count): count
            case .bytes(let bytes): bytes.count
            case .sum16: 2
            case .xor8: 1
            }
        }
    }

    /// What every frame begins with; empty where nothing marks a beginning, which leaves lengths and trailers to tell
    /// noise from frames.
    public var start: [UInt8]
    /// Where the length stands.
    public var lengthAt: Int
    /// How many bytes it takes: 1, 2 or 4.
    public var lengthBytes: Int
    /// Whether its most significant byte comes first.
    public var isBigEndian: Bool
    /// Where the payload begins.
    public var payloadAt: Int
    /// How many bytes a frame has more than its length says.
    public var overhead: Int
    /// What comes after the payload.
    public var trailer: Trailer
    /// The longest payload that is believed; a longer one is a length that lies.
    public var longestPayload: Int
    /// How long a frame may pause before it is given up.
    public var patience: Duration

    /// A format.
    /// - Parameters:
    ///   - trailer: nil for bytes without a meaning, as many as `overhead` leaves.
    public init(
        start: [UInt8] = [], lengthAt: Int = 3, lengthBytes: Int = 2, isBigEndian: Bool = true, payloadAt: Int = 5,
        overhead: Int = 7, trailer: Trailer? = nil, longestPayload: Int = 1024, patience: Duration = .seconds(2)
    ) {
        precondition([1, 2, 4].contains(lengthBytes), "a length takes 1, 2 or 4 bytes")
        precondition(
            lengthAt >= start.count && payloadAt >= lengthAt + lengthBytes, "the length comes before the payload")
        precondition(overhead >= payloadAt, "the overhead has at least what comes before the payload")
        precondition(longestPayload >= 0 && longestPayload <= 1 << 20, "a payload has at most a mebibyte")
        self.start = start
        self.lengthAt = lengthAt
        self.lengthBytes = lengthBytes
        self.isBigEndian = isBigEndian
        self.payloadAt = payloadAt
        self.overhead = overhead
        self.trailer = trailer ?? .any(count: overhead - payloadAt)
        precondition(payloadAt + self.trailer.count == overhead, "the trailer fills the overhead")
        self.longestPayload = longestPayload
        self.patience = patience
    }

    /// The longest frame.
    public var longestFrame: Int { longestPayload + overhead }

    /// The bytes of a frame.
    /// - Parameter header: what stands between the start and the length; zeros where it is too short.
    public func frame(header: [UInt8] = [], payload: [UInt8]) -> [UInt8] {
        precondition(payload.count <= longestPayload, "the payload is too long")
        let between = lengthAt - start.count
        var bytes = start + header.prefix(between) + Array(repeating: 0, count: max(0, between - header.count))
        let length = (0..<lengthBytes).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
        bytes += isBigEndian ? length.reversed() : length
        bytes += Array(repeating: 0, count: payloadAt - bytes.count) + payload
        return bytes + trailerBytes(after: bytes)
    }

    func trailerBytes(after bytes: some Sequence<UInt8>) -> [UInt8] {
        switch trailer {
        case .any(let count): return Array(repeating: 0, count: count)
        case .bytes(let bytes): return bytes
        case .sum16:
            let sum = bytes.reduce(UInt16(0)) { $0 &+ UInt16($1) }
            return [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
        case .xor8: return [bytes.reduce(0, ^)]
        }
    }

    /// Whether the trailer is one that a frame can have.
    func accepts(trailer: some Collection<UInt8>, after bytes: some Sequence<UInt8>) -> Bool {
        if case .any = self.trailer { return true }
        return Array(trailer) == trailerBytes(after: bytes)
    }

    func length(_ bytes: some RandomAccessCollection<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A frame that arrived whole.
public struct Frame: Hashable, Sendable {
    /// All of it.
    public let bytes: [UInt8]
    /// What it carries.
    public let payload: [UInt8]
    /// What stands between the start and the length, such as a command.
    public let header: [UInt8]
}
