import BluetoothModel
import Synchronization

/// A capture that is started and stopped while an adapter runs. An adapter is opened with the tap; its packets are
/// written to a btsnoop file between ``start(path:)`` and ``stop()``. Keys are replaced with zeros.
package final class CaptureTap: Sendable {
    /// The status of a capture.
    package struct Status: Hashable, Sendable {
        /// True if an adapter was opened with the tap: others, such as BlueZ's, show no packets.
        package var isAttached = false
        /// True while packets are written.
        package var isRunning = false
        /// The number of packets in the file.
        package var packetCount = 0
        /// The size of the file's packets in bytes, with their headers.
        package var byteCount = 0
        /// The reason why writing stopped by itself; nil if it did not.
        package var problem: String?
    }

    private struct State {
        var writer: BtsnoopWriter?
        var status = Status()
        var observer: (@Sendable ([UInt8], BtsnoopWriter.Direction, _ microseconds: Int64) -> Void)?
    }

    /// Size limit in bytes, at which a capture stops by itself.
    package static let byteLimit = 256 << 20
    private let state = Mutex(State())

    /// Creates a tap that is off.
    package init() {}

    /// The status of the capture.
    package var status: Status { state.withLock { $0.status } }

    /// Creates or truncates the file and starts writing.
    /// - Throws: ``TransportError`` if the file cannot be created.
    package func start(path: String) throws(TransportError) {
        let result = state.withLock { state in
            Result { () throws(TransportError) in
                state.writer?.close()
                state.writer = nil
                state.status = Status(isAttached: state.status.isAttached)
                state.writer = try BtsnoopWriter(path: path, isPrivate: true)
                state.status.isRunning = true
            }
        }
        try result.get()
    }

    /// Stops writing; the file is complete afterwards.
    package func stop() {
        state.withLock { state in
            state.writer?.close()
            state.writer = nil
            state.status.isRunning = false
        }
    }

    /// Calls `observer` with each packet from now on, also while nothing is written. The call is on the adapter's loop,
    /// so `observer` must not block. Keys are replaced with zeros. The time is in microseconds since 1970.
    package func observe(
        _ observer: @escaping @Sendable ([UInt8], BtsnoopWriter.Direction, _ microseconds: Int64) -> Void
    ) {
        state.withLock { $0.observer = observer }
    }

    /// Writes the buffered records, so that the file can be read.
    package func flush() { state.withLock { $0.writer?.flush() } }

    /// Records that an adapter uses the tap.
    func attach() { state.withLock { $0.status.isAttached = true } }

    func record(_ packet: ByteView, _ direction: BtsnoopWriter.Direction, microseconds: Int64) {
        let (isRunning, observer) = state.withLock { ($0.status.isRunning, $0.observer) }
        guard isRunning || observer != nil else { return }
        let bytes = packet.array
        observer?(bytes, direction, microseconds)
        guard isRunning else { return }
        state.withLock { state in
            guard let writer = state.writer else { return }
            bytes.withByteView { writer.record($0, direction, microseconds: microseconds) }
            state.status.packetCount += 1
            state.status.byteCount += bytes.count + 24
            if let error = writer.error { state.status.problem = "\(error)" }
            if state.status.byteCount > Self.byteLimit {
                state.status.problem = "the capture has reached \(Self.byteLimit >> 20) MB"
            }
            guard state.status.problem != nil else { return }
            writer.close()
            state.writer = nil
            state.status.isRunning = false
        }
    }
}

extension CaptureTap: Hashable {
    /// Returns true if both are the same object.
    package static func == (left: CaptureTap, right: CaptureTap) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
