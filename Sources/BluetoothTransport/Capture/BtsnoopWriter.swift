import BluetoothHCI
import BluetoothModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes packets to a file in the btsnoop format, which Wireshark and btmon read.
///
/// All numbers of the format are big-endian. The data link type is 1002, H4: each packet with its type octet.
package final class BtsnoopWriter {
    /// The direction of a packet.
    package enum Direction: Hashable, Sendable {
        /// From the host to the controller.
        case sent
        /// From the controller to the host.
        case received
    }

    /// The path of the file.
    package let path: String
    /// The error that ended writing; later packets are lost.
    package private(set) var error: TransportError?
    /// Called once with ``error``.
    package var onError: ((TransportError) -> Void)?
    /// True if records wait for ``flush()``.
    package var hasUnwrittenRecords: Bool { !buffer.isEmpty }

    private var descriptor: Int32?
    private var buffer: [UInt8] = []

    private static let version: UInt32 = 1
    private static let dataLinkH4: UInt32 = 1002
    /// Microseconds from the start of the year 0, the epoch of the format, to 1970.
    private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
    /// Number of buffered bytes above which records are written without ``flush()``.
    private static let flushThreshold = 64 * 1024

    /// Creates or truncates the file and writes its header.
    ///
    /// - Parameter isPrivate: true if only the user may read the file.
    /// - Throws: ``TransportError`` if the file cannot be created.
    package init(path: String, isPrivate: Bool = false) throws(TransportError) {
        self.path = path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else { throw .capture(path: path, reason: SystemCall.text(of: errno)) }
        // An existing file would keep its permissions otherwise.
        if isPrivate { _ = fchmod(descriptor, 0o600) }
        self.descriptor = descriptor
        buffer.append(contentsOf: Array("btsnoop".utf8) + [0])
        append(Self.version)
        append(Self.dataLinkH4)
        flush()
        if let error {
            close()
            throw error
        }
    }

    deinit { close() }

    /// Adds one H4 packet with the time in microseconds since the start of 1970 (UTC).
    package func record(_ packet: ByteView, _ direction: Direction, microseconds: Int64) {
        guard descriptor != nil, !packet.isEmpty else { return }
        append(UInt32(packet.count))
        append(UInt32(packet.count))
        append(Self.flags(type: packet[0], direction))
        // The number of packets lost before this one.
        append(UInt32(0))
        let time = UInt64(bitPattern: microseconds &+ Self.epoch)
        append(UInt32(truncatingIfNeeded: time >> 32))
        append(UInt32(truncatingIfNeeded: time))
        buffer.append(contentsOf: packet.unsafeBytes)
        if buffer.count >= Self.flushThreshold { flush() }
    }

    /// Writes the buffered records to the file.
    package func flush() {
        guard let descriptor, !buffer.isEmpty else { return }
        var offset = 0
        while offset < buffer.count {
            let outcome = buffer.withUnsafeBytes {
                SystemCall.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[offset...]))
            }
            switch outcome {
            case .moved(let count) where count > 0: offset += count
            case .moved, .wouldBlock: stop(EAGAIN); return
            case .failed(let code): stop(code); return
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Writes the buffered records and closes the file.
    package func close() {
        flush()
        if let descriptor { SystemCall.close(descriptor) }
        descriptor = nil
    }

    private func stop(_ code: Int32) {
        let error = TransportError.capture(path: path, reason: SystemCall.text(of: code))
        self.error = error
        buffer.removeAll()
        if let descriptor { SystemCall.close(descriptor) }
        descriptor = nil
        onError?(error)
        onError = nil
    }

    /// Returns the flags. Bit 0: towards the host. Bit 1: a command or an event.
    private static func flags(type: UInt8, _ direction: Direction) -> UInt32 {
        let isControl = type == HCIPacketType.command.rawValue || type == HCIPacketType.event.rawValue
        return (direction == .received ? 1 : 0) | (isControl ? 2 : 0)
    }

    private func append(_ value: UInt32) {
        for shift in [24, 16, 8, 0] as [UInt32] { buffer.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}
