import Foundation

/// An identifier of an Observation, or the search for one in `ifNoneExist`.
struct FHIRCondition: Sendable, Equatable {
    /// The system; nil in a search for any system.
    var system: String?
    var value: String

    /// The identifier as text, as in ``SubmittedReading/identifier``.
    var text: String { "\(system ?? "")|\(value)" }

    init(system: String?, value: String) { (self.system, self.value) = (system, value) }

    /// Parses a search such as `identifier=urn:test|a`, percent-encoded or not; nil for any other search.
    /// - Parameter type: the type of the resource, which may precede the search.
    init?(search: String, type: String = "Observation") {
        var text = search[...]
        for prefix in [type + "?", "?"] where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
        guard text.hasPrefix("identifier="), !text.contains("&") else { return nil }
        // The backslashes of escapes may be percent-encoded, like the characters after them.
        var parameter = text.dropFirst("identifier=".count)
        if parameter.contains("%") { parameter.replace(/%5C/.ignoresCase(), with: "\\") }
        guard let parts = Self.parts(of: parameter) else { return nil }
        guard let value = parts.last, !value.isEmpty else { return nil }
        self.init(system: parts.count == 2 ? parts[0] : nil, value: value)
    }

    /// Returns a value in which the separators of searches are escaped with a backslash (FHIR R4, Search).
    static func escaped(_ value: String) -> String { value.replacing(/[\\,|$]/) { "\\" + $0.output } }

    /// Splits a parameter at its first separator, and decodes the parts; nil if it lists alternatives.
    private static func parts(of parameter: Substring) -> [String]? {
        let hasBar = (parameter.contains("\\") ? parameter.replacing(/\\./, with: "") : parameter).contains("|")
        let separator = hasBar ? "|" : "%7C"
        var parts = [""]
        var rest = parameter
        while let first = rest.first {
            if first == "\\", let escaped = Self.separator(at: rest.dropFirst()) {
                parts[parts.count - 1] += escaped
                rest = rest[escaped.endIndex...]
                continue
            }
            // A comma separates alternatives.
            if first == "," { return nil }
            if parts.count == 1, rest.prefix(separator.count).uppercased() == separator {
                parts.append("")
                rest = rest.dropFirst(separator.count)
                continue
            }
            parts[parts.count - 1].append(first)
            rest.removeFirst()
        }
        return parts.map { $0.removingPercentEncoding ?? "" }
    }

    /// Returns the separator of searches, percent-encoded or not, with which a text begins; nil if there is none.
    private static func separator(at text: Substring) -> Substring? {
        if let first = text.first, "\\,|$".contains(first) { return text.prefix(1) }
        return ["%2C", "%7C", "%24"].contains(text.prefix(3).uppercased()) ? text.prefix(3) : nil
    }

    /// Returns true if the search finds the identifier.
    func matches(_ identifier: FHIRCondition) -> Bool {
        identifier.value == value && (system == nil || (identifier.system ?? "") == system)
    }
}
