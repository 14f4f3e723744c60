import BluetoothHost
import BluetoothModel
import Logging

/// Log events of an adapter.
extension HostRadio {
    /// The largest number of bytes of a dropped packet in a log event.
    private static let loggedBytes = 64

    /// Logs dropped packets and refused commands, at the level `debug`.
    func logHost() {
        guard log.logLevel <= .debug else { return }
        host.trace = { [log] event in
            switch event {
            case .anomaly(let anomaly, let bytes):
                log.debug("dropped: \(anomaly.rawValue)", metadata: Self.metadata(of: bytes))
            case .linkAnomaly(let kind, let bytes, let link):
                let metadata = Self.metadata(of: bytes).merging(link.metadata) { $1 }
                log.debug("dropped: \(kind)", metadata: metadata)
            case .commandFailed(let opcode, let status, let link):
                log.debug("the controller refused \(opcode): \(status)", metadata: link?.metadata ?? [:])
            }
        }
    }

    private static func metadata(of bytes: ByteView?) -> Logger.Metadata {
        guard let bytes else { return [:] }
        let isWhole = bytes.count <= loggedBytes
        return ["bytes": "\(bytes.prefix(loggedBytes).array.hexText())\(isWhole ? "" : "... (\(bytes.count))")"]
    }

    /// Logs a new link.
    func logConnected(_ link: LELink) {
        let parameters = link.parameters
        log.debug(
            """
            link as \(link.role): interval \(parameters.interval / .milliseconds(1)) ms, \
            latency \(parameters.latency), supervision timeout \(parameters.supervisionTimeout / .seconds(1)) s
            """, metadata: link.metadata)
    }
}

extension LELink {
    /// The peer and the connection handle, for log events.
    var metadata: Logger.Metadata {
        ["peer": "\(peerAddress)", "link": "0x\([UInt8(handle >> 8), UInt8(handle & 0xFF)].hexText())"]
    }
}
