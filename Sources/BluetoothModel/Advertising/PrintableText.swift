/// Escapes received text for terminals, logs and web pages.
public enum PrintableText {
    /// Returns the text with control and invisible characters escaped as `\u{1B}`, so that a terminal does not
    /// interpret them.
    ///
    /// The zero-width joiner of emoji is kept.
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
