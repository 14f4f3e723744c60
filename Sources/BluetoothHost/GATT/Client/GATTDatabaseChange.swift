/// A change of the server's attributes, as reported by the server.
package enum GATTDatabaseChange: Hashable, Sendable {
    /// Services in this range were added, removed or changed, so their handles are invalid (Core 6.0, Vol 3, Part G,
    /// 7.1). Subscriptions in the range have ended.
    case servicesChanged(ClosedRange<UInt16>)
    /// A request failed with Database Out Of Sync, and the server does not announce the range of the change: all
    /// handles are invalid, and all subscriptions have ended (Core 6.0, Vol 3, Part G, 2.5.2.1).
    case outOfSync
}
