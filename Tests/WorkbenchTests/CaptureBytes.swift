import BluetoothModel
import Workbench

/// Capture files made of packets, byte by byte.
enum CaptureBytes {
    typealias Packet = (bytes: [UInt8], direction: CaptureRecord.Direction)

    /// The time of the first packet in microseconds since 1970; packets follow at intervals of a millisecond.
    static let start: Int64 = 1_706_933_106_789_012

    static func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    static func snoopHeader(_ dataLink: UInt32 = 1002) -> [UInt8] {
        Array("btsnoop".utf8) + [0] + big(UInt32(1)) + big(dataLink)
    }

    static func snoopRecord(
        _ bytes: [UInt8], flags: UInt32, original: Int? = nil, index: Int = 0
    ) -> [UInt8] {
        let time = start + Int64(index) * 1000 + 0x00DC_DDB3_0F2F_8000
        return big(UInt32(original ?? bytes.count)) + big(UInt32(bytes.count)) + big(flags) + big(UInt32(0)) + big(time)
            + bytes
    }

    /// Datalink 1002.
    static func snoop(_ packets: [Packet]) -> [UInt8] {
        packets.enumerated().reduce(snoopHeader()) { file, packet in
            file
                + snoopRecord(
                    packet.element.bytes, flags: packet.element.direction == .received ? 1 : 0, index: packet.offset)
        }
    }

    /// Datalink 1001: without type bytes.
    static func bareSnoop(_ packets: [Packet]) -> [UInt8] {
        packets.enumerated().reduce(snoopHeader(1001)) { file, packet in
            let isControl = [1, 4].contains(packet.element.bytes[0])
            let flags: UInt32 = (packet.element.direction == .received ? 1 : 0) | (isControl ? 2 : 0)
            return file + snoopRecord(Array(packet.element.bytes.dropFirst()), flags: flags, index: packet.offset)
        }
    }

    /// The opcode of Linux's monitor for a packet.
    static func monitorOpcode(_ packet: Packet) -> UInt16 {
        switch packet.bytes[0] {
        case 1: 2
        case 4: 3
        default: packet.direction == .sent ? 4 : 5
        }
    }

    /// Datalink 2001.
    static func monitorSnoop(_ packets: [Packet]) -> [UInt8] {
        packets.enumerated().reduce(snoopHeader(2001)) { file, packet in
            file
                + snoopRecord(
                    Array(packet.element.bytes.dropFirst()), flags: UInt32(monitorOpcode(packet.element)),
                    index: packet.offset)
        }
    }

    /// The data of a record of a pcap link type.
    static func payload(_ packet: Packet, link: UInt32) -> [UInt8] {
        switch link {
        case 201: big(UInt32(packet.direction == .sent ? 0 : 1)) + packet.bytes
        case 254: big(UInt16(0)) + big(monitorOpcode(packet)) + packet.bytes.dropFirst()
        default: packet.bytes
        }
    }

    static func pcap(_ packets: [Packet], link: UInt32, isBig: Bool = false, nanoseconds: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
        func short(_ value: UInt16) -> [UInt8] { isBig ? big(value) : little(value) }
        var file = number(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4) + short(2) + short(4) + number(0) + number(0)
        file += number(65535) + number(link)
        for (index, packet) in packets.enumerated() {
            let time = start + Int64(index) * 1000, bytes = payload(packet, link: link)
            let fraction = UInt32(time % 1_000_000) * (nanoseconds ? 1000 : 1)
            file += number(UInt32(time / 1_000_000)) + number(fraction)
            file += number(UInt32(bytes.count)) + number(UInt32(bytes.count)) + bytes
        }
        return file
    }

    static func block(_ type: UInt32, _ body: [UInt8], isBig: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        let length = number(UInt32(12 + padded.count))
        return number(type) + length + padded + length
    }

