import BluetoothModel
import BluetoothRuntime

/// L2CAP signalling on an LE link (Core 6.0, Vol 3, Part A, 4).
package final class LESignalling {
    /// The response to a local request, without its header.
    typealias Completion = (Result<ByteView, RadioError>) -> Void

    private struct Pending {
        var response: UInt8
        var timer: QueuedTimer
        var completion: Completion
    }

    /// The maximum length of a received packet, which is the minimum of the specification (Core 6.0, Vol 3, Part A, 4).
    static let mtu = 23
    /// The response timeout RTX of a request (Core 6.0, Vol 3, Part A, 6.2.1).
    static let responseTimeout = Duration.seconds(30)
    /// The maximum number of outstanding requests.
    private static let capacity = 32

    private var transmitter: (any LinkTransmitter)?
    private let faults: ProtocolAnomalies
    /// Proof of `unowned`: the table sets this to nil in its `deinit`.
    unowned var channels: CreditBasedChannelTable?
    private var pending: [UInt8: Pending] = [:]
    private var lastIdentifier: UInt8 = 0
    private var writer = ByteWriter(capacity: 32)

    init(transmitter: any LinkTransmitter, faults: ProtocolAnomalies) {
        self.transmitter = transmitter
        self.faults = faults
    }

    // MARK: Sending

    /// Sends a request; `completion` is called once, with the body of the response or an error.
    func request(
        _ code: UInt8, response: UInt8, completion: @escaping Completion, body: (inout ByteWriter) -> Void
    ) {
        guard let transmitter else { return completion(.failure(.notConnected)) }
        guard pending.count < Self.capacity else {
            return completion(.failure(.limit("\(Self.capacity) requests are already queued for the peer")))
        }
        let identifier = nextIdentifier()
        let timer = transmitter.timers.makeTimer { [weak self] in self?.timedOut(identifier) }
        timer.arm(at: transmitter.now + Self.responseTimeout)
        pending[identifier] = Pending(response: response, timer: timer, completion: completion)
        send(code, identifier, body)
    }

    /// Sends a packet that is not answered.
    func inform(_ code: UInt8, body: (inout ByteWriter) -> Void) { send(code, nextIdentifier(), body) }

    /// Sends a response.
    func send(_ code: UInt8, _ identifier: UInt8, _ body: (inout ByteWriter) -> Void) {
        writer.reset()
        writer.uint8(code)
        writer.uint8(identifier)
        writer.uint16(0)
        body(&writer)
        writer.set(UInt16(writer.count - 4), at: 2)
        writer.withByteView { transmitter?.send(cid: L2CAPChannelID.signalling, $0) }
    }

    func reject(_ identifier: UInt8, _ reason: CommandRejectReason) {
        send(LESignalCode.commandReject, identifier) { writer in
            switch reason {
            case .notUnderstood: writer.uint16(0)
            case .signallingMTUExceeded(let mtu):
                writer.uint16(1)
                writer.uint16(mtu)
            case .invalidChannel(let local, let remote):
                writer.uint16(2)
                writer.uint16(local)
                writer.uint16(remote)
            }
        }
    }

    /// Returns an identifier that is not 0 and not in use. The loop ends because fewer requests are permitted than
    /// there are identifiers.
    private func nextIdentifier() -> UInt8 {
        repeat { lastIdentifier = lastIdentifier == 255 ? 1 : lastIdentifier + 1 } while pending[lastIdentifier] != nil
        return lastIdentifier
    }

    // MARK: Receiving

    func receive(_ packet: ByteView) {
        var reader = ByteReader(packet)
        guard let code = reader.uint8(), let identifier = reader.uint8(), identifier != 0 else {
            return faults.add(.malformedSignal, packet)
        }
        let isAnswer = LESignalCode.responses.contains(code)
        if packet.count > Self.mtu {
            faults.add(.malformedSignal, packet)
            if !isAnswer { reject(identifier, .signallingMTUExceeded(UInt16(Self.mtu))) }
            return
        }
        // A frame contains exactly one packet.
        guard let length = reader.uint16(), Int(length) == reader.count else {
            return faults.add(.malformedSignal, packet)
        }
        if isAnswer { return receiveAnswer(code, identifier, reader.rest) }
        switch code {
        case LESignalCode.parameterUpdateRequest: receiveParameterRequest(identifier, reader)
        case LESignalCode.disconnectionRequest, LESignalCode.creditConnectionRequest, LESignalCode.flowControlCredit:
            guard let channels else { return reject(identifier, .notUnderstood) }
            channels.receiveSignal(code, identifier, reader)
        default: reject(identifier, .notUnderstood)
        }
    }

    private func receiveAnswer(_ code: UInt8, _ identifier: UInt8, _ body: ByteView) {
        guard let waiting = pending[identifier], code == waiting.response || code == LESignalCode.commandReject else {
            return faults.add(.unexpectedSignal, body)
        }
        pending[identifier] = nil
        waiting.timer.disarm()
        if code == LESignalCode.commandReject {
            waiting.completion(.failure(.unsupported("the peer rejected the request")))
        } else {
            waiting.completion(.success(body))
        }
    }

    private func timedOut(_ identifier: UInt8) {
        pending.removeValue(forKey: identifier)?.completion(.failure(.timeout))
    }

    func close(_ error: RadioError) {
        transmitter = nil
        let all = pending.keys.sorted().compactMap { pending[$0] }
        pending = [:]
        for waiting in all {
            waiting.timer.disarm()
            waiting.completion(.failure(error))
        }
    }

    // MARK: Connection parameters

    /// Requests connection parameters from the central, as peripheral (Core 6.0, Vol 3, Part A, 4.20). After an
    /// acceptance the parameters change somewhat later. A refusal is ``RadioError/controller(_:)`` with
    /// ``HCIStatus/unacceptableParameters``.
    package func requestConnectionParameters(
        _ wish: ConnectionParametersRequest, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let transmitter else { return completion(.failure(.notConnected)) }
        guard transmitter.role == .peripheral else {
            return completion(.failure(.unsupported("a central sets connection parameters instead of requesting them")))
        }
        guard wish.isValid else {
            return completion(.failure(.invalidArgument("the connection parameters are out of range")))
        }
        let finish: Completion = { result in
            completion(
                result.flatMap { body in
                    guard body.count == 2 else {
                        return .failure(.invalidResponse("the response does not have 2 octets"))
                    }
                    return body.uint16(at: 0) == 0 ? .success(()) : .failure(.controller(.unacceptableParameters))
                })
        }
        request(
            LESignalCode.parameterUpdateRequest, response: LESignalCode.parameterUpdateResponse, completion: finish
        ) { writer in
            writer.uint16(wish.intervalUnits.lowerBound)
            writer.uint16(wish.intervalUnits.upperBound)
            writer.uint16(wish.latency)
            writer.uint16(wish.timeoutUnits)
        }
    }

    private func receiveParameterRequest(_ identifier: UInt8, _ body: ByteReader) {
        var body = body
        guard let transmitter, transmitter.role == .central else { return reject(identifier, .notUnderstood) }
        guard let shortest = body.uint16(), let longest = body.uint16(), let latency = body.uint16(),
            let timeout = body.uint16(), body.isAtEnd
        else {
            faults.add(.malformedSignal)
            return reject(identifier, .notUnderstood)
        }
        var isAccepted = false
        if shortest <= longest {
            let wish = ConnectionParametersRequest(
                intervalUnits: shortest...longest, latency: latency, timeoutUnits: timeout)
            isAccepted = wish.isValid && transmitter.connectionParametersRequested(wish)
        }
        send(LESignalCode.parameterUpdateResponse, identifier) { $0.uint16(isAccepted ? 0 : 1) }
    }
}
