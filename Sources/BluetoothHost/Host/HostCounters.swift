import BluetoothHCI
import BluetoothModel

/// The numbers of packets and events that a host dropped or ignored since it was created.
package struct HostCounters: Hashable, Sendable {
    /// Packets shorter than their header, or of another length than the header states.
    package var malformedPackets = 0
    /// Packets of a type that this host does not use.
    package var ignoredPackets = 0
    /// Events with truncated or invalid parameters.
    package var malformedEvents = 0
    /// Events that are unknown or were not enabled.
    package var ignoredEvents = 0
    /// ACL packets for an unknown connection handle.
    package var strayPackets = 0
    /// L2CAP frames dropped because of invalid fragments.
    package var brokenFrames = 0
    /// Advertising reports that were truncated, inconsistent or anonymous.
    package var droppedReports = 0
    /// Advertising reports omitted as duplicates.
    package var duplicateReports = 0
    /// Completed packets that a controller reported but that were never sent.
    package var excessCredits = 0
    /// Connections that were established after they had been cancelled.
    package var unwantedConnections = 0
    /// Commands that the controller refused.
    package var refusedCommands: [RefusedCommand: Int] = [:]

    /// Creates counters with the value 0.
    package init() {}
}

/// A command and the status with which the controller refused it.
package struct RefusedCommand: Hashable, Sendable {
    /// The command.
    package var opcode: HCIOpcode
    /// The controller's status.
    package var status: HCIStatus
}

extension HostCounters {
    /// The counter of a kind of anomaly.
    package subscript(kind: HostAnomaly) -> Int {
        get { self[keyPath: Self.path(kind)] }
        set { self[keyPath: Self.path(kind)] = newValue }
    }

    private static func path(_ kind: HostAnomaly) -> WritableKeyPath<HostCounters, Int> {
        switch kind {
        case .malformedPacket: \.malformedPackets
        case .ignoredPacket: \.ignoredPackets
        case .malformedEvent: \.malformedEvents
        case .ignoredEvent: \.ignoredEvents
        case .strayPacket: \.strayPackets
        case .brokenFrame: \.brokenFrames
        case .droppedReport: \.droppedReports
        case .excessCredit: \.excessCredits
        case .unwantedConnection: \.unwantedConnections
        }
    }
}
