import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A scan: an asynchronous sequence of the peripherals whose advertisements are received while it is iterated.
///
/// A scan waits for the adapter to be powered on. An adapter that is unsupported, unauthorized or powered off ends it
/// at once with an error that names the remedy. It ends after its duration, when the loop over it is left, or when its
/// task is cancelled.
public struct Scan: AsyncSequence, Sendable {
    /// The error that iterating throws.
    public typealias Failure = BluetoothError

    private let stream: BluetoothStream<ScanResult>
    private let hidden: HiddenDevices

    init(stream: BluetoothStream<ScanResult>, hidden: HiddenDevices) {
        self.stream = stream
        self.hidden = hidden
    }

    /// The number of devices that were received and hidden by the filter.
    public var hiddenCount: Int { hidden.count }
    /// The number of results dropped because the consumer was too slow.
    public var droppedCount: Int { stream.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> BluetoothStream<ScanResult>.Iterator { stream.makeAsyncIterator() }
}

/// Counts the devices that a filter hid, each once.
final class HiddenDevices: Sendable {
    private let devices = Mutex((shown: Set<PeripheralID>(), hidden: Set<PeripheralID>()))

    var count: Int { devices.withLock { $0.hidden.count } }

    func note(_ device: PeripheralID, isShown: Bool) {
        devices.withLock { devices in
            if isShown {
                if devices.shown.insert(device).inserted { devices.hidden.remove(device) }
            } else if !devices.shown.contains(device) {
                devices.hidden.insert(device)
            }
        }
    }
}
