import BluetoothModel

/// What a host stack may be told before it starts.
public struct HostConfiguration: Sendable {
    /// The address that scanning, connecting and advertising use unless an identity has its own.
    public var ownAddress = OwnAddressPolicy.public
    /// Public addresses under which bonded devices know this host. A controller that has one of them uses it also where
    /// ``ownAddress`` is a static random address.
    public var formerAddresses: Set<BluetoothAddress> = []
    /// How long a controller may take to answer a command before it counts as gone.
    public var commandTimeout = Duration.seconds(5)
    /// How many bytes may wait in one link's send queue before the link is ended for not taking them.
    public var linkQueueLimit = 1 << 20
    /// The longest L2CAP frame that is put together from fragments, in bytes, 4-byte header included.
    public var maximumFrameLength = 4 + 0xFFFF
    /// Whether long data packets are asked for on each new link, where the controller has them.
    public var requestsDataLength = true
    /// Whether the controller's accept list may be used to wait for several devices at once.
    public var usesAcceptList = true
    /// Whether the controller resolves private addresses of bonded devices where it can; otherwise the host does.
    public var usesResolvingList = true
    /// Whether extended advertising, scanning and initiating are used where the controller has them.
    public var usesExtendedAdvertising = true
    /// Asked, as central, when a peer wants other connection parameters; those out of range are refused before.
    public var acceptsParameters: @Sendable (ConnectionParametersRequest) -> Bool = { _ in true }

    /// What suits every controller.
    public init() {}
}
