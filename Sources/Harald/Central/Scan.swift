import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A scan: the peripherals that are heard, one after the other, while somebody iterates.
///
/// It waits for the adapter to be powered on; an adapter that is unsupported, unauthorized or powered off ends it at
/// once with the cure. It ends with its duration, when the loop over it is left, or when its task is cancelled.
public struct Scan: AsyncSequence, Sendable {
    /// What iterating can throw.
    public typealias Failure = BluetoothError

    private let stream: BluetoothStream<Discovery>
    private let hidden: HiddenDevices

    init(stream: BluetoothStream<Discovery>, hidden: HiddenDevices) {
        self.stream = stream
        self.hidden = hidden
    }

    /// How many devices were heard that the filter does not show.
    public var hiddenCount: Int { hidden.count }
    /// How many discoveries were dropped because the consumer was too slow.
    public var droppedCount: Int { stream.droppedCount }

    /// The iterator.
    public func makeAsyncIterator() -> BluetoothStream<Discovery>.Iterator { stream.makeAsyncIterator() }
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
