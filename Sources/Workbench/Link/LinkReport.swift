import Explorer
import Harald

package struct LinkReport: Hashable, Sendable {
    package var mtu: Int
    /// The physical layer. This and the other optional properties are nil if the platform does not report them.
    package var phy: LinkPHY?
    package var parameters: ConnectionParameters?
    package var dataLength: LinkDataLength?
    package var rssi: Int?
    package var security: LinkSecurity

    /// Reads the properties of a link. Those that the platform does not report are nil.
    /// - Throws: ``BluetoothError`` if the link ends, or an operation fails for another reason than `unsupported`.
    package static func read(_ peripheral: Peripheral, timeout: Duration) async throws -> LinkReport {
        let phy = try await known { () async throws(BluetoothError) in try await peripheral.phy(timeout: timeout) }
        let rssi = try await known { () async throws(BluetoothError) in try await peripheral.readRSSI(timeout: timeout)
        }
        return LinkReport(
            mtu: peripheral.mtu, phy: phy, parameters: peripheral.connectionParameters,
            dataLength: try await peripheral.dataLength(), rssi: rssi, security: peripheral.security)
    }

    /// Reads a value; returns nil if the adapter or the platform does not support it.
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

    /// Returns the physical layer with a name of the command line, case-insensitive.
    package static func phy(_ word: String) -> PHY? {
        PHY.allCases.first { self.word($0).lowercased() == word.lowercased() }
    }

    /// The keys and values of a JSON object; unknown values are null.
    package var json: [String: JSONValue] {
        [
            "mtu": .int(mtu),
            "phy": phy.map {
                ["transmit": .string(Self.word($0.transmit)), "receive": .string(Self.word($0.receive))]
            } ?? .null,
            "interval": parameters.map { .number($0.interval / .milliseconds(1)) } ?? .null,
            "latency": .optional(parameters.map { Int($0.latency) }),
            "supervisionTimeout": parameters.map { .number($0.supervisionTimeout / .milliseconds(1)) } ?? .null,
            "dataLength": dataLength.map {
                [
                    "transmitOctets": .int(Int($0.transmitOctets)), "transmitTime": .int(Int($0.transmitTime)),
                    "receiveOctets": .int(Int($0.receiveOctets)), "receiveTime": .int(Int($0.receiveTime)),
                ]
            } ?? .null,
            "rssi": .optional(rssi), "security": .string(SecurityText.word(security.level)),
        ]
    }

    /// The names and values as text.
    package var rows: [(name: String, value: String)] {
        let unknown = "not reported by this adapter"
        return [
            ("MTU", "\(mtu)"),
            ("PHY", phy.map { "\(Self.word($0.transmit)) out, \(Self.word($0.receive)) in" } ?? unknown),
            ("interval", parameters.map { "\(Self.milliseconds($0.interval))" } ?? unknown),
            ("latency", parameters.map { "\($0.latency) events" } ?? unknown),
            ("supervision timeout", parameters.map { "\(Self.milliseconds($0.supervisionTimeout))" } ?? unknown),
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

    /// The values in one line, without self-explanatory names.
    package var line: String {
        let parts: [String?] = [
            "MTU \(mtu)", phy.map { "PHY \(Self.word($0.transmit))/\(Self.word($0.receive))" },
            parameters.map {
                "interval \(Self.milliseconds($0.interval)), latency \($0.latency), "
                    + "timeout \(Self.milliseconds($0.supervisionTimeout))"
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

/// The requested changes of a link.
package struct LinkWish: Hashable, Sendable {
    /// The physical layer in both directions.
    package var phy: PHY?
    package var parameters: ConnectionParametersRequest?
    /// The maximum number of octets of a packet, 27 to 251.
    package var dataLength: UInt16?

    /// Creates a request without changes.
    package init() {}

    /// Requests the changes in sequence.
    /// - Throws: The ``BluetoothError`` of the first request that fails.
    package func ask(_ peripheral: Peripheral, timeout: Duration) async throws(BluetoothError) {
        if let phy { try await peripheral.setPHY(transmit: [phy], receive: [phy], timeout: timeout) }
        if let parameters { try await peripheral.updateConnectionParameters(parameters, timeout: timeout) }
        if let dataLength { try await peripheral.setDataLength(dataLength, timeout: timeout) }
    }

    /// Returns messages about the requested changes that did not take effect.
    package func unmet(in report: LinkReport) -> [String] {
        var texts: [String] = []
        if let phy, let now = report.phy, now.transmit != phy || now.receive != phy {
            texts.append("the PHY is not \(LinkReport.word(phy)): one side does not support it, or chose another")
        }
        if let parameters, let now = report.parameters, !parameters.interval.contains(now.interval) {
            texts.append("the interval is outside the requested range")
        }
        return texts
    }
}
