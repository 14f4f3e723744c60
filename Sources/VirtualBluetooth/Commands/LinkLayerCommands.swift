import BluetoothHCI
import BluetoothModel

extension Command {
    /// Features, data length and PHYs of a link.
    static let linkLayer: [Command] = [
        .status(.leReadRemoteFeatures, 2...2) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .status(.unknownConnection) }
            if end.role == .peripheral {
                let needed = LEFeatures.peripheralInitiatedFeaturesExchange
                guard controller.configuration.features.contains(needed) else { return .status(.commandDisallowed) }
                guard end.link.bothSupport(needed) else { return .status(.unsupportedRemoteFeature) }
            }
            return .accepted { end.link.perform(from: end) { controller.sendRemoteFeatures(end) } }
        },
        .complete(.leSetDataLength, 6, returns: 2, echo: 2, features: .dataPacketLengthExtension) {
            controller, reader in
            guard let handle = reader.uint16(), let wish = reader.dataLength() else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            let maximum = DataLength.maximum(controller.configuration.features)
            return .values {
                $0.uint16(handle)
            } then: {
                end.link.setDataLength(wish.limited(to: maximum), of: end)
            }
        },
        .complete(.leReadSuggestedDefaultDataLength, 0, returns: 4, features: .dataPacketLengthExtension) {
            controller, _ in
            .values { $0.dataLength(controller.settings.suggestedDataLength) }
        },
        .complete(.leWriteSuggestedDefaultDataLength, 4, features: .dataPacketLengthExtension) { controller, reader in
            guard let wish = reader.dataLength() else { return nil }
            controller.settings.suggestedDataLength = wish
            return .complete(.success)
        },
        .complete(.leReadMaximumDataLength, 0, returns: 8, features: .dataPacketLengthExtension) { controller, _ in
            .values { buffer in
                let maximum = DataLength.maximum(controller.configuration.features)
                buffer.dataLength(maximum)
                buffer.dataLength(maximum)
            }
        },
        .complete(.leReadPHY, 2, returns: 4, echo: 2, features: .le2M) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            return .values { buffer in
                buffer.uint16(handle)
                buffer.uint8(end.transmitPHY.rawValue)
                buffer.uint8(end.peer.transmitPHY.rawValue)
            }
        },
        .complete(.leSetDefaultPHY, 3, features: .le2M) { controller, reader in
            switch reader.preferredPHYs(controller.configuration.features.physicalLayers) {
            case nil: return nil
            case .unsupported: return .complete(.unsupportedFeature)
            case .layers(let transmit, let receive):
                controller.settings.preferredTransmitPHYs = transmit
                controller.settings.preferredReceivePHYs = receive
                return .complete(.success)
            }
        },
        .status(.leSetPHY, 7...7, features: .le2M) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .status(.unknownConnection) }
            switch reader.preferredPHYs(controller.configuration.features.physicalLayers) {
            case nil: return nil
            case .unsupported: return .status(.unsupportedFeature)
            case .layers(let transmit, let receive):
                guard let options = reader.uint16(), options & 3 != 3 else { return nil }
                return .accepted { end.link.setPHY(transmit: transmit, receive: receive, of: end) }
            }
        },
    ]
}

private enum PreferredPHYs {
    case layers(transmit: UInt8, receive: UInt8)
    case unsupported
}

extension ByteReader {
    /// Reads the octets and time of a packet; nil if they are out of range.
    fileprivate mutating func dataLength() -> DataLength? {
        guard let octets = uint16(), let time = uint16(), DataLength.octetRange.contains(octets),
            DataLength.timeRange.contains(time)
        else { return nil }
        return DataLength(octets: octets, time: time)
    }

    /// Reads the PHY preferences for both directions. `supported` replaces an absent preference.
    fileprivate mutating func preferredPHYs(_ supported: UInt8) -> PreferredPHYs? {
        guard let any = uint8(), let transmit = uint8(), let receive = uint8() else { return nil }
        let (anyTransmit, anyReceive) = (any & 1 != 0, any & 2 != 0)
        guard anyTransmit || transmit != 0, anyReceive || receive != 0 else { return nil }
        let used = (anyTransmit ? 0 : transmit) | (anyReceive ? 0 : receive)
        guard used & ~supported == 0 else { return .unsupported }
        return .layers(
            transmit: anyTransmit ? supported : transmit, receive: anyReceive ? supported : receive)
    }
}

extension ControllerPacketBuffer {
    func dataLength(_ length: DataLength) {
        uint16(length.octets)
        uint16(length.time)
    }
}

extension VirtualLink {
    // MARK: Data length

    /// Negotiates the data length of a new link if one of the hosts suggested more than the minimum.
    func exchangeInitialDataLength() {
        guard bothSupport(.dataPacketLengthExtension), ends.contains(where: { $0.wantedDataLength != .minimum }) else {
            return
        }
        perform(from: central) { [unowned self] in applyDataLengths(asked: nil) }
    }

    fileprivate func setDataLength(_ wish: DataLength, of end: LinkEnd) {
        end.wantedDataLength = wish
        perform(from: end) { [unowned self] in applyDataLengths(asked: end) }
    }

    /// Each side sends as much as it requested and the other supports. Changes are reported to both hosts. The
    /// requesting host gets an event in any case, because hosts wait for it.
    private func applyDataLengths(asked: LinkEnd?) {
        let old = ends.map(\.dataLength)
        for end in ends {
            let limit = DataLength.maximum(end.peer.controller.configuration.features)
            end.dataLength = end.wantedDataLength.limited(to: limit)
        }
        let hasChanged = ends.map(\.dataLength) != old
        for end in ends where hasChanged || end === asked { end.controller.sendDataLengthChange(end) }
    }

    // MARK: Physical layers

    fileprivate func setPHY(transmit: UInt8, receive: UInt8, of end: LinkEnd) {
        end.wantedTransmitPHYs = transmit
        end.wantedReceivePHYs = receive
        perform(from: end, events: Self.instant) { [unowned self] in
            let old = ends.map(\.transmitPHY)
            for sender in ends {
                let common = sender.wantedTransmitPHYs & sender.peer.wantedReceivePHYs
                // The fastest PHY that both sides accept; without one the PHY stays.
                if let best = [PHY.le2M, .le1M, .leCoded].first(where: { common & $0.bit != 0 }) {
                    sender.transmitPHY = best
                }
            }
            let hasChanged = ends.map(\.transmitPHY) != old
            for side in ends where hasChanged || side === end { side.controller.sendPHYUpdate(side) }
        }
    }
}
