/// Something that must hold, and does not.
struct Finding: Error, CustomStringConvertible {
    /// The violated property, with the values that show it.
    var description: String

    init(_ description: String) { self.description = description }
}

/// Checks something that must hold.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(Finding) {
    if !condition { throw Finding(what()) }
}
