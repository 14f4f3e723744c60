extension Int {
    /// The number with a noun, which is in the plural unless the number is 1: "1 rule", "3 rules".
    /// - Parameter plural: the plural; by default the noun with an s.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
