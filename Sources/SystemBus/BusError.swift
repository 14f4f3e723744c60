/// An error of the bus, or of a program on it, in D-Bus's form: a name and a text.
package struct BusError: Error, Hashable, Sendable {
    /// The name: `org.bluez.Error.Failed`.
    package var name: String
    /// The message of the other side; may be empty.
    package var text: String

    /// Creates an error.
    package init(_ name: String, _ text: String = "") {
        self.name = name
        self.text = text
    }

    /// The D-Bus library is not installed.
    package static let libraryMissing = "harald.LibraryMissing"
    /// There is no bus, or it refuses the connection.
    package static let noBus = "harald.NoBus"
    /// The connection to the bus ended.
    package static let closed = "harald.Closed"
    /// The arguments cannot be encoded as a message.
    package static let invalidMessage = "harald.InvalidMessage"
    /// Another program has the requested name.
    package static let nameOwned = "harald.NameOwned"
    /// No answer within the timeout.
    package static let timeout = "harald.Timeout"

    /// The last part of the name: `Failed`.
    package var kind: Substring { name.split(separator: ".").last ?? "" }
}

extension BusError: CustomStringConvertible {
    /// The text, with the name where it adds information.
    package var description: String { text.isEmpty ? name : "\(text) (\(kind))" }
}
