/// Identifies a viewer of the model: a terminal, a page, a program that uses the API.
///
/// Links and subscriptions are counted per viewer. The viewer that starts an operation answers the pairing requests
/// that it causes.
package struct ViewerID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The identifier as text.
    package var rawValue: String

    /// Creates an identifier from a text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from a text.
    package init(stringLiteral name: String) { rawValue = name }

    /// The identifier as text.
    package var description: String { rawValue }
}
