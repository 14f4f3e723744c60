/// Formats attribute handles.
package enum HandleText {
    /// Returns the handle in the form "0x0012".
    package static func text(_ handle: UInt32) -> String {
        let digits = String(handle, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
