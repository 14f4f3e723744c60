import BluetoothBackend
import BluetoothModel

extension BlueZRadio {
    /// The counters of this program's use of the adapter. BlueZ shows neither the packets of links nor the commands and
    /// responses of the controller.
    var diagnostics: RadioDiagnostics {
        var diagnostics = record.counters
        diagnostics.connections = connector.coordinator.counters
        diagnostics.openLinks = links.values.filter(\.isUp).sorted { $0.path < $1.path }.map { link in
            var entry = LinkDiagnostics(
                link.id, address: link.id.address, isIncoming: false, age: record.age(of: link.id))
            entry.mtu = link.mtu
            entry.security = link.security
            return entry
        }
        return diagnostics
    }
}
