import VirtualDevices

/// The layout of the frames of a serial protocol: start, length, payload, checksum, end.
package struct FrameLayout: Hashable, Sendable {
    /// A checksum after the payload.
    enum Checksum: String, Hashable, Sendable, CaseIterable {
        /// The sum of the octets.
        case sum8
        /// The exclusive or of the octets.
        case xor8
        /// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF; the most significant octet first.
        case crc16
        /// CRC-16/MODBUS: polynomial 0x8005 reflected, initial value 0xFFFF; the least significant octet first.
        case modbus

        var length: Int { self == .sum8 || self == .xor8 ? 1 : 2 }

        func bytes(of data: some Sequence<UInt8>) -> [UInt8] {
            switch self {
            case .sum8: return [data.reduce(0, &+)]
            case .xor8: return [data.reduce(0, ^)]
            case .crc16:
                var crc: UInt16 = 0xFFFF
                for byte in data {
                    crc ^= UInt16(byte) << 8
                    for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x1021 : crc << 1 }
                }
                return [UInt8(crc >> 8), UInt8(truncatingIfNeeded: crc)]
            case .modbus:
                var crc: UInt16 = 0xFFFF
                for byte in data {
                    crc ^= UInt16(byte)
                    for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xA001 : crc >> 1 }
                }
                return [UInt8(truncatingIfNeeded: crc), UInt8(crc >> 8)]
            }
        }
    }

    /// The octets at the start of each frame.
    var start: [UInt8] = []
    /// The format of the length field; nil if ``end`` delimits frames.
    var length: NumberFormat?
    /// True if the length counts the whole frame; false if it counts the payload.
    var countsAll = false
    var checksum: Checksum?
    /// True if the checksum covers the start and the length too; false if it covers the payload.
    var coversAll = false
    /// The octets at the end of each frame.
    var end: [UInt8] = []

    /// The maximum length of a payload in octets.
    static let maximumLength = 65_535

    /// The number of octets of a frame without its payload.
    private var overhead: Int {
        start.count + (length?.byteCount ?? 0) + (checksum?.length ?? 0) + end.count
    }

    /// Returns a frame with this payload; nil if the length field cannot hold the length.
    package func frame(_ payload: [UInt8]) -> [UInt8]? {
        var bytes = start
        if let length {
            guard let number = length.encoded(String(payload.count + (countsAll ? overhead : 0))) else { return nil }
            bytes += number
        }
        bytes += payload
        if let checksum { bytes += checksum.bytes(of: coversAll ? bytes : payload) }
        return bytes + end
    }

    /// The result of reading the beginning of a stream of octets.
    enum Reading: Hashable {
        /// A frame: its payload, and its length.
        case frame([UInt8], length: Int)
        /// More octets are needed.
        case incomplete
        /// No frame begins here.
        case none
    }

    func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count)) else { return .none }
        let head = start.count + (length?.byteCount ?? 0)
        guard bytes.count >= head else { return .incomplete }
        let total: Int
        if let length {
            let field = bytes.dropFirst(start.count).prefix(length.byteCount)
            guard let number = length.decoded(field).flatMap({ Int($0) }) else { return .none }
            total = countsAll ? number : number + overhead
        } else {
            // Without a length field, `end` delimits the payload. Without `end` too, each value is one frame.
            guard !end.isEmpty else { return .frame(Array(bytes.dropFirst(head)), length: bytes.count) }
            let rest = bytes.dropFirst(head)
            guard
                let place = rest.indices.first(where: { rest[$0...].starts(with: end) })
            else { return rest.count > Self.maximumLength ? .none : .incomplete }
            total = place + end.count - bytes.startIndex
        }
        guard total >= overhead, total <= Self.maximumLength + overhead else { return .none }
        guard bytes.count >= total else { return .incomplete }
        let frame = bytes.prefix(total)
        guard frame.suffix(end.count).elementsEqual(end) else { return .none }
        let body = frame.dropLast(end.count)
        let payload = body.dropFirst(head).dropLast(checksum?.length ?? 0)
        if let checksum {
            let covered = coversAll ? body.dropLast(checksum.length) : payload
            guard body.suffix(checksum.length).elementsEqual(checksum.bytes(of: covered)) else { return .none }
        }
        return .frame(Array(payload), length: total)
    }
}

/// Finds the frames in the values of a characteristic. A value may contain a part of a frame, or several frames.
package struct FrameDecoder {
    /// A part of a stream of octets.
    package enum Part: Hashable, Sendable {
        case payload([UInt8])
        /// Octets that belong to no frame.
        case garbage([UInt8])
    }

    private let format: FrameLayout
    private var buffer: [UInt8] = []

    package init(_ format: FrameLayout) { self.format = format }

    /// Adds octets, and returns the parts that are now complete.
    package mutating func add(_ bytes: [UInt8]) -> [Part] {
        buffer += bytes
        var (parts, rest, garbage) = ([Part](), buffer[...], [UInt8]())
        loop: while !rest.isEmpty {
            switch format.read(rest) {
            case .frame(let payload, let length):
                if !garbage.isEmpty { parts.append(.garbage(garbage)) }
                garbage = []
                parts.append(.payload(payload))
                rest = rest.dropFirst(max(1, length))
            case .incomplete: break loop
            case .none:
                garbage.append(rest[rest.startIndex])
                rest = rest.dropFirst()
            }
        }
        if !garbage.isEmpty { parts.append(.garbage(garbage)) }
        buffer = Array(rest)
        return parts
    }
}
