import BluetoothModel

/// Which records of a capture are shown.
package struct DissectionFilter: Sendable {
    /// Part of an address, or the beginning of a name, of a device that a record has to be about.
    package var device: String?
    /// A protocol that it has to have.
    package var layer: String?
    /// An attribute that it has to name.
    package var handle: UInt16?
    /// Whether something has to be wrong with it.
    package var hasError = false

    /// The protocols that there are.
    package static let layers = [
        "hci", "command", "event", "le", "acl", "sco", "iso", "l2cap", "att", "smp", "signalling", "monitor",
    ]

    /// Everything.
    package init() {}

    /// Whether a record is shown; `names` are those of devices, as far as they are known.
    package func matches(_ record: Dissection, names: [BluetoothAddress: String]) -> Bool {
        if hasError, record.error == nil { return false }
        if let layer, !record.layers.contains(layer) { return false }
        if let handle, record.att?.handles.contains(handle) != true { return false }
        guard let device else { return true }
        let (address, name) = (device.uppercased(), device.lowercased())
        return record.devices.contains {
            $0.text.hasPrefix(address) || names[$0]?.lowercased().hasPrefix(name) == true
        }
    }
}
