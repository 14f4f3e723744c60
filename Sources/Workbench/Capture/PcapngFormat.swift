/// The pcapng format of Wireshark: blocks, in sections that each have their own byte order and interfaces.
struct PcapngFormat: CaptureFormat {
    private struct Interface {
        let link: LinkType
        let clock: PcapngClock
        let snapLength: Int
    }

    private enum Block {
        static let section: UInt32 = 0x0A0D_0D0A, interface: UInt32 = 1, packet: UInt32 = 2
        static let simplePacket: UInt32 = 3, enhancedPacket: UInt32 = 6
    }

    /// The maximum length of a block in bytes. Some blocks without a packet are long.
    private static let maximumLength = 16 << 20
    private var order = ByteOrder.little
    private var interfaces: [Interface] = []

    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord? {
        while true {
            let start = source.offset
            if source.peek(1).isEmpty { return nil }
            let (type, body) = try block(source, start)
            switch type {
            case Block.section: interfaces = []
            case Block.interface: try addInterface(body, start)
            case Block.packet, Block.simplePacket, Block.enhancedPacket: return try packet(type, body, start)
            default: break
            }
        }
    }

    /// Reads the next block: its type, and its body between the two lengths.
    private mutating func block(_ source: ByteSource, _ start: Int) throws(CaptureDamage) -> (UInt32, [UInt8]) {
        let header = try source.whole(8, of: "the header of a block", from: start)
        let isSection = header.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
        if isSection {
            // The byte order of the length is that of the magic number after it.
            let magic = source.peek(4)
            guard magic.count == 4,
                let order = [ByteOrder.little, .big].first(where: {
                    $0.uint32(magic, 0) == 0x1A2B_3C4D
                })
            else { throw CaptureDamage(at: start, "the section header has no byte order") }
            self.order = order
        }
        let type = isSection ? Block.section : order.uint32(header, 0)
        let length = Int(order.uint32(header, 4))
        guard length >= (isSection ? 28 : 12), length % 4 == 0, length <= Self.maximumLength else {
            throw CaptureDamage(at: start, "a block has the invalid length \(length)")
        }
        let rest = try source.whole(length - 8, of: "a block of \(length) bytes", from: start)
        guard order.uint32(rest, rest.count - 4) == UInt32(length) else {
            throw CaptureDamage(at: start, "the lengths at the beginning (\(length)) and the end of the block differ")
        }
        return (type, Array(rest.dropLast(4)))
    }

    private mutating func addInterface(_ body: [UInt8], _ start: Int) throws(CaptureDamage) {
        guard body.count >= 8 else { throw CaptureDamage(at: start, "the description of an interface is too short") }
        guard interfaces.count < 4096 else { throw CaptureDamage(at: start, "more than 4096 interfaces") }
        let snapLength = Int(order.uint32(body, 4))
        interfaces.append(
            Interface(
                link: LinkType(UInt32(order.uint16(body, 0))), clock: PcapngClock(options(body, from: 8), order),
                snapLength: snapLength == 0 ? .max : snapLength))
    }

    private func packet(_ type: UInt32, _ body: [UInt8], _ start: Int) throws(CaptureDamage) -> CaptureRecord {
        let isSimple = type == Block.simplePacket
        let headerLength = isSimple ? 4 : 20
        guard body.count >= headerLength else { throw CaptureDamage(at: start, "the header of a packet is too short") }
        let number =
            switch type {
            case Block.simplePacket: 0
            case Block.packet: Int(order.uint16(body, 0))
            default: Int(order.uint32(body, 0))
            }
        guard interfaces.indices.contains(number) else {
            throw CaptureDamage(at: start, "the packet belongs to interface \(number), which is not described")
        }
        let interface = interfaces[number]
        let original = Int(order.uint32(body, isSimple ? 0 : 16))
        let included = isSimple ? min(original, interface.snapLength, body.count - 4) : Int(order.uint32(body, 12))
        guard included <= body.count - headerLength, included <= CaptureFile.maximumLength else {
            throw CaptureDamage(at: start, "the packet has a length of \(included) bytes, longer than its block")
        }
        var record = CaptureRecord(number: 0, content: .packet([]), missingCount: max(0, original - included))
        if !isSimple {
            record.time = interface.clock.nanoseconds(
                UInt64(order.uint32(body, 4)) << 32 | UInt64(order.uint32(body, 8)))
        }
        let end = headerLength + (included + 3) / 4 * 4
        let flags = type == Block.enhancedPacket ? options(body, from: end).first { $0.code == 2 }?.value : nil
        var direction: CaptureRecord.Direction?
        if let flags, flags.count == 4 {
            direction = [1: .received, 2: .sent][order.uint32(flags, 0) & 3]
        }
        interface.link.set(&record, Array(body[headerLength..<headerLength + included]), direction: direction)
        return record
    }

    /// Returns the complete options at the end of a block.
    private func options(_ body: [UInt8], from start: Int) -> [(code: UInt16, value: [UInt8])] {
        var (options, index): ([(UInt16, [UInt8])], Int) = ([], start)
        while index + 4 <= body.count {
            let code = order.uint16(body, index), length = Int(order.uint16(body, index + 2))
            guard code != 0, index + 4 + length <= body.count else { break }
            options.append((code, Array(body[index + 4..<index + 4 + length])))
            index += 4 + (length + 3) / 4 * 4
        }
        return options
    }
}

/// The unit and the offset of the time stamps of an interface: the options `if_tsresol` and `if_tsoffset`.
struct PcapngClock {
    /// The exponent of the resolution: a second has 10 to this power units, or 2 to this power if `isBinary`.
    private var exponent: UInt8 = 6
    private var isBinary = false
    /// The offset that is added to each time stamp, in seconds.
    private var offset: Int64 = 0

    init(_ options: [(code: UInt16, value: [UInt8])], _ order: ByteOrder) {
        for option in options {
            if option.code == 9, let value = option.value.first {
                (exponent, isBinary) = (value & 0x7F, value & 0x80 != 0)
            }
            if option.code == 14, option.value.count == 8 {
                offset = Int64(bitPattern: order.uint64(option.value, 0))
            }
        }
    }

    /// Returns the nanoseconds since the start of 1970; nil if they overflow.
    func nanoseconds(_ stamp: UInt64) -> Int64? {
        var value: UInt64
        if isBinary {
            let (high, low) = stamp.multipliedFullWidth(by: 1_000_000_000)
            if exponent >= 64 {
                value = high >> UInt64(exponent - 64)
            } else {
                guard exponent == 0 ? high == 0 : high >> UInt64(exponent) == 0 else { return nil }
                value = exponent == 0 ? low : high << UInt64(64 - exponent) | low >> UInt64(exponent)
            }
        } else {
            value = stamp
            for _ in 0..<max(0, 9 - Int(exponent)) {
                let product = value.multipliedReportingOverflow(by: 10)
                if product.overflow { return nil }
                value = product.partialValue
            }
            for _ in 0..<max(0, Int(exponent) - 9) where value > 0 { value /= 10 }
        }
        guard let signed = Int64(exactly: value) else { return nil }
        let shift = offset.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = signed.addingReportingOverflow(shift.partialValue)
        return shift.overflow || sum.overflow ? nil : sum.partialValue
    }
}
