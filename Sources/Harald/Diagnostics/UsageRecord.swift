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
    private let log: Logger
    private let state = Mutex(UsageCounters())

    init(adapter: AdapterInfo) { log = Logger(label: "harald.stream", adapter: adapter) }

    var counters: UsageCounters { state.withLock { $0 } }

    func operationFailed(_ code: BluetoothError.Code) {
        state.withLock { $0.failedOperations[code, default: 0] += 1 }
    }

    /// Returns the handler of the drops of a stream.
    /// - Parameter contents: the elements of the stream, for the log: "values of 2A37".
    func drops(
        _ counter: WritableKeyPath<UsageCounters, Int> & Sendable, of contents: String, peer: String = ""
    ) -> StreamDropHandler {
        { [weak self, log] more, total in
            self?.state.withLock { $0[keyPath: counter] += more }
            // The first drop is logged, then each doubling of their number.
            guard total.leadingZeroBitCount < (total - more).leadingZeroBitCount else { return }
            log.notice(
                "dropped \(contents), \(total) so far: the program reads them too slowly",
                metadata: peer.isEmpty ? nil : ["peer": "\(peer)"])
        }
    }
}
