import BluetoothModel
import CoreBluetooth

extension RadioState {
    /// Creates the state from that of a manager; a state added in the future counts as unknown.
    init(_ state: CBManagerState) { self = Self.known[state] ?? .unknown }

    private static let known: [CBManagerState: RadioState] = [
        .resetting: .resetting, .unsupported: .unsupported, .unauthorized: .unauthorized, .poweredOff: .poweredOff,
        .poweredOn: .poweredOn,
    ]
}
