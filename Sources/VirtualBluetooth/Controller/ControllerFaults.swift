import BluetoothModel

/// Faults that a virtual controller injects until they are changed.
public struct ControllerFaults: Hashable, Sendable {
    /// The way in which an attempt to connect fails.
    public enum EstablishmentFailure: Hashable, Sendable {
        /// The host gets a connection complete event and, six connection intervals later, a disconnection with status
        /// 0x3E; without pacing both at once. Most controllers do this.
        case disconnection
        /// The host gets a connection complete event with status 0x3E and no link.
        case connectionComplete
    }

    /// The fraction of its advertising events that each receiver misses, 0 to 1.
    public var advertisingLoss: Double = 0
    /// The fraction of other devices' advertising events that it misses as a scanner, 0 to 1.
    public var reportLoss: Double = 0
    /// The additional delay of every ACL packet in both directions.
    public var delay: Duration = .zero
    /// True if its radio neither sends nor receives. Links end by supervision timeout.
    public var isSilent = false
    /// False to leave commands unanswered; ACL packets and events are not affected.
    public var answersCommands = true
    /// The number of connection attempts that fail next, in either role of this controller.
    public var failedEstablishments = 0
    /// The way in which they fail.
    public var establishmentFailure = EstablishmentFailure.disconnection
    /// The initial faults of each new link.
    public var link = InjectedLinkFaults()

    /// Creates a configuration without faults.
    public init() {}
}

/// Faults that one link injects until they are changed.
public struct InjectedLinkFaults: Hashable, Sendable {
    /// The additional delay of every ACL packet.
    public var delay: Duration = .zero
    /// True if nothing crosses the link; it ends by supervision timeout.
    public var isSilent = false
    /// The number of the ACL packet that ends the link instead of being sent, counted from 1 over both directions.
    public var disconnectAtPacket: Int?
    /// The reason that both hosts then receive.
    public var disconnectReason = HCIStatus.connectionTimeout

    /// Creates a configuration without faults.
    public init() {}
}
