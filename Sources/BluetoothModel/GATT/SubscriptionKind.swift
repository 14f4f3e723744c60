/// The kind of a subscription.
public enum SubscriptionKind: Hashable, Sendable {
    /// The kind that the characteristic offers; notifications if it offers both.
    case any
    /// Notifications, without a confirmation.
    case notifications
    /// Indications, which the receiver confirms.
    case indications
}

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
    package init(offeredBy properties: CharacteristicProperties) {
        self = []
        if !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired]) { insert(.notifications) }
        if !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) { insert(.indications) }
    }
}
