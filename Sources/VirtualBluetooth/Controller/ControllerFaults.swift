import BluetoothModel

/// What goes wrong with a virtual controller, until it is set otherwise.
public struct ControllerFaults: Hashable, Sendable {
    /// How an attempt to connect fails.
    public enum EstablishmentFailure: Hashable, Sendable {
        /// The host is told of a connection and, six connection intervals later, of its end with status 0x3E; unpaced,
        /// at once. This is what most controllers do.
        case disconnection
        /// The host is told of no connection: the status of the connection complete event is 0x3E.
        case connectionComplete
    }

    /// The share of its advertising events that any one listener misses, 0 to 1.
    public var advertisingLoss: Double = 0
    /// The share of other devices' advertising events that it misses as a scanner, 0 to 1.
    public var reportLoss: Double = 0
    /// How much later than it should every ACL packet from and to it arrives.
    public var delay: Duration = .zero
    /// Its radio neither sends nor hears anything: links end by supervision timeout.
    public var isSilent = false
    /// Whether it answers commands; ACL packets and events are not affected.
    public var answersCommands = true
    /// How many of the next attempts to connect fail, whichever side this controller is on.
    public var failedEstablishments = 0
    /// How they fail.
    public var establishmentFailure = EstablishmentFailure.disconnection
    /// What each new link begins with.
    public var link = LinkFaults()

    /// Nothing goes wrong.
    public init() {}
}

/// What goes wrong with one link, until it is set otherwise.
public struct LinkFaults: Hashable, Sendable {
    /// How much later than it should every ACL packet arrives.
    public var delay: Duration = .zero
    /// Nothing crosses the link: it ends by supervision timeout.
    public var isSilent = false
    /// The link ends instead of carrying the ACL packet with this number, counted from 1 over both directions.
    public var disconnectAtPacket: Int?
    /// The reason that both hosts are told then.
    public var disconnectReason = HCIStatus.connectionTimeout

    /// Nothing goes wrong.
    public init() {}
}
