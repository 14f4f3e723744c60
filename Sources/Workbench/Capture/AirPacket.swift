/// A packet of the LE link layer that a sniffer received (Core 6.0, Vol 6, Part B, 2), with its metadata.
package struct AirPacket: Hashable, Sendable {
    /// The access address of advertising.
    static let advertising: UInt32 = 0x8E89_BED6

    /// The access address, which identifies the link.
    package var accessAddress: UInt32
    /// The header of two octets and the payload, without the CRC.
    package var pdu: [UInt8]
    /// The signal strength in dBm; nil if it is not known.
    package var rssi: Int8?
    /// True if the sniffer received a wrong CRC.
    package var hasWrongCRC = false
    /// True if the sniffer has decrypted the payload.
    package var isDecrypted = false

    /// Parses an access address, a PDU and a CRC; returns nil if the PDU is truncated.
    init?(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 6, bytes.count >= 6 + Int(bytes[5]) else { return nil }
        accessAddress = ByteOrder.little.uint32(bytes, 0)
        pdu = Array(bytes[4..<6 + Int(bytes[5])])
    }
}

extension CaptureRecord {
    /// Sets a packet of link type 251: the packet alone.
    mutating func setAir(_ data: [UInt8]) {
        guard let packet = AirPacket(data[...]) else { return content = .other("truncated inside a packet of the air") }
        content = .air(packet)
    }

    /// Sets a packet of link type 256: after ten octets with channel, signal, noise, access address and flags.
    mutating func setAirWithHeader(_ data: [UInt8]) {
        guard data.count >= 10, var packet = AirPacket(data[10...]) else {
            return content = .other("truncated inside a packet of the air")
        }
        let flags = ByteOrder.little.uint16(data, 8)
        if flags & 0x0002 != 0 { packet.rssi = Int8(bitPattern: data[1]) }
        packet.isDecrypted = flags & 0x0008 != 0
        packet.hasWrongCRC = flags & 0x0C00 == 0x0400
        direction = [2: .sent, 3: .received][flags >> 7 & 7]
        content = .air(packet)
    }

    /// Sets a packet of link type 272, of the nRF Sniffer: after the headers of its serial protocol, of version 1 to 3.
    mutating func setNordic(_ data: [UInt8]) {
        guard data.count >= 17, (1...3).contains(data[3]), var packet = AirPacket(data[17...]) else {
            return content = .other("truncated inside a packet of the nRF Sniffer, or of another version")
        }
        let flags = data[8]
        packet.rssi = Int8(exactly: -Int(data[10]))
        packet.hasWrongCRC = flags & 1 == 0
        packet.isDecrypted = flags & 0x0C == 0x0C
        if packet.accessAddress != AirPacket.advertising { direction = flags & 2 == 0 ? .received : .sent }
        content = .air(packet)
    }
}
