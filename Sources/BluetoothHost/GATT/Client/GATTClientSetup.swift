import BluetoothModel

/// The actions of a client at the start of a link.
package struct GATTClientSetup {
    /// True to exchange the MTU immediately, as centrals do.
    package var exchangesMTU: Bool
    /// The store of discovered attributes; nil to discover them on each link.
    package var cache: (any GATTCacheStore)?
    /// The identity of the peer; nil to cache nothing.
    package var peer: PeripheralID?
    /// True if both sides have stored the keys of the link.
    package var isBonded: Bool
    /// True to subscribe to Service Changed and write the client's features as soon as no other request is queued.
    package var followsServiceChanges: Bool

    /// Creates a setup.
    package init(
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
