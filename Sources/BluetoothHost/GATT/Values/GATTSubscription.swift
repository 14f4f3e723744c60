import BluetoothModel

/// What a client characteristic configuration descriptor asks for (Core 6.0, Vol 3, Part G, 3.3.3.3).
public struct GATTSubscription: OptionSet, Hashable, Sendable {
    /// The bits of the descriptor.
    public var rawValue: UInt16

    /// A set by its bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Changes come as notifications, which nobody confirms.
    public static let notifications = GATTSubscription(rawValue: 1)
    /// Changes come as indications, each of which is confirmed.
    public static let indications = GATTSubscription(rawValue: 2)

    /// What a characteristic with these properties can be asked for.
    init(offeredBy properties: CharacteristicProperties) {
        self = []
        if !properties.isDisjoint(with: [.notify, .notifyEncryptionRequired]) { insert(.notifications) }
        if !properties.isDisjoint(with: [.indicate, .indicateEncryptionRequired]) { insert(.indications) }
    }
}

/// How one wants to hear of a value, or to send it.
public enum GATTSubscriptionKind: Hashable, Sendable {
    /// As the other side offers or asks; notifications where both are possible.
    case any
    /// Unconfirmed.
    case notifications
    /// Confirmed.
    case indications
}
