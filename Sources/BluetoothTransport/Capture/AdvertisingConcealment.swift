import BluetoothHCI
import BluetoothModel

/// Finds the advertising structures that are concealed, also those that continue in the next packet.
struct AdvertisingConcealment {
    /// The packet that contains the data.
    enum Source: Hashable {
        case command(UInt16), returns, event, lowEnergyEvent(UInt8)
    }

    /// A set of an advertiser whose data arrives in several packets.
    private struct Train: Hashable {
        let source: Source
        let identifier: [UInt8]
    }

    /// The rest of a structure that continues in the next packet.
    private struct Rest {
        let count: Int
        let isConcealed: Bool
    }

    private var rests: [Train: Rest] = [:]
    private static let capacity = 4096

    /// Returns the concealed parts of the advertising data `range` of `bytes`, the parameters of a packet. `record` is
    /// the offset of the report.
    mutating func concealed(in bytes: ByteView, _ range: Range<Int>, record: Int, _ source: Source) -> [Range<Int>] {
        let (identifier, continues, isFirst) = Self.place(of: range, in: bytes, record: record, source)
        var (offset, ranges, rest) = (range.lowerBound, [Range<Int>](), Rest?.none)
        let train = identifier.map { Train(source: source, identifier: $0) }
        func pass(_ count: Int, isConcealed: Bool) {
            let end = min(offset + count, range.upperBound)
            if isConcealed, offset < end { ranges.append(offset..<end) }
            if offset + count > end { rest = Rest(count: offset + count - end, isConcealed: isConcealed) }
            offset = end
        }
        if let train, let open = rests.removeValue(forKey: train), !isFirst {
            pass(open.count, isConcealed: open.isConcealed)
        }
        while offset < range.upperBound {
            let length = Int(bytes[offset])
            offset += 1
            // The octets after the end of the structures have no meaning.
            if length == 0 {
                pass(range.upperBound - offset, isConcealed: true)
            } else if offset == range.upperBound {
                pass(length, isConcealed: true)
            } else {
                let isShown = Disclosure.shows(ADType(rawValue: bytes[offset]))
                offset += 1
                pass(length - 1, isConcealed: !isShown)
            }
        }
        if let train, let rest, continues {
            if rests.count >= Self.capacity { rests = [:] }
            rests[train] = rest
        }
        return ranges
    }

    /// Returns the identity of the data if it may continue in another packet, whether more follows this part, and
    /// whether this part is the first.
    private static func place(
        of range: Range<Int>, in bytes: ByteView, record: Int, _ source: Source
    ) -> (identifier: [UInt8]?, continues: Bool, isFirst: Bool) {
        func octets(_ start: Int, _ count: Int) -> [UInt8] {
            // The fields before the data are complete, because there is data.
            bytes.dropFirst(record + start).prefix(count).array
        }
        switch source {
        // The set and the operation: 0 intermediate, 1 first, 2 last.
        case .command(0x2037), .command(0x2038), .command(0x203F):
            return (octets(0, 1), bytes[1] < 2, bytes[1] != 0 && bytes[1] != 2)
        // The status, in bits 5 and 6 of the type, is 1 if more follows.
        case .lowEnergyEvent(0x0D): return (octets(2, 7) + octets(11, 1), bytes[record] >> 5 & 3 == 1, false)
        // The handle of the synchronization; the status precedes the length.
        case .lowEnergyEvent(0x0F), .lowEnergyEvent(0x25):
            return (octets(0, 2), bytes[range.lowerBound - 2] == 1, false)
        case .lowEnergyEvent(0x28):
            return (bytes.prefix(2).array + octets(3, 1), bytes[range.lowerBound - 2] == 1, false)
        default: return (nil, false, true)
        }
    }
}
