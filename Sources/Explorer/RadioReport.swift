import Harald

/// The state of the adapter, with advice.
package struct RadioReport: Hashable, Sendable {
    /// The state.
    package var state: RadioState
    /// The reason for the state; empty when powered on.
    package var reason: String
    /// True if ``ExplorerModel/setPowered(_:)`` can switch the adapter on.
    package var canPowerOn: Bool

    /// Advice in one sentence; empty when powered on.
    package var advice: String {
        switch state {
        case .poweredOn, .unknown, .resetting: ""
        case .poweredOff: canPowerOn ? "Switch it on here." : "Switch it on in the system's settings."
        case .unauthorized: "Allow this program to use Bluetooth; 'harald doctor' reports how."
        case .unsupported:
            "Plug an adapter in, or use the virtual radio (--adapter virtual:); 'harald doctor' reports details."
        }
    }

    /// The report as a JSON object.
    package var json: JSONValue {
        [
            "state": .string(state.rawValue), "reason": .string(reason), "advice": .string(advice),
            "canPowerOn": .bool(canPowerOn),
        ]
    }
}
