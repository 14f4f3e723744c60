#if Programs
import Harald

/// What the adapter can do at the moment, and what to do about it.
package struct RadioReport: Hashable, Sendable {
    /// The state.
    package var state: RadioState
    /// Why it is so; empty when powered on.
    package var reason: String
    /// Whether ``ExplorerModel/setPowered(_:)`` can switch the adapter on.
    package var canPowerOn: Bool

    /// What to do, in a sentence; empty when powered on.
    package var advice: String {
        switch state {
        case .poweredOn, .unknown, .resetting: ""
        case .poweredOff: canPowerOn ? "Switch it on here." : "Switch it on in the system's settings."
        case .unauthorized: "Allow this program to use Bluetooth; 'harald doctor' says how."
        case .unsupported:
            "Plug an adapter in, or use the virtual radio (--adapter virtual:); 'harald doctor' says more."
        }
    }

    /// One object.
    package var json: JSONValue {
        [
            "state": .string(state.rawValue), "reason": .string(reason), "advice": .string(advice),
            "canPowerOn": .bool(canPowerOn),
        ]
    }
}
#endif
