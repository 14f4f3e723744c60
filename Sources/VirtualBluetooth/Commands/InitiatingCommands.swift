import BluetoothHCI
import BluetoothModel

extension Command {
    /// Connecting as a central (Core 6.0, Vol 4, Part E, 7.8.12, 7.8.13 and 7.8.66).
    static let initiating: [Command] = [
        .status(.leCreateConnection, 25...25, family: .legacy) { $0.createConnection(&$1) },
        .status(.leExtendedCreateConnection, 26...58, features: .extendedAdvertising, family: .extended) {
            $0.createExtendedConnection(&$1)
        },
        .complete(.leCreateConnectionCancel, 0) { controller, _ in
            guard controller.initiation != nil else { return .complete(.commandDisallowed) }
            controller.stopInitiating()
            return .completed { controller.sendConnectionFailure(.unknownConnection, role: .central) }
        },
    ]
}

extension VirtualController {
    fileprivate func createConnection(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let interval = reader.uint16(), let window = reader.uint16(), let usesList = reader.bool(),
            let peer = reader.addressWithKind(), let own = reader.uint8(), own <= 3,
            (4...0x4000).contains(interval), (4...interval).contains(window),
            let parameters = Initiation.readParameters(&reader), Self.readEventLengths(&reader)
        else { return nil }
        return initiate(
            peer: usesList ? nil : peer, ownAddressType: own, parameters: [.le1M: parameters], hearsExtended: false)
    }

    fileprivate func createExtendedConnection(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let usesList = reader.bool(), let own = reader.uint8(), own <= 3, let peer = reader.addressWithKind(),
            let phys = reader.uint8(), phys & ~7 == 0, phys & 5 != 0
        else { return nil }
        guard phys & ~configuration.features.physicalLayers == 0 else { return .status(.unsupportedFeature) }
        var parameters: [PHY: ConnectionParameters] = [:]
        for phy in PHY.allCases where phys & phy.bit != 0 {
            guard let interval = reader.uint16(), let window = reader.uint16(), interval >= 4,
                (4...interval).contains(window), let values = Initiation.readParameters(&reader),
                Self.readEventLengths(&reader)
            else { return nil }
            parameters[phy] = values
        }
        guard reader.isAtEnd else { return nil }
        return initiate(
            peer: usesList ? nil : peer, ownAddressType: own, parameters: parameters, hearsExtended: true)
    }

    /// Reads the minimum and maximum connection event length. They are validated and otherwise ignored.
    private static func readEventLengths(_ reader: inout ByteReader) -> Bool {
        guard let minimum = reader.uint16(), let maximum = reader.uint16() else { return false }
        return minimum <= maximum
    }

    private func initiate(
        peer: BluetoothAddress?, ownAddressType: UInt8, parameters: [PHY: ConnectionParameters], hearsExtended: Bool
    ) -> CommandAnswer? {
        guard allows(ownAddressType: ownAddressType) else { return .status(.unsupportedFeature) }
        guard initiation == nil else { return .status(.commandDisallowed) }
        guard let own = identityAddress(ownAddressType) ?? privateAddress(ownAddressType, towards: peer) else {
            return nil
        }
        guard !linkTable.isFull else { return .status(.connectionLimitExceeded) }
        if let peer, isConnected(own: own, peer: peer) { return .status(.connectionAlreadyExists) }
        let initiation = Initiation(
            peer: peer, ownAddressType: ownAddressType, parameters: parameters, hearsExtended: hearsExtended)
        return .accepted { self.startInitiating(initiation) }
    }
}
