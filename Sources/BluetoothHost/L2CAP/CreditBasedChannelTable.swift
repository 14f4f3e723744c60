import BluetoothModel
import BluetoothRuntime

/// The credit-based channels of one link (Core 6.0, Vol 3, Part A, 4.22 to 4.24).
final class CreditBasedChannelTable {
    /// An outstanding connection request of the local side.
    private struct Opening {
        var id: LinkOperationID
        var timer: QueuedTimer?
        /// nil once the caller abandoned the request.
        var completion: ((Result<CreditBasedChannel, RadioError>) -> Void)?
    }

    /// The result codes of a connection response (Core 6.0, Vol 3, Part A, 4.23).
    private enum ConnectionResult {
        static let success: UInt16 = 0x0000, unknownPSM: UInt16 = 0x0002, noResources: UInt16 = 0x0004
        static let insufficientAuthentication: UInt16 = 0x0005, insufficientEncryption: UInt16 = 0x0008
        static let invalidSourceChannel: UInt16 = 0x0009, sourceChannelInUse: UInt16 = 0x000A
        static let unacceptableParameters: UInt16 = 0x000B
    }

    private(set) var transmitter: (any LinkTransmitter)?
    let signalling: LESignalling
    private let services: L2CAPServiceRegistry
    private let faults: ProtocolAnomalies
    /// Proof of `unowned`: the link sets this to nil in its `deinit`.
    unowned var link: L2CAPLink?
    private var channels: [UInt16: CreditBasedChannel] = [:]
    private var openings: [UInt16: Opening] = [:]
    /// The channel that sent the last frame; the next one continues with its successor.
    private var turn: UInt16 = 0

    init(
        transmitter: any LinkTransmitter, signalling: LESignalling, services: L2CAPServiceRegistry,
        faults: ProtocolAnomalies
    ) {
        self.transmitter = transmitter
        self.signalling = signalling
        self.services = services
        self.faults = faults
    }

    deinit { signalling.channels = nil }

    var all: [CreditBasedChannel] { channels.keys.sorted().compactMap { channels[$0] } }

    // MARK: Opening

    func open(
        psm: UInt16, configuration: CreditBasedChannelConfiguration, id: LinkOperationID, timeout: Duration?,
        completion: @escaping (Result<CreditBasedChannel, RadioError>) -> Void
    ) {
        guard let transmitter else { return completion(.failure(.notConnected)) }
        guard L2CAPServiceRegistry.allowed.contains(psm) else {
            return completion(.failure(.invalidArgument("PSM \(psm): a PSM must be from 1 to 255")))
        }
        guard let cid = freeCID else { return completion(.failure(noChannelLeft)) }
        let channel = CreditBasedChannel(psm: psm, localCID: cid, configuration: configuration, table: self)
        var opening = Opening(id: id, completion: completion)
        if let timeout {
            let timer = transmitter.timers.makeTimer { [weak self] in self?.giveUp(cid, .timeout) }
            timer.arm(at: transmitter.now + timeout)
            opening.timer = timer
        }
        channels[cid] = channel
        openings[cid] = opening
        let answered: LESignalling.Completion = { [weak self] in self?.connected(channel, $0) }
        signalling.request(
            LESignalCode.creditConnectionRequest, response: LESignalCode.creditConnectionResponse,
            completion: answered
        ) { writer in
            writer.uint16(psm)
            writer.uint16(cid)
            channel.describe(to: &writer)
        }
    }

    private var freeCID: UInt16? { L2CAPChannelID.dynamic.first { channels[$0] == nil } }

    private var noChannelLeft: RadioError {
        .limit("all \(L2CAPChannelID.dynamic.count) channels of the link are in use")
    }

    private func connected(_ channel: CreditBasedChannel, _ result: Result<ByteView, RadioError>) {
        let opening = openings.removeValue(forKey: channel.localCID)
        opening?.timer?.disarm()
        switch result.flatMap({ adopt($0, channel) }) {
        case .failure(let error):
            channel.finish(error)
            opening?.completion?(.failure(error))
        case .success:
            guard let completion = opening?.completion else { return channel.close() }
            completion(.success(channel))
        }
    }

    private func adopt(_ body: ByteView, _ channel: CreditBasedChannel) -> Result<Void, RadioError> {
        var reader = ByteReader(body)
        guard let peerCID = reader.uint16(), let mtu = reader.uint16(), let mps = reader.uint16(),
            let credits = reader.uint16(), let code = reader.uint16(), reader.isAtEnd
        else { return .failure(.invalidResponse("the connection response has the wrong length")) }
        guard code == ConnectionResult.success else { return .failure(.channelRefused(code)) }
        guard L2CAPChannelID.dynamic.contains(peerCID), !usesPeerCID(peerCID), mtu >= 23, (23...65_533).contains(mps)
        else { return .failure(.invalidResponse("the connection response has invalid values")) }
        channel.opened(peerCID: peerCID, mtu: mtu, mps: mps, credits: credits)
        return .success(())
    }

    private func usesPeerCID(_ cid: UInt16) -> Bool { channels.values.contains { $0.peerCID == cid } }

    func cancel(_ id: LinkOperationID) {
        guard let cid = openings.first(where: { $0.value.id == id })?.key else { return }
        giveUp(cid, .cancelled)
    }

    func abandon(_ channel: CreditBasedChannel) { giveUp(channel.localCID, .cancelled) }

