import Foundation
import JSON

/// The identifiers of an Observation, and the hubs that it has passed.
extension FHIRInput {
    /// The maximum number of further identifiers of an Observation that are stored.
    private static let largestFurtherCount = 16

    /// Returns the identifiers of an Observation other than the given one, without the digests of hubs.
    static func furtherIdentifiers(of observation: JSONValue, beside identifier: String?) -> [String] {
        let others = identifiers(of: observation).filter { $0.system != FHIRResources.readingSystem }
            .map(\.text).filter { $0 != identifier }
        return Array(others.prefix(largestFurtherCount))
    }

    /// Returns the key that the identifiers name: a reading that was exported by a hub keeps its identity in every hub.
    static func key(_ identifiers: [FHIRCondition]) -> Data? {
        identifiers.filter { $0.system == FHIRResources.readingSystem }
            .compactMap { HealthMeasurement.bytes($0.value) }.last { $0.count == 16 }.map { Data($0) }
    }

    /// The maximum number of hubs that are stored with a reading.
    private static let largestHubCount = 32

    /// Returns the identities of the hubs that an Observation has passed.
    static func hubs(of observation: JSONValue) -> [String] {
        let hubs = (observation["extension"]?.elements ?? []).filter { $0["url"]?.string == FHIRResources.hubExtension }
            .compactMap { $0["valueString"]?.string }
            .filter { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil }
        // The last ones are the nearest.
        return Array(hubs.suffix(largestHubCount))
    }
}
