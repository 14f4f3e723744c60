/// A key of the terminal, or text that was pasted.
package enum Key: Hashable, Sendable {
    /// A character that is typed.
    case character(Character)
    case enter, tab, backTab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F12.
    case function(Int)
    /// A letter together with the control key: `control("a")`.
    case control(Character)
    /// Text that was pasted at once, in a terminal that says so.
    case paste(String)
}
