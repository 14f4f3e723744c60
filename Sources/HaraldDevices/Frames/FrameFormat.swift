import BluetoothProfiles

/// The layout of frames in a byte stream: the offset and size of the length field, the offset of the payload, and the
/// bytes around it.
///
///     let format = FrameFormat(lengthAt: 3, payloadAt: 5, overhead: 7)
public struct FrameFormat: Hashable, Sendable {
    /// The bytes that end a frame after its payload.
    public enum Trailer: Hashable, Sendable {
        /// Ignored bytes.
        case any(count: Int)
        /// A constant.
        case bytes([UInt8])
        /// The sum of all preceding bytes, modulo 65536, most significant byte first.
        case sum16
        /// All preceding bytes, combined by exclusive or.
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

    /// The bytes that every frame begins with. If empty, only lengths and trailers distinguish frames from noise.
    public var start: [UInt8]
    /// The offset of the length field.
    public var lengthAt: Int
    /// The size of the length field in bytes: 1, 2 or 4.
    public var lengthBytes: Int
    /// True if the most significant byte of the length comes first.
    public var isBigEndian: Bool
    /// The offset of the payload.
    public var payloadAt: Int
    /// The number of bytes of a frame in addition to its payload.
    public var overhead: Int
    /// The bytes after the payload.
    public var trailer: Trailer
    /// The longest valid payload in bytes. A greater length field marks the bytes as noise.
    public var longestPayload: Int
    /// The maximum pause within a frame before its pending bytes are dropped.
    public var patience: Duration

    /// Creates a format.
    /// - Parameters:
    ///   - trailer: nil for ignored bytes, as many as `overhead` leaves.
    public init(
        start: [UInt8] = [], lengthAt: Int = 3, lengthBytes: Int = 2, isBigEndian: Bool = true, payloadAt: Int = 5,
        overhead: Int = 7, trailer: Trailer? = nil, longestPayload: Int = 1024, patience: Duration = .seconds(2)
    ) {
        precondition([1, 2, 4].contains(lengthBytes), "a length field must have 1, 2 or 4 bytes")
        precondition(
            lengthAt >= start.count && payloadAt >= lengthAt + lengthBytes, "the length field must precede the payload")
        precondition(overhead >= payloadAt, "the overhead must include everything before the payload")
        precondition(longestPayload >= 0 && longestPayload <= 1 << 20, "the maximum payload length is 1 MiB")
        self.start = start
        self.lengthAt = lengthAt
        self.lengthBytes = lengthBytes
        self.isBigEndian = isBigEndian
        self.payloadAt = payloadAt
        self.overhead = overhead
        self.trailer = trailer ?? .any(count: overhead - payloadAt)
        precondition(payloadAt + self.trailer.count == overhead, "the trailer must fill the rest of the overhead")
        self.longestPayload = longestPayload
        self.patience = patience
    }

    /// The length of the longest frame in bytes.
    public var longestFrame: Int { longestPayload + overhead }

    /// Encodes a frame.
    /// - Parameters:
    ///   - header: the bytes between the start and the length; padded with zeros.
    ///   - payload: at most ``longestPayload`` bytes, and as many as the length field can count. Traps if it is longer;
    ///     sending a frame checks it instead.
    public func frame(header: [UInt8] = [], payload: [UInt8]) -> [UInt8] {
        precondition(payload.count <= longestSent, "the payload is too long")
        return encoded(header: header, payload: payload)
    }

    /// Encodes a frame of data that the user provides.
    /// - Throws: ``ValueError`` if the payload is too long.
    package func checkedFrame(header: [UInt8], payload: [UInt8]) throws(ValueError) -> [UInt8] {
        guard payload.count <= longestSent else {
            throw ValueError(
                field: "payload", reason: "\(payload.count) bytes do not fit; a frame holds at most \(longestSent)")
        }
        return encoded(header: header, payload: payload)
    }

    /// The length of the longest payload that can be sent: the length field limits it too.
    private var longestSent: Int { min(longestPayload, 1 << (8 * lengthBytes) - 1) }

    private func encoded(header: [UInt8], payload: [UInt8]) -> [UInt8] {
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

    /// Returns true if the trailer is valid for the bytes before it.
    func accepts(trailer: some Collection<UInt8>, after bytes: some Sequence<UInt8>) -> Bool {
        if case .any = self.trailer { return true }
        return Array(trailer) == trailerBytes(after: bytes)
    }

    func length(_ bytes: some RandomAccessCollection<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// A complete frame.
public struct Frame: Hashable, Sendable {
    /// All bytes of the frame.
    public let bytes: [UInt8]
    /// The payload.
    public let payload: [UInt8]
    /// The bytes between the start and the length, such as a command.
    public let header: [UInt8]
}
