#if Programs
import Foundation
import Harald

/// The attributes of a device as far as they were discovered, with the newest values that are known.
package struct TreeReport: Hashable, Sendable {
    /// What is added to a characteristic of the tree.
    package struct Use: Hashable, Sendable {
        /// How many viewers subscribed.
        package var subscriberCount = 0
        /// Whether the viewer that asked is one of them.
        package var isOwn = false
        /// When the newest value became known; nil before.
        package var updated: Date?
    }

    /// The attributes.
    package var tree: DeviceTree
    /// More about each characteristic, by its handle.
    package var uses: [UInt32: Use]

    /// One object, as `harald tree --json` prints it, with `subscribed`, `subscribers`, `own` and `updated`.
    package var json: JSONValue {
        guard case .object(var object) = tree.json, case .array(let services)? = object["services"] else {
            return tree.json
        }
        object["services"] = .array(services.map(service))
        return .object(object)
    }

    private func service(_ value: JSONValue) -> JSONValue {
        guard case .object(var object) = value, case .array(let list)? = object["characteristics"] else { return value }
        object["characteristics"] = .array(list.map(characteristic))
        return .object(object)
    }

    private func characteristic(_ value: JSONValue) -> JSONValue {
        guard case .object(var object) = value, case .int(let handle)? = object["handle"] else { return value }
        let use = uses[UInt32(handle)] ?? Use()
        object["subscribed"] = .bool(use.subscriberCount > 0)
        object["subscribers"] = .int(use.subscriberCount)
        object["own"] = .bool(use.isOwn)
        object["updated"] = .optional(use.updated?.jsonText)
        return .object(object)
    }
}
#endif
