import BluetoothTransport
import Dispatch
import Explorer
import Foundation
import Synchronization
import Workbench

/// Shows the packets of the adapters on standard error as they pass.
final class LiveTrace: Sendable {
    static let shared = LiveTrace()

    private struct State {
        var dissector = Dissector()
        var number = 0
        var start: Int64?
        var taps: [CaptureTap] = []
        /// The packets that wait to be shown.
        var waiting = 0
        var dropped = 0
    }

    /// The number of packets that may wait for a slow terminal; further ones are dropped and counted.
    private static let limit = 65_536

    private let state = Mutex(State())
    /// The packets are dissected away from the loop of the adapter.
    private let queue = DispatchQueue(label: "trace")

    /// The tap for adapters that have none of their own.
    var tap: CaptureTap {
        if let tap = state.withLock({ $0.taps.first }) { return tap }
        let tap = CaptureTap()
        follow(tap)
        return tap
    }

    /// Shows the packets of a tap.
    func follow(_ tap: CaptureTap) {
        let isNew = state.withLock { state in
            if state.taps.contains(tap) { return false }
            state.taps.append(tap)
            return true
        }
        guard isNew else { return }
        tap.observe { [self] bytes, direction, microseconds in
            let isDropped = state.withLock { state in
                if state.waiting >= Self.limit {
                    state.dropped += 1
                    return true
                }
                state.waiting += 1
                return false
            }
            if !isDropped { queue.async { [self] in show(bytes, direction == .sent, microseconds) } }
        }
    }

    /// Returns true if the packets of a tap are shown.
    func follows(_ tap: CaptureTap) -> Bool { state.withLock { $0.taps.contains(tap) } }

    /// Waits until all packets so far are shown.
    func flush() { queue.sync {} }

    private func show(_ bytes: [UInt8], _ isSent: Bool, _ microseconds: Int64) {
        let (line, dropped) = state.withLock { state in
            state.number += 1
            state.waiting -= 1
            let time = microseconds &* 1000
            state.start = state.start ?? time
            let record = CaptureRecord(
                number: state.number, time: time, direction: isSent ? .sent : .received, content: .packet(bytes))
            defer { state.dropped = 0 }
            return (state.dissector.dissect(record).line(since: state.start), state.dropped)
        }
        if dropped > 0 { Console.message("--trace: \(dropped) packets were dropped") }
        let width = isatty(STDERR_FILENO) == 1 ? Terminal.size.columns : Int.max
        let lines = width == .max ? [line] : TerminalText.wrap(line, to: width, indent: "        ")
        let text = lines.map { $0 + "\n" }.joined()
        if !HeldMessages.shared.hold(text) { Console.writeError(text) }
    }
}
