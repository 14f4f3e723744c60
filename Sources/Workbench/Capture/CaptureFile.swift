import BluetoothModel

protocol CaptureFormat {
    /// Reads the next record, without its number; returns nil at the end of the file.
    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord?
}

/// A capture file, read record by record.
package struct CaptureFile {
    private let source: ByteSource
    /// The name of the format: btsnoop, pcap, pcapng, PacketLogger or btsnooz.
    package let formatName: String
    private var format: any CaptureFormat
    private var number = 0
    private var isOver = false

    /// The maximum length of a record in bytes, the same as in Wireshark.
    static let maximumLength = 262_144

    /// Reads the header of a file.
    /// - Throws: ``CaptureDamage`` if the file is no capture, or has an unsupported link layer.
    package init(_ source: ByteSource) throws(CaptureDamage) {
        self.source = source
        let magic = source.peek(8)
        if magic == BtsnoopFormat.magic {
            (format, formatName) = (try BtsnoopFormat(source), "btsnoop")
        } else if magic.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) {
            (format, formatName) = (PcapngFormat(), "pcapng")
        } else if let order = PcapFormat.order(of: magic) {
            (format, formatName) = (try PcapFormat(source, order), "pcap")
        } else if let problem = source.problem {
            throw CaptureDamage(at: 0, problem)
        } else if magic.isEmpty {
            throw CaptureDamage(at: 0, "the file is empty")
        } else if magic.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            throw CaptureDamage(at: 0, "the file is a ZIP archive; unpack it and pass the text of the bug report")
        } else if let format = PacketLoggerFormat(source.peek(PacketLoggerFormat.headerLength)) {
            (self.format, formatName) = (format, "PacketLogger")
        } else if let format = try SnoozFormat(source) {
            (self.format, formatName) = (format, "btsnooz")
        } else {
            throw CaptureDamage(
                at: 0,
                "the file is not a capture in the format btsnoop, pcap, pcapng or PacketLogger, and no bug report "
                    + "with packets")
        }
    }

    /// Reads the next record; returns nil at the end.
    /// - Throws: ``CaptureDamage`` if the rest of the file cannot be read.
    package mutating func next() throws(CaptureDamage) -> CaptureRecord? {
        guard !isOver else { return nil }
        do throws(CaptureDamage) {
            guard var record = try format.next(source) else {
                isOver = true
                if let problem = source.problem { throw CaptureDamage(at: source.offset, problem) }
                return nil
            }
            number += 1
            record.number = number
            return record
        } catch {
            isOver = true
            throw error
        }
    }
}

extension ByteSource {
    /// Reads exactly `count` bytes.
    /// - Throws: ``CaptureDamage`` at `start` if the file ends before.
    func whole(_ count: Int, of what: String, from start: Int) throws(CaptureDamage) -> [UInt8] {
        let bytes = read(count)
        guard bytes.count == count else {
            let reason = problem ?? "the file ends at \(offset), inside \(what)"
            throw CaptureDamage(at: start, reason)
        }
        return bytes
    }
}

/// The byte order of the numbers in a file.
enum ByteOrder {
    case little, big

    func uint16(_ bytes: [UInt8], _ index: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(bytes, index, 2)) }
    func uint32(_ bytes: [UInt8], _ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(bytes, index, 4)) }
    func uint64(_ bytes: [UInt8], _ index: Int) -> UInt64 { number(bytes, index, 8) }

    /// Reads a number of `count` bytes. The caller has checked that `bytes` contains them.
    private func number(_ bytes: [UInt8], _ index: Int, _ count: Int) -> UInt64 {
        var value: UInt64 = 0
        for step in 0..<count { value = value << 8 | UInt64(bytes[index + (self == .big ? step : count - 1 - step)]) }
        return value
    }
}
