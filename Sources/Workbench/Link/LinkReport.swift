import Explorer
import Harald

/// What a link runs with.
package struct LinkReport: Hashable, Sendable {
    package var mtu: Int
    /// Nil where the platform does not tell it; so with all others.
    package var phy: LinkPHY?
    package var parameters: ConnectionParameters?
    package var dataLength: LinkDataLength?
    package var rssi: Int?
    package var security: LinkSecurity

    /// Asks what a link runs with. What the platform cannot tell is left out.
    package static func read(_ peripheral: Peripheral, timeout: Duration) async throws -> LinkReport {
        let phy = try await known { () async throws(BluetoothError) in try await peripheral.phy(timeout: timeout) }
        let rssi = try await known { () async throws(BluetoothError) in try await peripheral.readRSSI(timeout: timeout)
        }
        return LinkReport(
            mtu: peripheral.mtu, phy: phy, parameters: peripheral.connectionParameters,
            dataLength: try await peripheral.dataLength(), rssi: rssi, security: peripheral.security)
    }

    /// A value; nil where the adapter or the platform cannot tell it.
    private static func known<Value>(
        _ read: () async throws(BluetoothError) -> Value
    ) async throws(BluetoothError) -> Value? {
        do throws(BluetoothError) { return try await read() } catch {
            guard case .unsupported = error.code else { throw error }
            return nil
        }
    }

    /// The name of a physical layer on the command line and in JSON.
    package static func word(_ phy: PHY) -> String {
        switch phy {
        case .le1M: "1M"
        case .le2M: "2M"
        case .leCoded: "coded"
        }
    }

    /// The physical layer that a word of the command line names, in upper or lower case.
    package static func phy(_ word: String) -> PHY? {
        PHY.allCases.first { self.word($0).lowercased() == word.lowercased() }
    }

    /// The keys of an object; what is not known is null.
    package var json: [String: JSONValue] {
        [
            "mtu": .int(mtu),
            "phy": phy.map {
                ["transmit": .string(Self.word($0.transmit)), "receive": .string(Self.word($0.receive))]
            } ?? .null,
            "interval": parameters.map { .number($0.intervalDuration / .milliseconds(1)) } ?? .null,
            "latency": .optional(parameters.map { Int($0.latency) }),
            "supervisionTimeout": parameters.map { .number($0.supervisionDuration / .milliseconds(1)) } ?? .null,
            "dataLength": dataLength.map {
                [
                    "transmitOctets": .int(Int($0.transmitOctets)), "transmitTime": .int(Int($0.transmitTime)),
                    "receiveOctets": .int(Int($0.receiveOctets)), "receiveTime": .int(Int($0.receiveTime)),
                ]
            } ?? .null,
            "rssi": .optional(rssi), "security": .string(SecurityText.word(security.level)),
        ]
    }

    /// Names and values, for people.
    package var rows: [(name: String, value: String)] {
        let unknown = "not told by this adapter"
        return [
            ("MTU", "\(mtu)"),
            ("PHY", phy.map { "\(Self.word($0.transmit)) out, \(Self.word($0.receive)) in" } ?? unknown),
            ("interval", parameters.map { "\(Self.milliseconds($0.intervalDuration))" } ?? unknown),
            ("latency", parameters.map { "\($0.latency) events" } ?? unknown),
            ("supervision timeout", parameters.map { "\(Self.milliseconds($0.supervisionDuration))" } ?? unknown),
            (
                "data length",
                dataLength.map {
                    "\($0.transmitOctets) octets (\($0.transmitTime) µs) out, "
                        + "\($0.receiveOctets) octets (\($0.receiveTime) µs) in"
                } ?? unknown
            ),
            ("RSSI", rssi.map { "\($0) dBm" } ?? unknown), ("security", SecurityText.text(security)),
        ]
    }

    /// The same in one line, without the names that everybody knows.
    package var line: String {
        let parts: [String?] = [
            "MTU \(mtu)", phy.map { "PHY \(Self.word($0.transmit))/\(Self.word($0.receive))" },
            parameters.map {
                "interval \(Self.milliseconds($0.intervalDuration)), latency \($0.latency), "
                    + "timeout \(Self.milliseconds($0.supervisionDuration))"
            },
            dataLength.map { "data length \($0.transmitOctets)/\($0.receiveOctets)" }, rssi.map { "\($0) dBm" },
            SecurityText.text(security),
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let value = duration / .milliseconds(1)
        return value == value.rounded() ? "\(Int(value)) ms" : "\(value) ms"
    }
}

/// What is asked of a link.
package struct LinkWish: Hashable, Sendable {
    /// The physical layer in both directions.
    package var phy: PHY?
    /// The connection parameters.
    package var parameters: ConnectionParametersRequest?
    /// The most octets of a packet, 27 to 251.
    package var dataLength: UInt16?

    /// Nothing.
    package init() {}

    /// Asks for it, one thing after the other.
    /// - Throws: ``BluetoothError`` with the first refusal.
    package func ask(_ peripheral: Peripheral, timeout: Duration) async throws(BluetoothError) {
        if let phy { try await peripheral.setPHY(transmit: [phy], receive: [phy], timeout: timeout) }
        if let parameters { try await peripheral.updateConnectionParameters(parameters, timeout: timeout) }
        if let dataLength { try await peripheral.setDataLength(dataLength, timeout: timeout) }
    }

    /// What a report does not show although it was asked for, in words.
    package func unmet(in report: LinkReport) -> [String] {
        var texts: [String] = []
        if let phy, let now = report.phy, now.transmit != phy || now.receive != phy {
            texts.append("the PHY is not \(LinkReport.word(phy)): one of both sides cannot, or chose otherwise")
        }
        if let parameters, let now = report.parameters, !parameters.intervalRange.contains(now.interval) {
            texts.append("the interval is outside of what was asked for")
        }
        return texts
    }
}
