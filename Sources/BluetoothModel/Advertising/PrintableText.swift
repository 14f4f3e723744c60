/// Makes text from the air fit for a terminal, a log or a page.
public enum PrintableText {
    /// The text with control and other invisible characters escaped as `\u{1B}`, so that nothing in it is obeyed.
    ///
    /// The joiner of emoji stays.
    public static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
                result +=
                    scalar.value == 0x200D ? "\u{200D}" : "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
