import BluetoothTransport
import Foundation
import Harald
import Synchronization

/// Captures the HCI packets between the adapter's host and controller on demand, for Wireshark and btmon.
package final class CaptureDesk: Sendable {
    /// The status of the capture.
    package struct Report: Hashable, Sendable {
        /// The state: nothing was captured yet, packets are being written, or a capture is complete.
        package enum State: String, Hashable, Sendable {
            // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
            case off, running, stopped
        }

        /// The state.
        package var state: State
        /// True if the adapter provides its packets.
        package var isAvailable: Bool
        /// The number of packets in the file.
        package var packetCount: Int
        /// The size of the packets in the file, in bytes.
        package var byteCount: Int
        /// The start of the capture; nil before the first one.
        package var started: Date?
        /// The reason why capturing is unavailable, or ended with an error.
        package var reason: String?

        /// The report as a JSON object.
        package var json: JSONValue {
            [
                "available": .bool(isAvailable), "state": .string(state.rawValue), "packets": .int(packetCount),
                "bytes": .int(byteCount), "started": .optional(started?.jsonText), "reason": .optional(reason),
            ]
        }
    }

    /// The tap for `AdapterOptions.captureTap`.
    package let tap = CaptureTap()
    private let path: String
    private let started = Mutex<Date?>(nil)

    /// Creates a desk whose file is in the directory for temporary files, accessible to the user only. The file is
    /// removed when the desk is released.
    package init() {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("harald-capture-\(UUID().uuidString).btsnoop").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The status of the capture.
    package var report: Report {
        let status = tap.status
        let started = started.withLock { $0 }
        let reason =
            status.isAttached
            ? status.problem : "this adapter does not provide packets; with BlueZ, 'btmon -w FILE' captures them"
        return Report(
            state: status.isRunning ? .running : started == nil ? .off : .stopped, isAvailable: status.isAttached,
            packetCount: status.packetCount, byteCount: status.byteCount, started: started, reason: reason)
    }

    /// Starts a new capture, which replaces the previous one. Does nothing while a capture runs.
    /// - Throws: `BluetoothError` with `unsupported` if the adapter provides no packets or the file cannot be written.
    package func start(at date: Date) throws(BluetoothError) {
        let status = tap.status
        if status.isRunning { return }
        guard status.isAttached else {
            throw BluetoothError(
                .unsupported, operation: "capture", reason: "this adapter does not provide packets",
                advice: "with BlueZ, 'btmon -w FILE' captures them")
        }
        do { try tap.start(path: path) } catch {
            throw BluetoothError(.unsupported, operation: "capture", reason: "\(error)")
        }
        started.withLock { $0 = date }
    }

    /// Ends the capture.
    package func stop() { tap.stop() }

    /// Returns the file so far; nil if nothing was captured.
    package func file() -> [UInt8]? {
        guard started.withLock({ $0 != nil }) else { return nil }
        tap.flush()
        return FileManager.default.contents(atPath: path).map(Array.init)
    }
}
