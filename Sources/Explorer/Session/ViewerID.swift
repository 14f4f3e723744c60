#if Programs
/// Names somebody who looks at the model and acts on it: a terminal, a page, a program that uses the API.
///
/// Links and subscriptions are counted per viewer, and whoever starts an operation answers the questions of pairing that
/// it leads to.
package struct ViewerID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    package var rawValue: String

    /// A viewer by its name.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A viewer by its name.
    package init(stringLiteral name: String) { rawValue = name }

    /// The name.
    package var description: String { rawValue }
}
#endif
