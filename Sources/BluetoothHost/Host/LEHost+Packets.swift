import BluetoothHCI
import BluetoothModel

extension LEHost {
    /// Processes an ACL packet. This is the hot path.
    @inline(__always)
    func receiveACL(_ packet: ByteView) {
        guard packet.count >= PacketByte.aclHeaderLength,
            Int(packet.uint16(at: 3)) == packet.count - PacketByte.aclHeaderLength
        else {
            return note(.malformedPacket, packet)
        }
        let field = packet.uint16(at: 1)
        guard let link = links[field & 0x0FFF] ?? binder.bind(handle: field & 0x0FFF) else {
            return note(.strayPacket, packet)
        }
        link.receive(UInt8(truncatingIfNeeded: field >> 12) & 3, packet.dropFirst(PacketByte.aclHeaderLength))
    }

    /// Processes an event according to its code.
    func receiveEvent(_ packet: ByteView) {
        guard Int(packet[2]) == packet.count - 3 else { return note(.malformedPacket, packet) }
        let parameters = packet.dropFirst(3)
        let isWhole: Bool
        switch HCIEventCode(rawValue: packet[1]) {
        case .numberOfCompletedPackets: isWhole = packetsCompleted(parameters)
        case .commandComplete: isWhole = commands.commandCompleted(parameters)
        case .commandStatus: isWhole = commands.commandStatus(parameters)
        case .hardwareError:
            restart(hardwareError: parameters.isEmpty ? 0 : parameters[0])
            isWhole = !parameters.isEmpty
        case .disconnectionComplete where endedWhilePoweredOff(parameters): return
        // Other events from before the reset are ignored.
        case _ where !isReady: return note(.ignoredEvent, packet)
        case .leMeta: isWhole = receiveLEEvent(parameters)
        case .disconnectionComplete: isWhole = disconnected(parameters)
        case .encryptionChange: isWhole = encryptionChanged(parameters, hasKeySize: false)
        case .encryptionChangeV2: isWhole = encryptionChanged(parameters, hasKeySize: true)
        case .encryptionKeyRefreshComplete: isWhole = encryptionKeyRefreshed(parameters)
        case .readRemoteVersionComplete: isWhole = remoteVersionRead(parameters)
        default: return note(.ignoredEvent, packet)
        }
        if !isWhole { note(.malformedEvent, packet) }
    }

    private func receiveLEEvent(_ event: ByteView) -> Bool {
        guard !event.isEmpty else { return false }
        let parameters = event.dropFirst(1)
        switch LEEventCode(rawValue: event[0]) {
        case .advertisingReport: return scanner.receiveLegacy(parameters)
        case .extendedAdvertisingReport: return scanner.receiveExtended(parameters)
        case .directedAdvertisingReport: return scanner.receiveDirected(parameters)
        case .connectionComplete: return connectionCompleted(parameters, isEnhanced: false)
        case .enhancedConnectionComplete: return connectionCompleted(parameters, isEnhanced: true)
        case .advertisingSetTerminated: return advertisingSetTerminated(parameters)
        case .connectionUpdateComplete: return connectionUpdated(parameters)
        case .readRemoteFeaturesComplete: return remoteFeaturesRead(parameters)
        case .longTermKeyRequest: return longTermKeyRequested(parameters)
        case .remoteConnectionParameterRequest: return parametersRequested(parameters)
        case .dataLengthChange: return dataLengthChanged(parameters)
        case .phyUpdateComplete: return phyUpdated(parameters)
        case .scanTimeout: return true
        default:
            note(.ignoredEvent, event)
            return true
        }
    }

    /// Handles Number Of Completed Packets (7.7.19).
    private func packetsCompleted(_ parameters: ByteView) -> Bool {
        guard !parameters.isEmpty else { return false }
        let count = Int(parameters[0])
        guard parameters.count >= 1 + 4 * count else { return false }
        for index in 0..<count {
            let completed = Int(parameters.uint16(at: 3 + 4 * index))
            let handle = parameters.uint16(at: 1 + 4 * index) & 0x0FFF
            // The buffers of a closed link were released when it was removed.
            guard
                let (excess, isWaiting) = links.withUnretained(
                    handle, { (acl.completed($0.flow, count: completed), $0.flow.isWaiting) })
            else { continue }
            if isWaiting, let link = links[handle] { acl.proceed(link) }
            if excess > 0 { note(.excessCredit, count: excess) }
        }
        acl.run()
        return true
    }
}
