import BluetoothHCI
import BluetoothModel

/// Events about links and advertising (Core 6.0, Vol 4, Part E, 7.7).
extension VirtualController {
    // MARK: Connection

    /// Reports a new link to the host, with the enhanced event if the host enabled it.
    func sendConnectionComplete(_ end: LinkEnd) {
        let parameters = end.link.parameters
        sendConnectionComplete(
            status: .success, handle: end.handle, role: end.role, addresses: end.addresses, parameters: parameters)
        send(.channelSelectionAlgorithm) { buffer in
            buffer.uint16(end.handle)
            buffer.uint8(end.link.bothSupport(.channelSelectionAlgorithm2) ? 1 : 0)
        }
    }

    /// Reports to the host that an attempt to connect, or to be connected to, ended without a link.
    func sendConnectionFailure(_ status: HCIStatus, role: LinkEnd.Role) {
        sendConnectionComplete(status: status, handle: 0, role: role, addresses: nil, parameters: nil)
    }

    private func sendConnectionComplete(
        status: HCIStatus, handle: UInt16, role: LinkEnd.Role, addresses: LinkAddresses?,
        parameters: ConnectionParameters?
    ) {
        let isEnhanced = wants(.enhancedConnectionComplete)
        send(isEnhanced ? .enhancedConnectionComplete : .connectionComplete) { buffer in
            buffer.uint8(status.rawValue)
            buffer.uint16(handle)
            buffer.uint8(role.rawValue)
            let peer = addresses?.peer
            if isEnhanced {
                buffer.uint8(peer?.type ?? 0)
                buffer.address(peer?.address)
                // The private addresses of both sides, if their controllers generated or resolved them.
                buffer.address(addresses?.ownPrivate)
                buffer.address(peer?.identity == nil ? nil : peer?.onAir)
            } else {
                // This event has no field for identity addresses.
                buffer.uint8(peer?.onAir.kind.rawValue ?? 0)
                buffer.address(peer?.onAir)
            }
            buffer.uint16(parameters?.intervalUnits ?? 0)
            buffer.uint16(parameters?.latency ?? 0)
            buffer.uint16(parameters?.timeoutUnits ?? 0)
            // The accuracy of the central's clock: 500 ppm.
            buffer.uint8(0)
        }
    }

    func sendDisconnection(handle: UInt16, reason: HCIStatus) {
        send(.disconnectionComplete, if: .disconnectionComplete) { buffer in
            buffer.uint8(HCIStatus.success.rawValue)
            buffer.uint16(handle)
            buffer.uint8(reason.rawValue)
        }
    }

    func sendConnectionUpdate(_ end: LinkEnd, status: HCIStatus) {
        send(.connectionUpdateComplete) { buffer in
            buffer.uint8(status.rawValue)
            buffer.uint16(end.handle)
            buffer.uint16(end.link.parameters.intervalUnits)
            buffer.uint16(end.link.parameters.latency)
            buffer.uint16(end.link.parameters.timeoutUnits)
        }
    }

    func sendDataLengthChange(_ end: LinkEnd) {
        send(.dataLengthChange) { buffer in
            buffer.uint16(end.handle)
            buffer.dataLength(end.dataLength)
            buffer.dataLength(end.peer.dataLength)
        }
    }

    func sendPHYUpdate(_ end: LinkEnd) {
        send(.phyUpdateComplete) { buffer in
            buffer.uint8(HCIStatus.success.rawValue)
            buffer.uint16(end.handle)
            buffer.uint8(end.transmitPHY.rawValue)
            buffer.uint8(end.peer.transmitPHY.rawValue)
        }
    }

    func sendRemoteFeatures(_ end: LinkEnd) {
        end.knowsPeerFeatures = true
        let remote = end.peer.controller.configuration.features
        send(.readRemoteFeaturesComplete) { buffer in
            buffer.uint8(HCIStatus.success.rawValue)
            buffer.uint16(end.handle)
            buffer.uint64(remote.rawValue)
        }
    }

    func sendRemoteVersion(_ end: LinkEnd) {
        let remote = end.peer.controller.configuration
        send(.readRemoteVersionComplete, if: .readRemoteVersionComplete) { buffer in
            buffer.uint8(HCIStatus.success.rawValue)
            buffer.uint16(end.handle)
            buffer.uint8(remote.version)
            buffer.uint16(remote.manufacturer)
            buffer.uint16(0)
        }
    }

    // MARK: Encryption

    func sendLongTermKeyRequest(_ end: LinkEnd, random: UInt64, diversifier: UInt16) {
        send(.longTermKeyRequest) { buffer in
            buffer.uint16(end.handle)
            buffer.uint64(random)
            buffer.uint16(diversifier)
        }
    }

    /// Sends version 2 of the event instead of version 1 if the host enabled it.
    func sendEncryptionChange(_ end: LinkEnd, status: HCIStatus, isOn: Bool) {
        if settings.eventMaskPage2.contains(.encryptionChangeV2) {
            return send(.encryptionChangeV2) { buffer in
                buffer.uint8(status.rawValue)
                buffer.uint16(end.handle)
                buffer.uint8(isOn ? 1 : 0)
                // The size of the session key. It does not depend on the entropy of the long term key.
                buffer.uint8(isOn ? 16 : 0)
            }
        }
        send(.encryptionChange, if: .encryptionChange) { buffer in
            buffer.uint8(status.rawValue)
            buffer.uint16(end.handle)
            buffer.uint8(isOn ? 1 : 0)
        }
    }

    func sendEncryptionKeyRefresh(_ end: LinkEnd) {
        send(.encryptionKeyRefreshComplete, if: .encryptionKeyRefreshComplete) { buffer in
            buffer.uint8(HCIStatus.success.rawValue)
            buffer.uint16(end.handle)
        }
    }

    // MARK: Advertising and scanning

    func sendAdvertisingSetTerminated(handle: UInt8, status: HCIStatus, link: UInt16, events: UInt8) {
        send(.advertisingSetTerminated) { buffer in
            buffer.uint8(status.rawValue)
            buffer.uint8(handle)
            buffer.uint16(link)
            buffer.uint8(events)
        }
    }

    /// Reports a scan request to the host if it enabled these reports for this set.
    func sendScanRequestReceived(_ set: ControllerAdvertisingSet, from scanner: PeerAddress) {
        guard set.parameters.reportsScanRequests, let handle = set.handle else { return }
        send(.scanRequestReceived) { buffer in
            buffer.uint8(handle)
            buffer.uint8(scanner.type)
            buffer.address(scanner.address)
        }
    }

    func sendScanTimeout() { send(.scanTimeout) { _ in } }

    /// Reports advertising that is directed at a private address which may belong to this device.
    func sendDirectedReport(from sender: PeerAddress, target: BluetoothAddress, strength: Int8) {
        guard wants(.directedAdvertisingReport) else { return }
        counts.reports += 1
        send(.directedAdvertisingReport) { buffer in
            buffer.uint8(1)
            buffer.uint8(1)
            buffer.uint8(sender.type)
            buffer.address(sender.address)
            buffer.uint8(target.kind.rawValue)
            buffer.address(target)
            buffer.int8(strength)
        }
    }
}
