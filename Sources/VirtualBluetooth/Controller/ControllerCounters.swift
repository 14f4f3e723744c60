/// Counters of a virtual controller, from its creation on.
public struct ControllerCounters: Hashable, Sendable {
    /// The number of commands from the host.
    public var commands = 0
    /// The number of unusable packets from the host: malformed, overlong, for an unknown link, or beyond the flow
    /// control.
    public var droppedPackets = 0
    /// The number of ACL packets from the host.
    public var aclPacketsSent = 0
    /// The number of ACL packets to the host.
    public var aclPacketsReceived = 0
    /// The number of advertising reports to the host; each part of a long report counts.
    public var reports = 0

    /// Creates counters that are all 0.
    public init() {}
}

/// The counters while they run. Each is a separate property of a class, so that an increment needs no check of
/// exclusive access on every packet.
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
