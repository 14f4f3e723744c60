import Foundation
import Harald

/// The discovered attributes of a device, with their latest known values.
package struct TreeReport: Hashable, Sendable {
    /// Additional properties of a characteristic in the tree.
    package struct Use: Hashable, Sendable {
        /// The number of subscribed viewers.
        package var subscriberCount = 0
        /// True if the requesting viewer is subscribed.
        package var isOwn = false
        /// The time of the latest value; nil if there is none.
        package var updated: Date?
    }

    /// The attributes.
    package var tree: DeviceTree
    /// The additional properties of each characteristic, by value handle.
    package var uses: [UInt32: Use]

    /// The tree as a JSON object, as `harald tree --json` prints it, with `subscribed`, `subscribers`, `own` and
    /// `updated`.
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
