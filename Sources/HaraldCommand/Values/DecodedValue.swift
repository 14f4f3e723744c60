/// A value whose type is known, for people and for programs.
struct DecodedValue: Hashable, Sendable {
    /// In words: "85 %".
    var text: String
    /// For programs: 85.
    var json: JSONValue
}
