/// The reason why a submitted reading is refused.
package struct ReadingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, with advice.
    package var description: String
    /// Creates a problem with this reason.
    package init(_ description: String) { self.description = description }
}
