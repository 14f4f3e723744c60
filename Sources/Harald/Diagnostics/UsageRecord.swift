import BluetoothBackend
import Logging
import Synchronization

/// The failures and drops of one user of an adapter.
struct UsageCounters: Hashable, Sendable {
    var failedOperations: [BluetoothError.Code: Int] = [:]
    var droppedValues = 0
    var droppedScanResults = 0
}

/// Counts the failures of one user of an adapter, and logs the values that its streams drop. Used from any thread.
final class UsageRecord: Sendable {
    private static let log = Logger(label: "harald.stream")
    private let state = Mutex(UsageCounters())

    var counters: UsageCounters { state.withLock { $0 } }

    func operationFailed(_ code: BluetoothError.Code) {
        state.withLock { $0.failedOperations[code, default: 0] += 1 }
    }

    /// Returns the handler of the drops of a stream.
    /// - Parameter contents: the elements of the stream, for the log: "values of 2A37".
    func drops(
        _ counter: WritableKeyPath<UsageCounters, Int> & Sendable, of contents: String, peer: String = ""
    ) -> StreamDropHandler {
        { [weak self] more, total in
            self?.state.withLock { $0[keyPath: counter] += more }
            // The first drop is logged, then each doubling of their number.
            guard total.leadingZeroBitCount < (total - more).leadingZeroBitCount else { return }
            Self.log.notice(
                "\(total) \(contents) dropped: the program reads them too slowly",
                metadata: peer.isEmpty ? nil : ["peer": "\(peer)"])
        }
    }
}
