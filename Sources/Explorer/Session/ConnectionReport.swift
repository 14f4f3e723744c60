import Foundation
import Harald

/// The connection state of a device, with all known properties of the link.
package struct ConnectionReport: Hashable, Sendable {
    /// The device.
    package var id: PeripheralID
    /// The name of the device.
    package var name: String?
    /// The connection phase.
    package var phase: ConnectionPhase
    /// The time at which the phase began.
    package var since: Date
    /// The reason for the loss of the link or the failure to connect; nil if there was none, or the user ended the
    /// link.
    package var reason: String?
    /// Advice for the user; may be empty.
    package var advice: String
    /// The number of the reconnection attempt in progress, from 1; nil if there is none.
    package var attempt: Int?
    /// True if a lost link is reconnected.
    package var reconnects: Bool
    /// The ATT MTU; 23 without a link.
    package var mtu: Int
    /// The PHYs, if the platform provides them.
    package var phy: LinkPHY?
    /// The connection parameters, if the platform provides them.
    package var parameters: ConnectionParameters?
    /// The last signal strength, in dBm.
    package var rssi: Int?
    /// The security of the link.
    package var security: LinkSecurity
    /// True if the device is bonded, whether connected or not.
    package var isBonded: Bool
    /// The number of viewers that hold the link.
    package var viewerCount: Int
    /// The maximum length of a write with response, and of one without, in bytes.
    package var maximumWrite: Int, maximumWriteWithoutResponse: Int

    /// The report as a JSON object.
    package var json: JSONValue {
        [
            "id": .string(id.description), "name": .optional(name), "state": .string(phase.rawValue),
            "since": .string(since.jsonText), "reason": .optional(reason),
            "advice": advice.isEmpty ? .null : .string(advice), "attempt": .optional(attempt),
            "reconnect": .bool(reconnects), "mtu": .int(mtu), "rssi": .optional(rssi),
            "phy": phy.map {
                ["transmit": .string($0.transmit.jsonText), "receive": .string($0.receive.jsonText)]
            } ?? .null,
            "parameters": parameters.map {
                [
                    "interval": .number($0.interval / .milliseconds(1)), "latency": .int(Int($0.latency)),
                    "supervisionTimeout": .int(Int($0.supervisionTimeout / .milliseconds(1))),
                ]
            } ?? .null,
            "security": .string(SecurityText.word(security.level)), "keySize": .int(Int(security.keySize)),
            "bonded": .bool(isBonded), "viewers": .int(viewerCount),
            "maximumWrite": [
                "withResponse": .int(maximumWrite), "withoutResponse": .int(maximumWriteWithoutResponse),
            ],
        ]
    }
}

extension PHY {
    /// The PHY as text: `1M`, `2M`, `coded`.
    package var jsonText: String {
        switch self {
        case .le1M: "1M"
        case .le2M: "2M"
        case .leCoded: "coded"
        }
    }

    /// Creates a PHY from its ``jsonText``; nil for another text.
    package init?(jsonText: String) {
        guard let phy = PHY.allCases.first(where: { $0.jsonText == jsonText }) else { return nil }
        self = phy
    }
}
