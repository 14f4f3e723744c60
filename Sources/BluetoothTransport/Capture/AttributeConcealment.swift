import BluetoothHCI
import BluetoothModel

/// Finds the values of characteristics that are keys (Core 6.0, Vol 3, Part F, 3.4). Their handles are those that
/// discoveries show; they apply to every link, because a device that is known is not discovered again.
struct AttributeConcealment {
    private var handles: Set<UInt16> = []
    /// The directions with a request whose response contains a key.
    private var reading: Set<FrameConcealment.Way> = []

    /// Returns true for the responses that contain types of attributes: Find Information and Read By Type.
    static func isDiscovery(_ opcode: UInt8) -> Bool { opcode == 0x05 || opcode == 0x09 }

    /// Returns the number of octets of an attribute packet that are shown, from its first one; `Int.max` for all.
    mutating func shownCount(of packet: ByteView, _ way: FrameConcealment.Way, isAttributeChannel: Bool) -> Int {
        guard !packet.isEmpty else { return .max }
        switch packet[0] {
        case 0x06: if packet.count >= 7, !Disclosure.shows(valueOf: BluetoothUUID(packet.uint16(at: 5))) { return 7 }
        case 0x08:
            if let type = BluetoothUUID(littleEndian: packet.dropFirst(5)), !Disclosure.shows(valueOf: type) {
                reading.insert(way)
            }
        case 0x0A, 0x0C: if isSecret(packet, at: 1) { reading.insert(way) }
        case 0x0E, 0x20:
            if stride(from: 1, to: packet.count, by: 2).contains(where: { isSecret(packet, at: $0) }) {
                reading.insert(way)
            }
        case 0x09, 0x0B, 0x0D, 0x0F, 0x21:
            if reading.contains(way.opposite) {
                if packet[0] == 0x09, packet.count >= 4 { handles.insert(packet.uint16(at: 2)) }
                // Which bearer of several a response of another channel answers is not known.
                if isAttributeChannel { reading.remove(way.opposite) }
                return 1
            }
        case 0x12, 0x1B, 0x1D, 0x52, 0xD2: if isSecret(packet, at: 1) { return 3 }
        case 0x16, 0x17: if isSecret(packet, at: 1) { return 5 }
        case 0x23: if hasSecret(packet) { return 1 }
        case 0x01: if isAttributeChannel { reading.remove(way.opposite) }
        case 0x02...0x05, 0x07, 0x10, 0x11, 0x13, 0x18, 0x19, 0x1E: break
        default: return isAttributeChannel ? 1 : .max
        }
        return .max
    }

    /// Adds the handles of the key characteristics in a discovery response.
    mutating func learn(from packet: ByteView) {
        guard packet.count > 2 else { return }
        let isCharacteristic = packet[0] == 0x09
        let length = isCharacteristic ? Int(packet[1]) : packet[1] == 1 ? 4 : 18
        guard length == (isCharacteristic ? 7 : 4) || length == (isCharacteristic ? 21 : 18) else { return }
        var rest = packet.dropFirst(2)
        while rest.count >= length {
            let entry = rest.prefix(length)
            rest = rest.dropFirst(length)
            let uuid = BluetoothUUID(littleEndian: entry.dropFirst(isCharacteristic ? 5 : 2))
            if let uuid, !Disclosure.shows(valueOf: uuid) {
                handles.insert(entry.uint16(at: isCharacteristic ? 3 : 0))
            }
        }
    }

    /// Returns true if the handle at an offset is that of a key, or not in this fragment.
    private func isSecret(_ packet: ByteView, at offset: Int) -> Bool {
        guard !handles.isEmpty else { return false }
        return packet.count < offset + 2 || handles.contains(packet.uint16(at: offset))
    }

    /// Returns true if a notification of several values contains a key.
    private func hasSecret(_ packet: ByteView) -> Bool {
        var reader = ByteReader(packet.dropFirst(1))
        while !handles.isEmpty, let handle = reader.uint16(), let length = reader.uint16() {
            if handles.contains(handle) { return true }
            guard reader.bytes(Int(length)) != nil else { return true }
        }
        return false
    }
}
