/// The colour and weight of text in a terminal.
package struct Style: Hashable, Sendable {
    /// A standard colour; the raw value is the SGR parameter (ECMA-48, 8.3.117) minus 30.
    package enum Colour: UInt8, Hashable, Sendable {
        case red = 1
        case green, yellow, blue, magenta, cyan
    }

    package var colour: Colour?
    package var isBold: Bool
    package var isDim: Bool
    package var isReversed: Bool
    package var isUnderlined: Bool

    package init(
        _ colour: Colour? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false,
        isUnderlined: Bool = false
    ) {
        self.colour = colour
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
        self.isUnderlined = isUnderlined
    }

    package static let plain = Style()
    package static let bold = Style(isBold: true)
    package static let dim = Style(isDim: true)
    package static let reversed = Style(isReversed: true)
    package static let red = Style(.red)
    package static let green = Style(.green)
    package static let yellow = Style(.yellow)
    package static let blue = Style(.blue)
    package static let cyan = Style(.cyan)

    /// The style with its colours reversed.
    package var reversed: Style {
        var style = self
        style.isReversed = true
        return style
    }

    /// Returns the control sequence that sets the style, independent of the previous one.
    /// - Parameter hasColours: false to omit colours and keep weights.
    package func sequence(hasColours: Bool) -> String {
        var codes: [String] = []
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isUnderlined { codes.append("4") }
        if isReversed { codes.append("7") }
        if hasColours, let colour { codes.append(String(30 + colour.rawValue)) }
        return codes.isEmpty ? "\u{1B}[m" : "\u{1B}[0;\(codes.joined(separator: ";"))m"
    }

    /// Returns the text in this style, followed by a reset to plain text.
    /// - Parameter isWanted: false for output without styles.
    package func apply(_ text: String, _ isWanted: Bool = Terminal.hasColours) -> String {
        guard isWanted, self != .plain else { return text }
        return sequence(hasColours: true) + text + "\u{1B}[m"
    }
}
