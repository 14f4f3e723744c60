/// A violated property.
struct Finding: Error, CustomStringConvertible {
    /// The violated property, with the values that show it.
    var description: String

    init(_ description: String) { self.description = description }
}

/// Checks a property.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(what()) }
}
