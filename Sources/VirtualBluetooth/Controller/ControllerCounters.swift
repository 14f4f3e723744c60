/// What a virtual controller has done since it was made.
public struct ControllerCounters: Hashable, Sendable {
    /// Commands that its host gave.
    public var commands = 0
    /// Packets from its host that could not be used: malformed, overlong, for no link, or beyond the flow control.
    public var droppedPackets = 0
    /// ACL packets that it took from its host.
    public var aclPacketsSent = 0
    /// ACL packets that it gave to its host.
    public var aclPacketsReceived = 0
    /// Advertising reports that it gave to its host, parts of long ones counted one by one.
    public var reports = 0

    /// Nothing yet.
    public init() {}
}

/// The same while it counts: single numbers of a class need no check of exclusive access on every packet.
final class ControllerCounts {
    var commands = 0
    var droppedPackets = 0
    var aclPacketsSent = 0
    var aclPacketsReceived = 0
    var reports = 0

    var values: ControllerCounters {
        var values = ControllerCounters()
        values.commands = commands
        values.droppedPackets = droppedPackets
        values.aclPacketsSent = aclPacketsSent
        values.aclPacketsReceived = aclPacketsReceived
        values.reports = reports
        return values
    }
}
