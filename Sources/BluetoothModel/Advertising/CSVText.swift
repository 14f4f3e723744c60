/// Formats fields of comma-separated values (RFC 4180). Texts are examined by Unicode scalar: a quote with a combining
/// mark is another `Character`.
package enum CSVText {
    /// Returns a field that may come from an untrusted device: control characters are escaped in the form `\u{1B}`, and
    /// a text that a spreadsheet would take for a formula is prefixed with an apostrophe.
    package static func field(_ text: String) -> String {
        quoted(PrintableText.escape(Double(text) == nil ? withoutFormula(text) : text))
    }

    /// Prefixes a text that a spreadsheet would take for a formula with an apostrophe.
    package static func withoutFormula(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }

    /// Returns a text in quotes, if it contains a separator, a quote or a line break.
    package static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: ",\"\r\n".unicodeScalars.contains) else { return text }
        var cell = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { cell.append(scalar) }
            cell.append(scalar)
        }
        cell.append("\"")
        return String(cell)
    }
}
