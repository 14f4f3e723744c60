import BluetoothModel

/// The value of a client characteristic configuration descriptor (Core 6.0, Vol 3, Part G, 3.3.3.3).
package struct GATTSubscription: OptionSet, Hashable, Sendable {
    /// The bits of the descriptor.
    package var rawValue: UInt16

    /// Creates a set from its bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Changes are sent as notifications, which are not confirmed.
    package static let notifications = GATTSubscription(rawValue: 1)
    /// Changes are sent as indications, each of which is confirmed.
    package static let indications = GATTSubscription(rawValue: 2)

    /// Creates the set of subscriptions that a characteristic with these properties offers.
    init(offeredBy properties: CharacteristicProperties) {
        self = []
        if !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired]) { insert(.notifications) }
        if !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) { insert(.indications) }
    }
}

/// The preferred way to receive or send a value.
package enum GATTSubscriptionKind: Hashable, Sendable {
    /// Either way, as the other side supports or requests; notifications if both are possible.
    case any
    /// Notifications, which are not confirmed.
    case notifications
    /// Indications, which are confirmed.
    case indications
}
