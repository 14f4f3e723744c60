#if Programs
import Foundation

/// An identifier of an Observation, or the search for one in `ifNoneExist`.
struct FHIRCondition: Sendable, Equatable {
    /// The system; nil in a search for any system.
    var system: String?
    var value: String

    init(system: String?, value: String) { (self.system, self.value) = (system, value) }

    /// Parses a search such as `identifier=urn:test|a`, percent-encoded or not; nil for any other search.
    /// - Parameter type: the type of the resource, which may precede the search.
    init?(search: String, type: String = "Observation") {
        var text = search[...]
        for prefix in [type + "?", "?"] where text.hasPrefix(prefix) { text = text.dropFirst(prefix.count) }
        guard text.hasPrefix("identifier="), !text.contains("&") else { return nil }
        var parameter = String(text.dropFirst("identifier=".count))
        if !parameter.contains("|"), let bar = parameter.range(of: "%7C", options: .caseInsensitive) {
            parameter.replaceSubrange(bar, with: "|")
        }
        // A comma separates alternatives.
        guard !parameter.contains(",") else { return nil }
        let parts = parameter.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.removingPercentEncoding ?? "" }
        guard let value = parts.last, !value.isEmpty else { return nil }
        self.init(system: parts.count == 2 ? parts[0] : nil, value: value)
    }

    /// Returns true if the search finds the identifier.
    func matches(_ identifier: FHIRCondition) -> Bool {
        identifier.value == value && (system == nil || (identifier.system ?? "") == system)
    }
}
#endif
