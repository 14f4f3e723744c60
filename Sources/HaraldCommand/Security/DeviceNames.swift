import Harald
import Synchronization

/// What devices are called in questions about them, once an adapter is open that knows.
final class DeviceNames: Sendable {
    private let central = Mutex<WeakCentral>(WeakCentral())

    /// The central keeps who answers for it.
    private struct WeakCentral: Sendable { weak var central: Central? }

    /// Asks this central from now on.
    func ask(_ central: Central) { self.central.withLock { $0.central = central } }

    /// Name and address of a device; nil where nothing is known but the identifier. Nothing in it that a terminal obeys.
    func name(of peripheral: PeripheralID) async -> String? {
        guard let central = central.withLock({ $0.central }), let known = await central.peripheral(peripheral) else {
            return nil
        }
        return TerminalText.safe("\(known)")
    }
}
