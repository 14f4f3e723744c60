import BluetoothModel

/// Formats attribute handles.
package enum HandleText {
    /// Returns the handle in the form "0x0012".
    package static func text(_ handle: UInt32) -> String { "0x" + handle.hexText(digits: 4) }
}
