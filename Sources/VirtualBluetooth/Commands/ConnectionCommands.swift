import BluetoothHCI
import BluetoothModel

extension Command {
    /// Commands for established links.
    static let connection: [Command] = [
        .status(.disconnect, 3...3) { $0.disconnect(&$1) },
        .status(.readRemoteVersion, 2...2) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .status(.unknownConnection) }
            return .accepted { end.link.perform(from: end) { controller.sendRemoteVersion(end) } }
        },
        .complete(.readRSSI, 2, returns: 3, echo: 2) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            // A receiver measures no signal that it cannot hear: the link may end only later.
            let strength = max(Double(end.link.strength(at: end)), controller.air.propagation.sensitivity).rounded()
            return .values { buffer in
                buffer.uint16(handle)
                buffer.int8(Int8(min(127, strength)))
            }
        },
        .complete(.readTransmitPowerLevel, 3, returns: 3, echo: 2) { controller, reader in
            guard let handle = reader.uint16(), reader.bool() != nil else { return nil }
            guard controller.linkTable[handle] != nil else { return .complete(.unknownConnection) }
            return .values { buffer in
                buffer.uint16(handle)
                buffer.int8(controller.configuration.txPower)
            }
        },
        .complete(.readAuthenticatedPayloadTimeout, 2, returns: 4, echo: 2, features: .ping) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            return .values { buffer in
                buffer.uint16(handle)
                buffer.uint16(end.authenticatedPayloadTimeout)
            }
        },
        .complete(.writeAuthenticatedPayloadTimeout, 4, returns: 2, echo: 2, features: .ping) { controller, reader in
            guard let handle = reader.uint16(), let timeout = reader.uint16(), timeout > 0 else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            end.authenticatedPayloadTimeout = timeout
            return .values { $0.uint16(handle) }
        },
        .complete(.leSetHostChannelClassification, 5) { controller, reader in
            guard let map = reader.channelMap(), map.nonzeroBitCount >= 1 else { return nil }
            controller.settings.channelMap = map
            return .complete(.success)
        },
        .complete(.leReadChannelMap, 2, returns: 7, echo: 2) { controller, reader in
            guard let handle = reader.uint16() else { return nil }
            guard let end = controller.linkTable[handle] else { return .complete(.unknownConnection) }
            let map = end.link.central.controller.settings.channelMap
            return .values { buffer in
                buffer.uint16(handle)
                buffer.uint32(UInt32(truncatingIfNeeded: map))
                buffer.uint8(UInt8(truncatingIfNeeded: map >> 32))
            }
        },
        .status(.leConnectionUpdate, 14...14) { $0.updateConnection(&$1) },
        .complete(
            .leRemoteConnectionParameterRequestReply, 14, returns: 2, echo: 2, features: .connectionParametersRequest
        ) { $0.acceptParameters(&$1) },
        .complete(
            .leRemoteConnectionParameterRequestNegativeReply, 3, returns: 2, echo: 2,
            features: .connectionParametersRequest
        ) { $0.refuseParameters(&$1) },
    ]
}

extension ByteReader {
    /// Reads five bytes with one bit for each of the 37 data channels; nil if other bits are set.
    fileprivate mutating func channelMap() -> UInt64? {
        guard let low = uint32(), let high = uint8(), high & 0xE0 == 0 else { return nil }
        return UInt64(low) | UInt64(high) << 32
    }
}

extension VirtualController {
    /// The reasons that a host may use (Core 6.0, Vol 4, Part E, 7.1.6).
    private static let disconnectReasons: Set<HCIStatus> = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
        .unsupportedRemoteFeature, HCIStatus(rawValue: 0x29), .unacceptableParameters,
    ]

    fileprivate func disconnect(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16(), let reason = reader.uint8().map(HCIStatus.init(rawValue:)) else {
            return nil
        }
        guard let end = linkTable[handle] else { return .status(.unknownConnection) }
        guard Self.disconnectReasons.contains(reason) else { return nil }
        guard !end.isTerminating else { return .status(.commandDisallowed) }
        return .accepted { end.link.terminate(from: end, reason: reason) }
    }

    fileprivate func updateConnection(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16() else { return nil }
        guard let end = linkTable[handle] else { return .status(.unknownConnection) }
        let wish = reader.rest.prefix(8)
        guard let parameters = Initiation.readParameters(&reader), let minimum = reader.uint16(),
            let maximum = reader.uint16(), minimum <= maximum
        else { return nil }
        let link = end.link
        if end.role == .central { return .accepted { link.update(to: parameters, from: end) } }
        guard configuration.features.contains(.connectionParametersRequest) else { return .status(.commandDisallowed) }
        guard link.bothSupport(.connectionParametersRequest) else { return .status(.unsupportedRemoteFeature) }
        guard case .none = link.procedure else { return .status(.controllerBusy) }
        let bytes = wish.array
        return .accepted { link.request(bytes, from: end) }
    }

    fileprivate func acceptParameters(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16() else { return nil }
        guard let end = linkTable[handle] else { return .complete(.unknownConnection) }
        guard let parameters = Initiation.readParameters(&reader), let minimum = reader.uint16(),
            let maximum = reader.uint16(), minimum <= maximum
        else { return nil }
        guard end.role == .central, case .parameterRequest = end.link.procedure else {
            return .complete(.commandDisallowed)
        }
        end.link.endProcedure()
        return .values {
            $0.uint16(handle)
        } then: {
            end.link.update(to: parameters, from: end)
        }
    }

    fileprivate func refuseParameters(_ reader: inout ByteReader) -> CommandAnswer? {
        guard let handle = reader.uint16(), let reason = reader.uint8(), reason != 0 else { return nil }
        guard let end = linkTable[handle] else { return .complete(.unknownConnection) }
        guard end.role == .central, case .parameterRequest = end.link.procedure else {
            return .complete(.commandDisallowed)
        }
        let link = end.link
        link.endProcedure()
        return .values {
            $0.uint16(handle)
        } then: {
            link.perform(from: end) { [unowned link] in
                link.peripheral.controller.sendConnectionUpdate(link.peripheral, status: HCIStatus(rawValue: reason))
            }
        }
    }
}

extension VirtualLink {
    /// The number of connection events until a simultaneous change of both sides (Core 6.0, Vol 6, Part B, 5.1.1).
    static let instant: Int64 = 6

    /// Changes the parameters on both sides and reports the change to both hosts.
    func update(to parameters: ConnectionParameters, from end: LinkEnd) {
        perform(from: end, events: Self.instant) { [unowned self] in
            restartEvents()
            self.parameters = parameters
            supervisionChanged()
            for end in ends { end.controller.sendConnectionUpdate(end, status: .success) }
        }
    }

    /// Passes the peripheral's Connection Parameters Request to the central's host: interval range, latency and timeout
    /// as in the command.
    fileprivate func request(_ wish: [UInt8], from end: LinkEnd) {
        begin(.parameterRequest)
        perform(from: end) { [unowned self] in
            guard central.controller.wants(.remoteConnectionParameterRequest) else {
                endProcedure()
                return end.controller.sendConnectionUpdate(end, status: .unsupportedRemoteFeature)
            }
            central.controller.send(.remoteConnectionParameterRequest) { buffer in
                buffer.uint16(central.handle)
                buffer.append(wish)
            }
        }
    }
}
