import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// The counters of the links of an adapter that have ended.
struct EndedLinks {
    var packets = PacketCounters()
    var anomalies: [String: Int] = [:]

    /// Adds the counters of a link that has ended.
    mutating func add(_ link: LELink) {
        packets = packets + link.packetCounters
        anomalies.merge(link.anomalies, uniquingKeysWith: +)
    }
}

extension HostRadio {
    /// The counters of the adapter, its links and its controller.
    var diagnostics: RadioDiagnostics {
        var diagnostics = record.counters
        diagnostics.connections = connector.coordinator.counters
        diagnostics.advertisements = scans.reportCount
        let links = host.allLinks.sorted { $0.handle < $1.handle }
        diagnostics.packets = links.reduce(endedLinks.packets) { $0 + $1.packetCounters }
        let counters = host.counters
        diagnostics.anomalies = links.reduce(into: endedLinks.anomalies) { sum, link in
            sum.merge(link.anomalies, uniquingKeysWith: +)
        }.merging(counters.anomalies, uniquingKeysWith: +)
        diagnostics.refusedCommands = Dictionary(
            counters.refusedCommands.map { ("\($0.key.opcode): \($0.key.status)", $0.value) }, uniquingKeysWith: +)
        diagnostics.openLinks = links.compactMap { link in hostLink(of: link).map { entry(of: $0) } }
        return diagnostics
    }

    private func entry(of hostLink: HostLink) -> LinkDiagnostics {
        let link = hostLink.link
        var entry = LinkDiagnostics(
            hostLink.id, address: link.peerAddress, isIncoming: link.role == .peripheral,
            age: record.age(of: hostLink.id))
        entry.mtu = link.l2cap.att.mtu
        entry.parameters = link.parameters
        entry.security = link.security
        entry.packets = link.packetCounters
        entry.anomalies = link.anomalies
        return entry
    }
}

extension LELink {
    /// The numbers of packets and values.
    fileprivate var packetCounters: PacketCounters {
        PacketCounters(sent: packetsSent, received: packetsReceived, values: l2cap.gatt.valuesReceived)
    }

    /// The numbers of dropped packets, by kind, without those of the value 0.
    fileprivate var anomalies: [String: Int] {
        let counts = ProtocolAnomalies.Kind.allCases.map { ("\($0)", l2cap.faults.count(of: $0)) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }
}

extension HostCounters {
    /// The numbers of dropped and ignored packets, by kind, without those of the value 0.
    fileprivate var anomalies: [String: Int] {
        let counts = HostAnomaly.allCases.map { ($0.rawValue, self[$0]) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }
}
