import BluetoothHCI
import BluetoothModel

/// Starting, pausing and refreshing encryption (Core 6.0, Vol 6, Part B, 5.1.3).
///
/// The packets of these procedures cross the link like data. A side that cannot read a packet, because the keys differ
/// or somebody changed it, leaves with status 0x3D and says nothing, so the other side finds out by supervision timeout:
/// with different keys the peripheral leaves, which has to read the first encrypted packet.
extension VirtualLink {
    /// Whether what both sides send is encrypted.
    public var isEncrypted: Bool { central.transmitCipher != nil && peripheral.transmitCipher != nil }

    // MARK: From the hosts

    /// The central's host wants encryption, or another key.
    func startEncryption(key: [UInt8], random: UInt64, diversifier: UInt16) {
        isPlain = false
        let isRefresh = central.transmitCipher != nil
        let request = EncryptionState.Request(
            key: key, random: random, diversifier: diversifier, isRefresh: isRefresh)
        guard isRefresh else { return send(request) }
        central.encryption = .pausing(request)
        send(.pauseRequest, from: central)
    }

    /// The peripheral's host gave the key; false where it was not asked for one.
    func receiveKey(_ key: [UInt8]) -> Bool {
        guard case .askingHost(let share, let own, let isRefresh) = peripheral.encryption else { return false }
        let session = EncryptionSession(longTermKey: key, central: share, peripheral: own)
        peripheral.encryption = .starting(session, isRefresh: isRefresh)
        peripheral.receiveCipher = PacketCipher(session, sender: .central)
        send(.startRequest, from: peripheral)
        return true
    }

    /// The peripheral's host has no key; false where it was not asked for one.
    func refuseKey() -> Bool {
        guard case .askingHost(_, _, let isRefresh) = peripheral.encryption else { return false }
        guard isRefresh else {
            peripheral.encryption = .idle
            reject(.pinOrKeyMissing)
            return true
        }
        // There is no way back to the key that the pause made an end of.
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

    /// Sends a packet; `crossed` runs once it is underway and before the other side does anything about it.
    private func send(_ pdu: ControlPDU, from sender: LinkEnd, crossed: (() -> Void)? = nil) {
        watchEncryption()
        perform(from: sender) { [unowned self] in
            var packet = LinkPDU(.control, payload: pdu.payload)
            let receiver = other(sender)
            let isReadable = carry(&packet, from: sender)
            crossed?()
            guard isReadable else { return leave(receiver, reason: .micFailure) }
            // Something else than a packet of these procedures, or one at the wrong time, is no better than one that
            // cannot be read.
            guard let pdu = ControlPDU(packet), receive(pdu, at: receiver) else {
                return leave(receiver, reason: .micFailure)
            }
        }
    }

    /// Acts on a packet; false where it must not come now. What has to be changed is changed before anything is sent,
    /// because the answer may come at once.
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

    /// The peripheral's side of LL_ENC_REQ.
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
        // A host that does not want to be asked has no key.
        if !asks { _ = refuseKey() }
    }

    private func endProcedure(of end: LinkEnd) {
        end.encryption = .idle
        if ends.allSatisfy({ !$0.holdsData }) { stopWatchingEncryption() }
        schedule()
    }

    // MARK: Packets

    /// Takes a packet from `sender` to the other side; false where that side cannot read it.
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

    /// Tells the host that its link is encrypted, or has another key.
    fileprivate func sendEncrypted(_ end: LinkEnd, isRefresh: Bool) {
        if isRefresh { sendEncryptionKeyRefresh(end) } else { sendEncryptionChange(end, status: .success, isOn: true) }
    }
}
