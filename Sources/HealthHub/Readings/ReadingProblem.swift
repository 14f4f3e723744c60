/// The reason why a submitted reading is refused.
package struct ReadingProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, with advice.
    package var text: HubText
    package var description: String { text.description }
    package init(_ text: HubText) { self.text = text }
    /// Creates a problem with a reason that is known when the program runs; see ``HubProblem``.
    @_disfavoredOverload
    package init(_ text: some StringProtocol) { self.init(HubText(String(text))) }
}
