import BluetoothModel

/// What a client does by itself at the beginning of a link.
public struct GATTClientSetup {
    /// Whether to agree on an MTU at once, as centrals do.
    public var exchangesMTU: Bool
    /// Where discovered attributes are kept; nil to discover them on each link.
    public var cache: (any GATTCacheStore)?
    /// Who the peer is; without it nothing is kept.
    public var peer: PeripheralID?
    /// Whether the link's keys are kept by both sides.
    public var isBonded: Bool
    /// Whether to hear of Service Changed, and to say what we support, as soon as nothing else is to be sent.
    public var followsServiceChanges: Bool

    /// A setup.
    public init(
        exchangesMTU: Bool = true, cache: (any GATTCacheStore)? = nil, peer: PeripheralID? = nil,
        isBonded: Bool = false, followsServiceChanges: Bool = true
    ) {
        self.exchangesMTU = exchangesMTU
        self.cache = cache
        self.peer = peer
        self.isBonded = isBonded
        self.followsServiceChanges = followsServiceChanges
    }
}
