import BluetoothModel

/// A filter for the records of a capture.
package struct DissectionFilter: Sendable {
    /// The case-insensitive prefix of the address or of the name of a device that a matching record concerns.
    package var device: String?
    /// A protocol that a matching record contains.
    package var layer: String?
    /// An attribute handle that a matching record contains.
    package var handle: UInt16?
    /// True if only records with an error match.
    package var hasError = false

    /// The names of all protocols.
    package static let layers = [
        "hci", "command", "event", "le", "acl", "sco", "iso", "l2cap", "att", "smp", "signalling", "monitor", "air",
    ]

    /// Creates a filter that matches every record.
    package init() {}

    /// Returns true if a record matches. `names` contains the known names of devices.
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
