import BluetoothHCI
import BluetoothModel

/// Replaces the keys in captured packets with zeros, so that a capture can be shared.
///
/// Keys cross HCI in commands that give them to the controller, and in the packets of the security manager that
/// distribute them (Core 6.0, Vol 3, Part H, 3.6), which are encrypted only over the air.
struct KeyConcealment {
    /// One direction of one connection.
    private struct Way: Hashable {
        let handle: UInt16
        let direction: BtsnoopWriter.Direction
    }

    /// The directions with a frame that contains a key and continues in further fragments.
    private var unfinished: Set<Way> = []

    /// Returns the packet without keys; nil if it has none.
    mutating func conceal(_ packet: ByteView, _ direction: BtsnoopWriter.Direction) -> [UInt8]? {
        guard packet.count > 4 else { return nil }
        switch packet[0] {
        case HCIPacketType.command.rawValue:
            return Self.keys(in: HCIOpcode(rawValue: packet.uint16(at: 1))).flatMap { Self.zeros(packet, from: 4 + $0) }
        // LE Generate DHKey Complete has the secret after its status.
        case HCIPacketType.event.rawValue:
            let isSecret = packet[1] == HCIEventCode.leMeta.rawValue && packet[3] == 0x09
            return isSecret ? Self.zeros(packet, from: 5) : nil
        case HCIPacketType.acl.rawValue: return concealData(packet, direction)
        default: return nil
        }
    }

    /// Returns the offset of the keys in the parameters of a command; nil if it has none.
    private static func keys(in opcode: HCIOpcode) -> Int? {
        switch opcode {
        // The keys follow: handle, random number and diversifier; handle; address; nothing.
        case .leEnableEncryption: 12
        case .leLongTermKeyRequestReply: 2
        case .leAddDeviceToResolvingList: 7
        case .leEncrypt: 0
        default: nil
        }
    }

    private mutating func concealData(_ packet: ByteView, _ direction: BtsnoopWriter.Direction) -> [UInt8]? {
        let first = packet.uint16(at: 1)
        let way = Way(handle: first & 0x0FFF, direction: direction)
        guard first >> 12 & 3 != 1 else { return unfinished.contains(way) ? Self.zeros(packet, from: 5) : nil }
        unfinished.remove(way)
        // A fragment too short for its channel and its code may begin any frame.
        guard packet.count >= 10 else {
            unfinished.insert(way)
            return nil
        }
        guard packet.uint16(at: 7) == Self.securityChannel, Self.keyCodes.contains(packet[9]) else { return nil }
        if Int(packet.uint16(at: 5)) + 9 > packet.count { unfinished.insert(way) }
        return Self.zeros(packet, from: 10)
    }

    private static let securityChannel: UInt16 = 6
    /// The codes of Encryption Information, Identity Information and Signing Information.
    private static let keyCodes: Set<UInt8> = [0x06, 0x08, 0x0A]

    private static func zeros(_ packet: ByteView, from start: Int) -> [UInt8]? {
        guard packet.count > start else { return nil }
        var bytes = packet.array
        for index in start..<bytes.count { bytes[index] = 0 }
        return bytes
    }
}
