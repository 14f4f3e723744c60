#if Programs
import Foundation
import Harald

/// How a device is connected, with everything that is known of the link.
package struct ConnectionReport: Hashable, Sendable {
    /// The device.
    package var id: PeripheralID
    /// Its name.
    package var name: String?
    /// How it is connected.
    package var phase: ConnectionPhase
    /// Since when.
    package var since: Date
    /// Why the link ended or could not be established, in words; nil where it did not, or the user ended it.
    package var reason: String?
    /// What to do about it; empty where there is nothing to say.
    package var advice: String
    /// Which attempt of a reconnection runs, from 1; nil where none does.
    package var attempt: Int?
    /// Whether a lost link is brought back.
    package var reconnects: Bool
    /// The ATT MTU; 23 without a link.
    package var mtu: Int
    /// The physical layers, where the platform shows them.
    package var phy: LinkPHY?
    /// What the link runs with, where the platform shows it.
    package var parameters: ConnectionParameters?
    /// The signal strength heard or read last, in dBm.
    package var rssi: Int?
    /// How the link is protected.
    package var security: LinkSecurity
    /// Whether keys are shared with the device, connected or not.
    package var isBonded: Bool
    /// How many viewers hold the link.
    package var viewerCount: Int
    /// The most bytes of one write with response, and of one without.
    package var maximumWrite: Int, maximumWriteWithoutResponse: Int

    /// One object.
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
                    "interval": .number(Double($0.interval) * 1.25), "latency": .int(Int($0.latency)),
                    "supervisionTimeout": .int(Int($0.supervisionTimeout) * 10),
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
    /// `1M`, `2M`, `coded`.
    package var jsonText: String {
        switch self {
        case .le1M: "1M"
        case .le2M: "2M"
        case .leCoded: "coded"
        }
    }

    /// A physical layer by its ``jsonText``; nil for another text.
    package init?(jsonText: String) {
        guard let phy = PHY.allCases.first(where: { $0.jsonText == jsonText }) else { return nil }
        self = phy
    }
}
#endif
