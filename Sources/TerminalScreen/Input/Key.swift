/// A key of the terminal, or pasted text.
package enum Key: Hashable, Sendable {
    /// A printable character.
    case character(Character)
    case enter, tab, backTab, escape, backspace, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    /// F1 to F12.
    case function(Int)
    /// A letter together with the control key: `control("a")`.
    case control(Character)
    /// Text pasted at once, in a terminal with bracketed paste.
    case paste(String)
}
