import BluetoothHCI
import BluetoothModel
import Foundation

/// The format btsnooz of Android's bug reports: text with the recent packets, compressed and encoded in Base64.
struct SnoozFormat: CaptureFormat {
    /// The lines around the packets.
    static let begin = "--- BEGIN:BTSNOOP_LOG_SUMMARY", end = "--- END:BTSNOOP_LOG_SUMMARY"
    /// The maximum length of a report that is searched, and of its packets.
    private static let longestReport = 256 << 20, longestLog = 64 << 20

    private static let types: [UInt8: (HCIPacketType, CaptureRecord.Direction)] = [
        0x10: (.event, .received), 0x11: (.acl, .received), 0x12: (.synchronous, .received), 0x17: (.iso, .received),
        0x20: (.command, .sent), 0x21: (.acl, .sent), 0x22: (.synchronous, .sent), 0x2D: (.iso, .sent),
    ]

    private let log: [UInt8]
    /// The offset of the packets in the file, for damages.
    private let place: Int
    private var offset = 0
    /// Microseconds since the start of 1970.
    private var time: Int64
    /// True if the records contain the length of the whole packet too.
    private let hasWholeLength: Bool

    /// Returns nil if the rest of the file is not such a report.
    init?(_ source: ByteSource) throws(CaptureDamage) {
        guard let (text, place) = Self.text(in: source) else { return nil }
        self.place = place
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), data.count > 9 else {
            throw CaptureDamage(at: place, "the packets of the bug report are not valid Base64")
        }
        let bytes = [UInt8](data)
        guard bytes[0] == 1 || bytes[0] == 2 else {
            throw CaptureDamage(at: place, "btsnooz version \(bytes[0]) is not supported, only 1 and 2")
        }
        hasWholeLength = bytes[0] == 2
        do throws(ZlibError) {
            log = try Zlib.inflate(Array(bytes[9...]), limit: Self.longestLog)
        } catch { throw CaptureDamage(at: place, "\(error)") }
        // The file has the time of the last packet, and each packet the time since the one before.
        time = Int64(truncatingIfNeeded: ByteOrder.little.uint64(bytes, 1))
        var index = 0
        let header = hasWholeLength ? 9 : 7
        while index + header <= log.count {
            time &-= Int64(ByteOrder.little.uint32(log, index + header - 5))
            index += header + max(0, Int(ByteOrder.little.uint16(log, index)) - 1)
        }
    }

    mutating func next(_ source: ByteSource) throws(CaptureDamage) -> CaptureRecord? {
        let header = hasWholeLength ? 9 : 7
        guard offset < log.count else { return nil }
        guard offset + header <= log.count else { throw CaptureDamage(at: place, "the last packet is incomplete") }
        // The lengths count the type, which is part of the header.
        let length = Int(ByteOrder.little.uint16(log, offset)) - 1
        let whole = hasWholeLength ? Int(ByteOrder.little.uint16(log, offset + 2)) - 1 : length
        time &+= Int64(ByteOrder.little.uint32(log, offset + header - 5))
        let type = log[offset + header - 1]
        offset += header
        guard length >= 0, offset + length <= log.count, let (packet, direction) = Self.types[type] else {
            throw CaptureDamage(at: place, "the packet at offset \(offset) of the unpacked log is invalid")
        }
        defer { offset += length }
        let nanoseconds = time.multipliedReportingOverflow(by: 1000)
        return CaptureRecord(
            number: 0, time: nanoseconds.overflow ? nil : nanoseconds.partialValue, direction: direction,
            content: .packet([packet.rawValue] + log[offset..<offset + length]), missingCount: max(0, whole - length))
    }

    /// Returns the encoded packets, and their offset; nil if the text contains none.
    private static func text(in source: ByteSource) -> (String, Int)? {
        var (line, offset, text) = ([UInt8](), source.offset, String?.none)
        let begin = Array(Self.begin.utf8), end = Array(Self.end.utf8)
        var place = 0
        while source.offset < longestReport {
            let chunk = source.read(64 * 1024)
            for byte in chunk + (chunk.isEmpty ? [0x0A] : []) {
                offset += 1
                guard byte == 0x0A || byte == 0x0D else {
                    // Of other lines only the beginning counts.
                    if text != nil || line.count < begin.count { line.append(byte) }
                    continue
                }
                if line.starts(with: end), let text { return (text, place) }
                if text != nil {
                    text?.append(String(decoding: line, as: UTF8.self))
                } else if line.starts(with: begin) {
                    (text, place) = ("", offset)
                }
                line.removeAll(keepingCapacity: true)
            }
            if chunk.isEmpty { return text.map { ($0, place) } }
        }
        return nil
    }
}
