/// An error in the user's input, with the accepted forms.
package struct InputError: Error, Hashable, CustomStringConvertible {
    /// The message.
    package var message: String

    /// Creates an error with this message.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}
