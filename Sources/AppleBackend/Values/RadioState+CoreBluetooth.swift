import BluetoothModel
import CoreBluetooth

extension RadioState {
    /// The state that a manager tells; one that is not known yet counts as unknown.
    init(_ state: CBManagerState) { self = Self.known[state] ?? .unknown }

    private static let known: [CBManagerState: RadioState] = [
        .resetting: .resetting, .unsupported: .unsupported, .unauthorized: .unauthorized, .poweredOff: .poweredOff,
        .poweredOn: .poweredOn,
    ]
}
