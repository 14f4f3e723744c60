import BluetoothBackend
import BluetoothModel

extension AppleRadio {
    /// The counters of this program's use of the adapter. CoreBluetooth shows neither packets nor the controller.
    package var diagnostics: RadioDiagnostics {
        var diagnostics = record.counters
        diagnostics.connections = connections.counters
        diagnostics.openLinks = connectedDevices.map { device in
            LinkDiagnostics(device.id, address: nil, isIncoming: false, age: record.age(of: device.id))
        }
        return diagnostics
    }
}
