import BluetoothHCI
import BluetoothModel

/// Starting, pausing and refreshing encryption (Core 6.0, Vol 6, Part B, 5.1.3).
///
/// The PDUs of these procedures cross the link like data. A side that cannot decrypt a packet, because the keys differ
/// or the packet was modified, ends the link with status 0x3D and sends nothing, so the other side detects it by
/// supervision timeout. With different keys this is the peripheral, which receives the first encrypted packet.
extension VirtualLink {
    /// True while both sides send encrypted packets.
    public var isEncrypted: Bool { central.transmitCipher != nil && peripheral.transmitCipher != nil }

    // MARK: From the hosts

    /// Starts encryption, or changes the key, for the central's host.
    func startEncryption(key: [UInt8], random: UInt64, diversifier: UInt16) {
        isPlain = false
        let isRefresh = central.transmitCipher != nil
        let request = EncryptionState.Request(
            key: key, random: random, diversifier: diversifier, isRefresh: isRefresh)
        guard isRefresh else { return send(request) }
        central.encryption = .pausing(request)
        send(.pauseRequest, from: central)
    }

    /// Accepts the key from the peripheral's host. Returns false if no key was requested.
    func receiveKey(_ key: [UInt8]) -> Bool {
        guard case .askingHost(let share, let own, let isRefresh) = peripheral.encryption else { return false }
        let session = EncryptionSession(longTermKey: key, central: share, peripheral: own)
        peripheral.encryption = .starting(session, isRefresh: isRefresh)
        peripheral.receiveCipher = PacketCipher(session, sender: .central)
        send(.startRequest, from: peripheral)
        return true
    }

    /// Handles the missing key of the peripheral's host. Returns false if no key was requested.
    func refuseKey() -> Bool {
        guard case .askingHost(_, _, let isRefresh) = peripheral.encryption else { return false }
        guard isRefresh else {
            peripheral.encryption = .idle
            reject(.pinOrKeyMissing)
            return true
        }
        // The pause ended the use of the old key, so encryption cannot resume with it.
        peripheral.encryption = .leaving
        perform(from: peripheral) { [unowned self] in end(reason: .pinOrKeyMissing) }
        return true
    }

    // MARK: On the air

    private func send(_ request: EncryptionState.Request) {
        let share = central.controller.makeEncryptionShare()
        central.encryption = .requesting(request, share)
        send(
            .encryptionRequest(random: request.random, diversifier: request.diversifier, share), from: central)
    }

    private func reject(_ status: HCIStatus) {
        let isExtended = bothSupport(.extendedRejectIndication)
        send(
            isExtended ? .extendedRejection(ControlPDU.encryptionRequestOpcode, status) : .rejection(status),
            from: peripheral)
    }

    /// Sends a PDU. `crossed` runs once the packet is in flight and before the receiver processes it.
    private func send(_ pdu: ControlPDU, from sender: LinkEnd, crossed: (() -> Void)? = nil) {
        watchEncryption()
        perform(from: sender) { [unowned self] in
            var packet = LinkPDU(.control, payload: pdu.payload)
            let receiver = other(sender)
            let isReadable = carry(&packet, from: sender)
            crossed?()
            guard isReadable else { return leave(receiver, reason: .micFailure) }
            // Any other PDU, or one of these at the wrong time, is treated like one that cannot be decrypted.
            guard let pdu = ControlPDU(packet), receive(pdu, at: receiver) else {
                return leave(receiver, reason: .micFailure)
            }
        }
    }

