import BluetoothHCI
import BluetoothModel

/// Replaces what may be a key in packets with zeros, so that a capture can be shared.
///
/// Keys cross HCI in commands and events, and in the packets of the security manager that distribute them (Core 6.0,
/// Vol 3, Part H, 3.6), which are encrypted only over the air. ``PacketLayouts`` and ``Disclosure`` state what is
/// shown; the rest is concealed, packets that the specification does not define as a whole.
package struct PacketConcealment {
    private var advertising = AdvertisingConcealment()
    private var frames = FrameConcealment()

    /// Creates the concealment for the packets of one adapter from their beginning.
    package init() {}

    /// Returns the H4 packet without keys; nil if it has none. The direction is nil if it is not known.
    package mutating func conceal(_ packet: ByteView, _ direction: BtsnoopWriter.Direction?) -> [UInt8]? {
        let ranges = concealed(in: packet, direction)
        guard !ranges.isEmpty else { return nil }
        var bytes = packet.array
        for index in ranges.joined() { bytes[index] = 0 }
        return bytes
    }

    private mutating func concealed(in packet: ByteView, _ direction: BtsnoopWriter.Direction?) -> [Range<Int>] {
        guard !packet.isEmpty else { return [] }
        switch HCIPacketType(rawValue: packet[0]) {
        case .command where packet.count > 4:
            let opcode = packet.uint16(at: 1)
            return parameters(of: packet, from: 4, PacketLayouts.commands[opcode], .command(opcode))
        case .event where packet.count > 3: return event(packet)
        case .acl: return frames.concealed(in: packet, direction: direction)
        case .command, .event, .synchronous, .iso: return []
        case nil: return packet.count > 1 ? [1..<packet.count] : []
        }
    }

    private mutating func event(_ packet: ByteView) -> [Range<Int>] {
        switch HCIEventCode(rawValue: packet[1]) {
        case .commandComplete:
            // The credits, the opcode and the status precede the return parameters.
            guard packet.count > 7 else { return [] }
            let opcode = packet.uint16(at: 4)
            return parameters(of: packet, from: 7, PacketLayouts.returns[opcode], .returns)
        case .leMeta:
            return parameters(
                of: packet, from: 4, PacketLayouts.lowEnergyEvents[UInt16(packet[3])], .lowEnergyEvent(packet[3]))
        case let code: return parameters(of: packet, from: 3, PacketLayouts.events[UInt16(code.rawValue)], .event)
        }
    }

    private mutating func parameters(
        of packet: ByteView, from start: Int, _ layout: PacketLayout?, _ source: AdvertisingConcealment.Source
    ) -> [Range<Int>] {
        let bytes = packet.dropFirst(start)
        guard let layout else { return bytes.isEmpty ? [] : [start..<packet.count] }
        let ranges = layout.parts(of: bytes).flatMap { part in
            switch part {
            case .concealed(let range): [range]
            case .advertising(let range, let record):
                advertising.concealed(in: bytes, range, record: record, source)
            }
        }
        return ranges.map { $0.lowerBound + start..<$0.upperBound + start }
    }
}
