/// The numbers of packets and events that a host dropped or ignored since it was created.
public struct HostCounters: Hashable, Sendable {
    /// Packets shorter than their header, or of another length than the header states.
    public var malformedPackets = 0
    /// Packets of a type that this host does not use.
    public var ignoredPackets = 0
    /// Events with truncated or invalid parameters.
    public var malformedEvents = 0
    /// Events that are unknown or were not enabled.
    public var ignoredEvents = 0
    /// ACL packets for an unknown connection handle.
    public var strayPackets = 0
    /// L2CAP frames dropped because of invalid fragments.
    public var brokenFrames = 0
    /// Advertising reports that were truncated, inconsistent or anonymous.
    public var droppedReports = 0
    /// Advertising reports omitted as duplicates.
    public var duplicateReports = 0
    /// Completed packets that a controller reported but that were never sent.
    public var excessCredits = 0
    /// Connections that were established after they had been cancelled.
    public var unwantedConnections = 0

    /// Creates counters with the value 0.
    public init() {}
}
