#if Programs
import BluetoothTransport
import Foundation
import Harald
import Synchronization

/// Captures what the adapter and its controller say to each other, while somebody wants it, for Wireshark and btmon.
package final class CaptureDesk: Sendable {
    /// What is known of the capture.
    package struct Report: Hashable, Sendable {
        /// The state: nothing was captured yet, packets are being written, a capture is complete.
        package enum State: String, Hashable, Sendable {
            // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
            case off, running, stopped
        }

        /// The state.
        package var state: State
        /// Whether the adapter shows its packets.
        package var isAvailable: Bool
        /// The packets in the file.
        package var packetCount: Int
        /// The size of the file's packets in bytes.
        package var byteCount: Int
        /// When the capture began; nil before the first.
        package var started: Date?
        /// Why it is not available, or stopped by itself.
        package var reason: String?

        /// One object.
        package var json: JSONValue {
            [
                "available": .bool(isAvailable), "state": .string(state.rawValue), "packets": .int(packetCount),
                "bytes": .int(byteCount), "started": .optional(started?.jsonText), "reason": .optional(reason),
            ]
        }
    }

    /// What an adapter is opened with, in ``HostBackend/AdapterOptions/captureTap``.
    package let tap = CaptureTap()
    private let path: String
    private let started = Mutex<Date?>(nil)

    /// A desk whose file is in the directory for temporary files, for the user alone, until the desk is released.
    package init() {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("harald-capture-\(UUID().uuidString).btsnoop").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// What is known of the capture.
    package var report: Report {
        let status = tap.status
        let started = started.withLock { $0 }
        let reason =
            status.isAttached
            ? status.problem : "this adapter shows no packets; with BlueZ 'btmon -w FILE' captures them"
        return Report(
            state: status.isRunning ? .running : started == nil ? .off : .stopped, isAvailable: status.isAttached,
            packetCount: status.packetCount, byteCount: status.byteCount, started: started, reason: reason)
    }

    /// Begins a new capture; what was captured before is gone. Does nothing while one runs.
    package func start(at date: Date) throws(BluetoothError) {
        let status = tap.status
        if status.isRunning { return }
        guard status.isAttached else {
            throw BluetoothError(
                .unsupported, operation: "capture", reason: "this adapter shows no packets",
                advice: "with BlueZ 'btmon -w FILE' captures them")
        }
        do { try tap.start(path: path) } catch {
            throw BluetoothError(.unsupported, operation: "capture", reason: "\(error)")
        }
        started.withLock { $0 = date }
    }

    /// Ends the capture.
    package func stop() { tap.stop() }

    /// The file so far; nil where nothing was captured.
    package func file() -> [UInt8]? {
        guard started.withLock({ $0 != nil }) else { return nil }
        tap.flush()
        return FileManager.default.contents(atPath: path).map(Array.init)
    }
}
#endif