    /// Fails an outstanding request. The request cannot be withdrawn: a channel that opens later is closed.
    private func giveUp(_ cid: UInt16, _ error: RadioError) {
        guard let completion = openings[cid]?.completion else { return }
        openings[cid]?.completion = nil
        openings[cid]?.timer?.disarm()
        completion(.failure(error))
    }

    // MARK: Frames and signals of the peer

    /// Passes a frame to its channel; returns false if there is no such channel.
    func receive(cid: UInt16, _ frame: ByteView) -> Bool {
        guard let channel = channels[cid] else { return false }
        channel.receive(frame)
        return true
    }

    func receiveSignal(_ code: UInt8, _ identifier: UInt8, _ body: ByteReader) {
        switch code {
        case LESignalCode.creditConnectionRequest: receiveConnectionRequest(identifier, body)
        case LESignalCode.disconnectionRequest: receiveDisconnectionRequest(identifier, body)
        default: receiveCredits(body)
        }
    }

    private func receiveConnectionRequest(_ identifier: UInt8, _ body: ByteReader) {
        var body = body
        guard let psm = body.uint16(), let peerCID = body.uint16(), let mtu = body.uint16(), let mps = body.uint16(),
            let credits = body.uint16(), body.isAtEnd
        else {
            faults.add(.malformedSignal)
            return signalling.reject(identifier, .notUnderstood)
        }
        guard let service = services[psm] else { return refuse(identifier, ConnectionResult.unknownPSM) }
        guard L2CAPChannelID.dynamic.contains(peerCID) else {
            return refuse(identifier, ConnectionResult.invalidSourceChannel)
        }
        guard !usesPeerCID(peerCID) else { return refuse(identifier, ConnectionResult.sourceChannelInUse) }
        guard mtu >= 23, (23...65_533).contains(mps) else {
            return refuse(identifier, ConnectionResult.unacceptableParameters)
        }
        if let lack = lack(of: service.requires) { return refuse(identifier, lack) }
        guard let cid = freeCID else { return refuse(identifier, ConnectionResult.noResources) }
        let channel = CreditBasedChannel(
            psm: psm, localCID: cid, configuration: service.configuration, table: self)
        channels[cid] = channel
        channel.opened(peerCID: peerCID, mtu: mtu, mps: mps, credits: credits)
        signalling.send(LESignalCode.creditConnectionResponse, identifier) { writer in
            writer.uint16(cid)
            channel.describe(to: &writer)
            writer.uint16(ConnectionResult.success)
        }
        service.accepted(channel)
    }

    private func refuse(_ identifier: UInt8, _ code: UInt16) {
        signalling.send(LESignalCode.creditConnectionResponse, identifier) { writer in
            for _ in 0..<4 { writer.uint16(0) }
            writer.uint16(code)
        }
    }

    /// Returns the result code for the security that the link lacks; nil if it suffices.
    private func lack(of level: LinkSecurity.Level) -> UInt16? {
        guard let security = transmitter?.security, security.level < level else { return nil }
        return security.level == .none && security.isBonded
            ? ConnectionResult.insufficientEncryption : ConnectionResult.insufficientAuthentication
    }

    private func receiveDisconnectionRequest(_ identifier: UInt8, _ body: ByteReader) {
        var body = body
        guard let local = body.uint16(), let remote = body.uint16(), body.isAtEnd else {
            faults.add(.malformedSignal)
            return signalling.reject(identifier, .notUnderstood)
        }
        guard let channel = channels[local], !channel.isConnecting else {
            return signalling.reject(identifier, .invalidChannel(local: local, remote: remote))
        }
        // The specification requires discarding this request without a response (Core 6.0, Vol 3, Part A, 4.6).
        guard channel.peerCID == remote else { return faults.add(.unexpectedSignal) }
        signalling.send(LESignalCode.disconnectionResponse, identifier) { writer in
            writer.uint16(local)
            writer.uint16(remote)
        }
        channel.closedByPeer()
    }

    private func receiveCredits(_ body: ByteReader) {
        var body = body
        guard let peerCID = body.uint16(), let count = body.uint16(), count > 0, body.isAtEnd else {
            return faults.add(.malformedSignal)
        }
        guard let channel = channels.values.first(where: { $0.peerCID == peerCID }) else {
            return faults.add(.unexpectedSignal)
        }
        channel.receiveCredits(count)
    }

    // MARK: Events of the link

    /// Sends frames while there is room, one frame of each channel in turn.
    func roomAvailable() {
        if channels.isEmpty { return }
        if channels.count == 1, let only = channels.values.first { return only.send() }
        var wasSent = true
        while wasSent {
            wasSent = false
            let order = channels.keys.sorted()
            for cid in order.filter({ $0 > turn }) + order.filter({ $0 <= turn }) {
                guard channels[cid]?.sendFrame() == true else { continue }
                turn = cid
                wasSent = true
            }
        }
    }

    func remove(_ channel: CreditBasedChannel) { channels[channel.localCID] = nil }

    func close(_ error: RadioError) {
        transmitter = nil
        let opening = openings.keys.sorted().compactMap { openings[$0] }
        openings = [:]
        let open = all
        channels = [:]
        for one in opening { one.timer?.disarm() }
        for channel in open { channel.finish(error) }
        for one in opening { one.completion?(.failure(error)) }
    }
}
