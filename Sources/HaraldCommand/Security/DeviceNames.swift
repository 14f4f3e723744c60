import Harald
import Synchronization

/// The names of devices in questions about them, once an adapter is open that knows them.
final class DeviceNames: Sendable {
    private let central = Mutex<WeakCentral>(WeakCentral())

    /// Weak, because the central retains its pairing delegate, which has these names.
    private struct WeakCentral: Sendable { weak var central: Central? }

    /// Sets the central to query.
    func ask(_ central: Central) { self.central.withLock { $0.central = central } }

    /// Returns name and address of a device; nil if only the identifier is known. Control characters are replaced.
    func name(of peripheral: PeripheralID) async -> String? {
        guard let central = central.withLock({ $0.central }), let known = await central.peripheral(id: peripheral)
        else { return nil }
        return TerminalText.safe("\(known)")
    }
}
