import BluetoothHCI
import BluetoothModel

/// Finds the concealed parts of ACL data: of frames, also of those that arrive in fragments.
struct FrameConcealment {
    /// One direction of a link; both if the capture does not contain the direction.
    struct Way: Hashable {
        let handle: UInt16
        let direction: BtsnoopWriter.Direction?

        var opposite: Way {
            Way(handle: handle, direction: direction.map { $0 == .sent ? .received : .sent })
        }
    }

    /// The current frame of a direction. The fragments of an unknown frame are concealed.
    private enum Frame {
        /// The number of octets that follow.
        case shown(left: Int)
        /// A discovery response that arrives in fragments: its octets so far, and its length.
        case discovery([UInt8], length: Int)
    }

    private var frames: [Way: Frame] = [:]
    private var attributes = AttributeConcealment()

    /// The header of an H4 packet with ACL data, and that of the frame in it.
    private static let header = 5, frameHeader = 4
    /// The maximum length of a discovery response that is read. Longer ones are no discovery of attributes.
    private static let longestDiscovery = 1024

    /// Returns the concealed parts of an H4 packet with ACL data.
    mutating func concealed(in packet: ByteView, direction: BtsnoopWriter.Direction?) -> [Range<Int>] {
        guard packet.count > Self.header else { return [] }
        let first = packet.uint16(at: 1)
        let way = Way(handle: first & 0x0FFF, direction: direction)
        if first >> 12 & 3 == 1 { return proceed(packet, way) }
        frames[way] = nil
        let start = Self.header + Self.frameHeader
        // The channel and the code of a frame that begins with a shorter fragment are not known.
        guard packet.count > start else { return [] }
        let length = Int(packet.uint16(at: Self.header)), payload = packet.dropFirst(start)
        let shown = shownCount(packet.uint16(at: Self.header + 2), payload, length: length, way)
        if shown == .max, frames[way] == nil, payload.count < length {
            frames[way] = .shown(left: length - payload.count)
        }
        return shown < payload.count ? [start + shown..<packet.count] : []
    }

    private mutating func proceed(_ packet: ByteView, _ way: Way) -> [Range<Int>] {
        let fragment = packet.dropFirst(Self.header)
        switch frames.removeValue(forKey: way) {
        case nil: return [Self.header..<packet.count]
        case .shown(let left):
            if fragment.count < left { frames[way] = .shown(left: left - fragment.count) }
        case .discovery(let begun, let length):
            let bytes = begun + fragment.array
            if bytes.count < length {
                frames[way] = .discovery(bytes, length: length)
            } else {
                bytes.withByteView { attributes.learn(from: $0) }
            }
        }
        return []
    }

    /// Returns the number of octets of a frame that are shown, from its first one; `Int.max` for all. `length` is that
    /// of the whole frame, of which `payload` is the first fragment.
    private mutating func shownCount(_ channel: UInt16, _ payload: ByteView, length: Int, _ way: Way) -> Int {
        if Disclosure.securityChannels.contains(channel) {
            return Disclosure.shows(securityCode: payload[0]) ? .max : 1
        }
        guard Disclosure.shows(channel: channel) else { return 0 }
        switch channel {
        case 1, 5: return PacketLayouts.signals[UInt16(payload[0])] == nil ? 4 : .max
        case 4:
            let shown = attributes.shownCount(of: payload, way, isAttributeChannel: true)
            if shown == .max, AttributeConcealment.isDiscovery(payload[0]) {
                if payload.count >= length {
                    attributes.learn(from: payload.prefix(length))
                } else if length <= Self.longestDiscovery {
                    frames[way] = .discovery(payload.array, length: length)
                }
            }
            return shown
        case 2: return .max
        default:
            // An attribute packet if this is an ATT bearer, on BR/EDR without and on LE with a length before it.
            let plain = attributes.shownCount(of: payload, way, isAttributeChannel: false)
            let unit = attributes.shownCount(of: payload.dropFirst(2), way, isAttributeChannel: false)
            return min(plain, unit == .max ? .max : unit + 2)
        }
    }
}
