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
        /// True if the device refused to let the value be read without pairing.
        package var isLocked = false
    }

    /// The attributes.
    package var tree: DeviceTree
    /// The additional properties of each characteristic, by value handle.
    package var uses: [UInt32: Use]

    /// The tree as a JSON object, as `harald tree --json` prints it, with `subscribed`, `subscribers`, `own`,
    /// `updated`, `locked`, and with `parts` for each value.
    package var json: JSONValue {
        var object = tree.json.object
        object["services"] = .array(
            tree.services.map { service in
                var entry = service.json.object
                entry["characteristics"] = .array(service.characteristics.map(json))
                return .object(entry)
            })
        return .object(object)
    }

    private func json(_ characteristic: DeviceTree.Characteristic) -> JSONValue {
        let use = uses[characteristic.handle] ?? Use()
        var object = characteristic.json.object
        object["subscribed"] = .bool(use.subscriberCount > 0)
        object["subscribers"] = .int(use.subscriberCount)
        object["own"] = .bool(use.isOwn)
        object["updated"] = .optional(use.updated?.jsonText)
        object["locked"] = .bool(use.isLocked)
        object["parts"] = .array((characteristic.value?.parts ?? []).map(\.json))
        object["descriptors"] = .array(
            characteristic.descriptors.map { descriptor in
                var entry = descriptor.json.object
                entry["parts"] = .array((descriptor.value?.parts ?? []).map(\.json))
                return .object(entry)
            })
        return .object(object)
    }
}

extension JSONValue {
    /// The members of an object; empty for another value.
    fileprivate var object: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
