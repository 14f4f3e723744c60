/// What a host dropped, or did without. Each counts from the beginning of the host.
public struct HostCounters: Hashable, Sendable {
    /// Packets too short for their header, or of another length than their header says.
    public var malformedPackets = 0
    /// Packets of a kind that this host does not use.
    public var ignoredPackets = 0
    /// Events whose parameters are cut off or make no sense.
    public var malformedEvents = 0
    /// Events that this host does not know, or did not ask for.
    public var ignoredEvents = 0
    /// ACL packets for a link that is not there.
    public var strayPackets = 0
    /// L2CAP frames dropped because their fragments do not fit together.
    public var brokenFrames = 0
    /// Advertising reports that were cut off, contradictory or anonymous.
    public var droppedReports = 0
    /// Advertising reports left out because they said nothing new.
    public var duplicateReports = 0
    /// Completed packets that a controller reported and that were never sent.
    public var excessCredits = 0
    /// Connections that came up though nobody wanted them any more.
    public var unwantedConnections = 0

    /// Nothing yet.
    public init() {}
}
