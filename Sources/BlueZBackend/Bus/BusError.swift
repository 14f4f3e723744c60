/// Why something asked of the bus, or of a program on it, did not happen: D-Bus's own form, a name and a text.
struct BusError: Error, Hashable, Sendable {
    /// The name: `org.bluez.Error.Failed`.
    var name: String
    /// What the other side says about it; may be empty.
    var text: String

    /// An error.
    init(_ name: String, _ text: String = "") {
        self.name = name
        self.text = text
    }

    /// The library that speaks D-Bus is not there.
    static let libraryMissing = "harald.LibraryMissing"
    /// There is no bus, or it does not let us in.
    static let noBus = "harald.NoBus"
    /// The connection to the bus ended.
    static let closed = "harald.Closed"
    /// What was to be sent cannot be a message.
    static let invalidMessage = "harald.InvalidMessage"
    /// No answer in the time allowed.
    static let timeout = "harald.Timeout"

    /// The last part of the name: `Failed`.
    var kind: Substring { name.split(separator: ".").last ?? "" }
}

extension BusError: CustomStringConvertible {
    /// The text, with the name where that says more.
    var description: String { text.isEmpty ? name : "\(text) (\(kind))" }
}
