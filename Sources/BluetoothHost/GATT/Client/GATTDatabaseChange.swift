/// What the server told about its attributes.
public enum GATTDatabaseChange: Hashable, Sendable {
    /// Services in this range came, went or changed: their handles mean nothing any more
    /// (Core 6.0, Vol 3, Part G, 7.1). Subscriptions in the range have ended.
    case servicesChanged(ClosedRange<UInt16>)
    /// A request failed with Database Out Of Sync: something changed, and it has to be discovered again
    /// (Core 6.0, Vol 3, Part G, 2.5.2.1).
    case outOfSync
}
