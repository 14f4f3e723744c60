/// Packet counters of a link, or of all links of an adapter.
public struct PacketCounters: Hashable, Sendable {
    /// The number of data packets that were sent.
    public var sent: Int
    /// The number of data packets that were received.
    public var received: Int
    /// The number of values that were received in notifications and indications.
    public var values: Int

    /// Creates counters.
    public init(sent: Int = 0, received: Int = 0, values: Int = 0) {
        (self.sent, self.received, self.values) = (sent, received, values)
    }

    /// Returns the sums of the counters.
    public static func + (left: PacketCounters, right: PacketCounters) -> PacketCounters {
        PacketCounters(
            sent: left.sent + right.sent, received: left.received + right.received, values: left.values + right.values)
    }
}

/// The state and the counters of one link. Properties that the platform does not report are nil.
public struct LinkDiagnostics: Hashable, Sendable {
    /// The device.
    public var peripheral: PeripheralID
    /// The device's address.
    public var address: BluetoothAddress?
    /// True if the device connected to a local peripheral of this adapter.
    public var isIncoming: Bool
    /// The time since the link was established.
    public var age: Duration
    /// The ATT MTU, in octets.
    public var mtu: Int?
    /// The connection parameters.
    public var parameters: ConnectionParameters?
    /// The security of the link.
    public var security: LinkSecurity?
    /// The data packets and values of the link.
    public var packets: PacketCounters?
    /// The numbers of dropped packets of the device, by kind.
    public var anomalies: [String: Int]?

    /// Creates the diagnostics of a link.
    public init(_ peripheral: PeripheralID, address: BluetoothAddress?, isIncoming: Bool, age: Duration) {
        self.peripheral = peripheral
        self.address = address
        self.isIncoming = isIncoming
        self.age = age
    }
}

extension LinkDiagnostics: CustomStringConvertible {
    /// One line: the device, the age of the link, and its known properties.
    public var description: String {
        var parts = ["\(isIncoming ? "from" : "to") \(address.map { "\($0)" } ?? "\(peripheral)")"]
        parts.append("\((age / .seconds(1)).rounded()) s")
        if let mtu { parts.append("MTU \(mtu)") }
        if let packets {
            parts.append("\(packets.sent) packets sent, \(packets.received) received, \(packets.values) values")
        }
        for (kind, count) in (anomalies ?? [:]).sorted(by: { $0.key < $1.key }) { parts.append("\(kind) \(count)") }
        return "link " + parts.joined(separator: ", ")
    }
}
