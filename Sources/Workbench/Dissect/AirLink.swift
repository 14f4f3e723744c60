import BluetoothModel
import VirtualBluetooth

/// The state of a link that a sniffer followed: its sequence numbers, and its encryption with one of the given keys.
final class AirLink {
    /// The pseudo handle of the link.
    let handle: UInt16
    private let keys: [[UInt8]]
    private var sequence: [CaptureRecord.Direction: UInt8] = [:]
    /// The last packet: when it ended on LE 1M, and its direction.
    private var last: (end: Int64, direction: CaptureRecord.Direction)?
    private var request: EncryptionShare?
    private var response: EncryptionShare?
    private(set) var isEncrypted = false
    /// The sessions of the keys that may be the right one; one after the first packet was decrypted.
    private var sessions: [EncryptionSession] = []
    private var counters: [CaptureRecord.Direction: UInt64] = [:]

    /// The maximum number of packets in succession that the sniffer may have missed.
    private static let longestGap: UInt64 = 64

    init(handle: UInt16, keys: [[UInt8]]) { (self.handle, self.keys) = (handle, keys) }

    /// Returns the direction of a packet if the capture does not contain it. A packet that follows the last one after
    /// 150 µs is the answer to it; the central sends the first one of each event.
    func direction(of pdu: ByteView, at time: Int64?) -> CaptureRecord.Direction {
        guard let time else { return .sent }
        // Preamble, access address, PDU and CRC on LE 1M, 8 µs an octet.
        let length = Int64(pdu.count + 8) * 8000
        let gap = last.map { time.subtractingReportingOverflow($0.end).partialValue } ?? .max
        let direction = gap > 0 && gap < 300_000 ? last?.direction.reversed ?? .sent : .sent
        last = (time.addingReportingOverflow(length).partialValue, direction)
        return direction
    }

    /// Returns false if a packet repeats the last one of its direction.
    func isNew(_ header: UInt8, _ direction: CaptureRecord.Direction) -> Bool {
        let number = header & 0x08
        defer { sequence[direction] = number }
        return sequence[direction] != number
    }

    /// Returns the payload in the clear; nil if it is encrypted and no key decrypts it.
    func open(_ pdu: ByteView, _ direction: CaptureRecord.Direction) -> [UInt8]? {
        guard isEncrypted else { return pdu.dropFirst(2).array }
        let first = counters[direction] ?? 0
        for session in sessions {
            for counter in first...(first + Self.longestGap) {
                var packet = LinkPDU(header: pdu[0], payload: pdu.dropFirst(2).array)
                let cipher = PacketCipher(
                    session, sender: direction == .sent ? .central : .peripheral, counter: counter)
                guard cipher.open(&packet) else { continue }
                sessions = [session]
                counters[direction] = counter + 1
                return packet.payload
            }
        }
        return nil
    }

    /// Follows the procedures that start and pause encryption (Core 6.0, Vol 6, Part B, 5.1.3).
    func follow(_ payload: [UInt8], _ direction: CaptureRecord.Direction) {
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(payload[offset + $1]) << (8 * UInt64($1)) }
        }
        switch payload[0] {
        case 0x03 where payload.count == 23:
            request = EncryptionShare(diversifier: number(11, 8), vector: UInt32(truncatingIfNeeded: number(19, 4)))
        case 0x04 where payload.count == 13:
            response = EncryptionShare(diversifier: number(1, 8), vector: UInt32(truncatingIfNeeded: number(9, 4)))
        // The peripheral starts encryption; all further packets are encrypted.
        case 0x05:
            guard let request, let response else { return isEncrypted = true }
            (isEncrypted, counters) = (true, [:])
            sessions = keys.map { EncryptionSession(longTermKey: $0, central: request, peripheral: response) }
        // The response of the peripheral is the last encrypted packet.
        case 0x0B where direction == .received: isEncrypted = false
        default: break
        }
    }
}
