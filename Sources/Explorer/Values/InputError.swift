/// A mistake in what a person typed: what is wrong, and what is allowed.
package struct InputError: Error, Hashable, CustomStringConvertible {
    /// The message.
    package var message: String

    /// An error.
    package init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}
