import BluetoothHCI
import BluetoothModel

/// LE Create Connection or LE Extended Create Connection (Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66).
struct ConnectionCommand {
    var plan: Initiator.Plan
    var parameters: ConnectionParametersRequest
    var ownAddressType: UInt8
    var isExtended: Bool

    /// The scan interval and window of the initiator in units of 0.625 ms: 60 ms, continuous.
    private static let scanInterval: UInt16 = 96

    var opcode: HCIOpcode { isExtended ? .leExtendedCreateConnection : .leCreateConnection }

    func write(to writer: inout ByteWriter) {
        let peer = plan.peer
        if !isExtended {
            writer.uint16(Self.scanInterval)
            writer.uint16(Self.scanInterval)
        }
        writer.uint8(peer == nil ? 1 : 0)
        if isExtended { writer.uint8(ownAddressType) }
        writer.uint8(peer?.kind.rawValue ?? 0)
        (peer ?? BluetoothAddress(value: 0, kind: .public)).write(to: &writer)
        if isExtended {
            // Initiating PHYs: 1M.
            writer.uint8(1)
            writer.uint16(Self.scanInterval)
            writer.uint16(Self.scanInterval)
        } else {
            writer.uint8(ownAddressType)
        }
        writer.uint16(parameters.intervalUnits.lowerBound)
        writer.uint16(parameters.intervalUnits.upperBound)
        writer.uint16(parameters.latency)
        writer.uint16(parameters.timeoutUnits)
        // Minimum and maximum length of connection events: no preference.
        writer.uint32(0)
    }
}
