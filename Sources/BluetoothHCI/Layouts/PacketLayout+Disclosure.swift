import BluetoothModel

extension PacketLayout {
    /// A part of the parameters of a packet that is not simply shown.
    package enum Part: Hashable, Sendable {
        /// Octets that are concealed.
        case concealed(Range<Int>)
        /// Advertising data; `record` is the offset of the repetition that contains it.
        case advertising(Range<Int>, record: Int)
    }

    /// Returns the parts of `bytes` that are concealed or hold advertising data, in order. The others may be shown.
    package func parts(of bytes: ByteView) -> [Part] {
        var walk = Walk(bytes: bytes)
        let loop = fields.firstIndex { $0.format == .repetition } ?? fields.endIndex
        guard fields[..<loop].allSatisfy({ walk.step(over: $0.format) }) else { return walk.parts }
        for _ in 0..<(loop < fields.endIndex ? walk.count : 0) {
            walk.record = walk.offset
            guard fields[(loop + 1)...].allSatisfy({ walk.step(over: $0.format) }) else { return walk.parts }
        }
        walk.conceal(bytes.count - walk.offset)
        return walk.parts
    }

    /// The position in the parameters of a packet.
    private struct Walk {
        let bytes: ByteView
        var offset = 0
        var count = 0
        var record = 0
        var parts: [Part] = []

        /// Moves past a field. Returns false at the end of the bytes, inside the field.
        mutating func step(over format: Format) -> Bool {
            let left = bytes.count - offset
            switch format {
            case .hidden(let length):
                let length = length ?? left
                conceal(min(length, left))
                return length <= left
            case .advertising(let padding):
                guard left > 0 else { return false }
                let length = Int(bytes[offset])
                offset += 1
                advertise(min(length, left - 1))
                if let padding { conceal(min(max(0, padding - length), bytes.count - offset)) }
                return length < left
            case .structures:
                advertise(left)
                return true
            default:
                if left > 0, format == .count { count = Int(bytes[offset]) }
                if left > 0, format == .phys { count = bytes[offset].nonzeroBitCount }
                let width = format.width ?? left
                offset += min(width, left)
                return width <= left
            }
        }

        mutating func conceal(_ length: Int) {
            guard length > 0 else { return }
            parts.append(.concealed(offset..<offset + length))
            offset += length
        }

        private mutating func advertise(_ length: Int) {
            parts.append(.advertising(offset..<offset + length, record: record))
            offset += length
        }
    }
}

extension PacketLayout.Format {
    /// The number of bytes of a field that is shown; nil if it takes all that follow.
    fileprivate var width: Int? {
        switch self {
        case .number(let length), .hex(let length), .time(let length, _), .bytes(let length): length
        case .signed, .count, .phys, .phy, .code, .status, .reason, .version, .level: 1
        case .seconds, .code16, .link, .company: 2
        case .address: 7
        case .plainAddress: 6
        case .text, .rest, .channels: nil
        case .hidden, .advertising, .structures, .repetition: 0
        }
    }
}
