import BluetoothHCI
import BluetoothModel

/// An observation of the host stack, for logs and for diagnosis. Views are valid only during the call.
package enum HostTraceEvent {
    /// A packet, an event or a report of the controller was dropped or ignored.
    /// - bytes: the packet; nil if it is not available.
    case anomaly(HostAnomaly, bytes: ByteView?)
    /// A PDU of a peer was dropped; the link stays up.
    /// - bytes: the PDU; nil if it is not available.
    case linkAnomaly(ProtocolAnomalies.Kind, bytes: ByteView?, link: LELink)
    /// The controller refused a command.
    /// - link: the link that the command concerns, which may have ended; nil for a command of the controller.
    case commandFailed(HCIOpcode, HCIStatus, link: LELink?)
}

/// The kinds of packets that ``HostCounters`` counts.
package enum HostAnomaly: String, CaseIterable, Sendable {
    /// ``HostCounters/malformedPackets``.
    case malformedPacket
    /// ``HostCounters/ignoredPackets``.
    case ignoredPacket
    /// ``HostCounters/malformedEvents``.
    case malformedEvent
    /// ``HostCounters/ignoredEvents``.
    case ignoredEvent
    /// ``HostCounters/strayPackets``.
    case strayPacket
    /// ``HostCounters/brokenFrames``.
    case brokenFrame
    /// ``HostCounters/droppedReports``.
    case droppedReport
    /// ``HostCounters/excessCredits``.
    case excessCredit
    /// ``HostCounters/unwantedConnections``.
    case unwantedConnection
}

extension LEHost {
    /// Counts dropped or ignored packets, and passes them to ``trace``.
    @inline(never)
    func note(_ anomaly: HostAnomaly, _ bytes: ByteView? = nil, count: Int = 1) {
        counts[anomaly] += count
        trace?(.anomaly(anomaly, bytes: bytes))
    }

    /// Counts a command that the controller refused, and passes it to ``trace``.
    func noteRefusal(_ opcode: HCIOpcode, _ status: HCIStatus, _ link: LELink?) {
        counts.refusedCommands[RefusedCommand(opcode: opcode, status: status), default: 0] += 1
        trace?(.commandFailed(opcode, status, link: link))
    }

    /// Passes the dropped PDUs of a new link to ``trace``.
    func traceAnomalies(of link: LELink) {
        guard let trace else { return }
        link.l2cap.faults.onAdd = { [weak link] kind, bytes in
            if let link { trace(.linkAnomaly(kind, bytes: bytes, link: link)) }
        }
    }
}
