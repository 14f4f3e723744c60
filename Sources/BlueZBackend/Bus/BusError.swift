/// An error of the bus, or of a program on it, in D-Bus's form: a name and a text.
struct BusError: Error, Hashable, Sendable {
    /// The name: `org.bluez.Error.Failed`.
    var name: String
    /// The message of the other side; may be empty.
    var text: String

    /// Creates an error.
    init(_ name: String, _ text: String = "") {
        self.name = name
        self.text = text
    }

    /// The D-Bus library is not installed.
    static let libraryMissing = "harald.LibraryMissing"
    /// There is no bus, or it refuses the connection.
    static let noBus = "harald.NoBus"
    /// The connection to the bus ended.
    static let closed = "harald.Closed"
    /// The arguments cannot be encoded as a message.
    static let invalidMessage = "harald.InvalidMessage"
    /// No answer within the timeout.
    static let timeout = "harald.Timeout"

    /// The last part of the name: `Failed`.
    var kind: Substring { name.split(separator: ".").last ?? "" }
}

extension BusError: CustomStringConvertible {
    /// The text, with the name where it adds information.
    var description: String { text.isEmpty ? name : "\(text) (\(kind))" }
}
