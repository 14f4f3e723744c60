import BluetoothModel

/// The actions of a client at the start of a link.
public struct GATTClientSetup {
    /// True to exchange the MTU immediately, as centrals do.
    public var exchangesMTU: Bool
    /// The store of discovered attributes; nil to discover them on each link.
    public var cache: (any GATTCacheStore)?
    /// The identity of the peer; nil to cache nothing.
    public var peer: PeripheralID?
    /// True if both sides have stored the keys of the link.
    public var isBonded: Bool
    /// True to subscribe to Service Changed and write the client's features as soon as no other request is queued.
    public var followsServiceChanges: Bool

    /// Creates a setup.
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