    static func sectionHeader(isBig: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
        let version: [UInt8] = isBig ? [0, 1, 0, 0] : [1, 0, 0, 0]
        return block(
            0x0A0D_0D0A, number(0x1A2B_3C4D) + version + [UInt8](repeating: 0xFF, count: 8), isBig: isBig)
    }

    static func pcapng(_ packets: [Packet], link: UInt32, isBig: Bool = false) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { isBig ? big(value) : little(value) }
        func short(_ value: UInt16) -> [UInt8] { isBig ? big(value) : little(value) }
        var file = sectionHeader(isBig: isBig)
        // Nanoseconds, according to `if_tsresol`.
        file += block(
            1, short(UInt16(link)) + short(0) + number(0) + short(9) + short(1) + [9, 0, 0, 0] + number(0), isBig: isBig
        )
        for (index, packet) in packets.enumerated() {
            let time = UInt64(start + Int64(index) * 1000) * 1000, bytes = payload(packet, link: link)
            var body = number(0) + number(UInt32(time >> 32)) + number(UInt32(truncatingIfNeeded: time))
            body += number(UInt32(bytes.count)) + number(UInt32(bytes.count)) + bytes
            body += [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            body += short(2) + short(4) + number(packet.direction == .received ? 1 : 2) + number(0)
            file += block(6, body, isBig: isBig)
        }
        return file
    }

    /// Every record, and the damage that ended the file.
    static func read(_ file: [UInt8]) -> (records: [CaptureRecord], damage: CaptureDamage?) {
        var records: [CaptureRecord] = []
        do throws(CaptureDamage) {
            var capture = try CaptureFile(ByteSource(bytes: file))
            while let record = try capture.next() { records.append(record) }
        } catch {
            return (records, error)
        }
        return (records, nil)
    }

    /// Dissects all records of a file.
    static func dissect(_ file: [UInt8]) -> [Dissection] {
        var dissector = Dissector()
        return read(file).records.map { dissector.dissect($0) }
    }
}

/// Packets of a link with handle 0x0040 to a peripheral C0:00:00:00:00:01.
enum LinkPackets {
    typealias Packet = CaptureBytes.Packet

    static let connected: Packet = (
        [4, 0x3E, 19, 0x01, 0, 0x40, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 0xF4, 1, 0], .received
    )

    static func disconnected(_ reason: UInt8) -> Packet { ([4, 0x05, 4, 0, 0x40, 0, reason], .received) }

    /// A frame in one packet.
    static func frame(_ channel: UInt16, _ payload: [UInt8], _ direction: CaptureRecord.Direction) -> Packet {
        let frame = CaptureBytes.little(UInt16(payload.count)) + CaptureBytes.little(channel) + payload
        return fragment(frame, isFirst: true, direction)
    }

    static func fragment(_ bytes: [UInt8], isFirst: Bool, _ direction: CaptureRecord.Direction) -> Packet {
        let boundary: UInt8 = isFirst ? (direction == .sent ? 0 : 2) : 1
        return ([2, 0x40, boundary << 4] + CaptureBytes.little(UInt16(bytes.count)) + bytes, direction)
    }

    static func request(_ bytes: [UInt8]) -> Packet { frame(4, bytes, .sent) }
    static func answer(_ bytes: [UInt8]) -> Packet { frame(4, bytes, .received) }

    /// A discovery of Heart Rate with its measurement at 0x0003, and its CCCD at 0x0004.
    static let discovery: [Packet] = [
        request([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28]), answer([0x11, 6, 1, 0, 9, 0, 0x0D, 0x18]),
        request([0x10, 10, 0, 0xFF, 0xFF, 0x00, 0x28]), answer([0x01, 0x10, 10, 0, 0x0A]),
        request([0x08, 1, 0, 9, 0, 0x03, 0x28]), answer([0x09, 7, 2, 0, 0x10, 3, 0, 0x37, 0x2A]),
        request([0x04, 4, 0, 4, 0]), answer([0x05, 1, 4, 0, 0x02, 0x29]),
    ]
}
