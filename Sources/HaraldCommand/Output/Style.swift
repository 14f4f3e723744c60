/// Colours and weights of text in a terminal.
enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case cyan = "36"

    /// The text in this style, where colours are wanted.
    func apply(_ text: String, _ isWanted: Bool = Terminal.hasColours) -> String {
        isWanted ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