    /// Processes a PDU. Returns false if it is not permitted in this state. All state changes before anything is sent,
    /// because the answer may arrive at once.
    private func receive(_ pdu: ControlPDU, at end: LinkEnd) -> Bool {
        switch (end.encryption, pdu) {
        case (.pausing(let request), .pauseResponse):
            end.transmitCipher = nil
            end.receiveCipher = nil
            send(.pauseResponse, from: end)
            send(request)

        case (.requesting(let request, let own), .encryptionResponse(let share)):
            let session = EncryptionSession(longTermKey: request.key, central: own, peripheral: share)
            end.encryption = .waiting(request, session)

        case (.requesting(let request, _), .rejection(let status)),
            (.requesting(let request, _), .extendedRejection(_, let status)),
            (.waiting(let request, _), .rejection(let status)),
            (.waiting(let request, _), .extendedRejection(_, let status)):
            guard !request.isRefresh else { return false }
            endProcedure(of: end)
            end.controller.sendEncryptionChange(end, status: status, isOn: false)

        case (.waiting(let request, let session), .startRequest):
            end.encryption = .finishing(isRefresh: request.isRefresh)
            end.transmitCipher = PacketCipher(session, sender: .central)
            end.receiveCipher = PacketCipher(session, sender: .peripheral)
            send(.startResponse, from: end)

        case (.finishing(let isRefresh), .startResponse):
            endProcedure(of: end)
            end.controller.sendEncrypted(end, isRefresh: isRefresh)

        case (.idle, .pauseRequest) where end.role == .peripheral && end.receiveCipher != nil:
            end.encryption = .paused
            end.receiveCipher = nil
            send(.pauseResponse, from: end)

        case (.paused, .pauseResponse):
            end.encryption = .resuming
            end.transmitCipher = nil

        case (.idle, .encryptionRequest(let random, let diversifier, let share))
        where end.role == .peripheral && end.receiveCipher == nil:
            ask(end, random: random, diversifier: diversifier, share, isRefresh: false)

        case (.resuming, .encryptionRequest(let random, let diversifier, let share)):
            ask(end, random: random, diversifier: diversifier, share, isRefresh: true)

        case (.starting(let session, let isRefresh), .startResponse):
            end.encryption = .answering
            end.transmitCipher = PacketCipher(session, sender: .peripheral)
            end.controller.sendEncrypted(end, isRefresh: isRefresh)
            send(.startResponse, from: end) { [unowned self] in endProcedure(of: end) }

        default: return false
        }
        return true
    }

    /// Processes LL_ENC_REQ on the peripheral's side.
    private func ask(
        _ end: LinkEnd, random: UInt64, diversifier: UInt16, _ share: EncryptionShare, isRefresh: Bool
    ) {
        let controller = end.controller
        guard controller.configuration.features.contains(.encryption) else { return reject(.unsupportedRemoteFeature) }
        let own = controller.makeEncryptionShare()
        end.encryption = .askingHost(central: share, own: own, isRefresh: isRefresh)
        let asks = controller.wants(.longTermKeyRequest)
        if asks { controller.sendLongTermKeyRequest(end, random: random, diversifier: diversifier) }
        send(.encryptionResponse(own), from: end)
        // A host that masked the request has no key.
        if !asks { _ = refuseKey() }
    }

    private func endProcedure(of end: LinkEnd) {
        end.encryption = .idle
        if ends.allSatisfy({ !$0.holdsData }) { stopWatchingEncryption() }
        schedule()
    }

    // MARK: Packets

    /// Carries a packet from `sender` to the other side. Returns false if the receiver cannot decrypt it.
    func carry(_ pdu: inout LinkPDU, from sender: LinkEnd) -> Bool {
        sender.transmitCipher?.seal(&pdu)
        tap?(&pdu, sender.role)
        return other(sender).receiveCipher?.open(&pdu) ?? true
    }
}

extension VirtualController {
    fileprivate func makeEncryptionShare() -> EncryptionShare {
        EncryptionShare(
            diversifier: generator.next(), vector: UInt32(truncatingIfNeeded: generator.next()))
    }

    /// Reports encryption, or the key refresh, to the host.
    fileprivate func sendEncrypted(_ end: LinkEnd, isRefresh: Bool) {
        if isRefresh { sendEncryptionKeyRefresh(end) } else { sendEncryptionChange(end, status: .success, isOn: true) }
    }
}
