@testable import HealthHub

extension HubText {
    func contains(_ part: String) -> Bool { description.contains(part) }
    func hasPrefix(_ prefix: String) -> Bool { description.hasPrefix(prefix) }
    func hasSuffix(_ suffix: String) -> Bool { description.hasSuffix(suffix) }
}
