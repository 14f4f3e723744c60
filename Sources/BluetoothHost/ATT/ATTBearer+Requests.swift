import BluetoothModel
import BluetoothRuntime

/// The client's requests: first in, first out; one on the air.
extension ATTBearer {
    /// Sends a request, or queues it behind the others.
    func request(_ request: ATTRequest, for operation: ATTOperation, completion: @escaping ATTCompletion) {
        start(ATTPendingRequest(request: request, operation: operation, completion: completion))
    }

    /// Reads a value; the client takes over where the response fills the packet and there may be more.
    func readValue(_ handle: UInt16, for operation: ATTOperation, completion: @escaping ATTCompletion) {
        start(
            ATTPendingRequest(
                request: .read(handle), operation: operation, continuesLongValue: true, completion: completion))
    }

    private func start(_ pending: ATTPendingRequest) {
        guard isOpen else { return pending.completion(.failure(.notConnected)) }
        watch(pending.operation.deadline)
        if slot.isIdle, queue.isEmpty, pending.operation.lane == .normal || backgroundQueue.isEmpty {
            transmit(pending)
        } else if pending.operation.lane == .normal {
            queue.append(pending)
        } else {
            backgroundQueue.append(pending)
        }
    }

    /// Sends the next request of a procedure before those of anybody else, so that procedures do not mix.
    func proceed(_ request: ATTRequest, for operation: ATTOperation, completion: @escaping ATTCompletion) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        let pending = ATTPendingRequest(request: request, operation: operation, completion: completion)
        watch(operation.deadline)
        if slot.isIdle, operation.lane == .normal || queue.isEmpty {
            transmit(pending)
        } else if operation.lane == .normal {
            queue.prepend(pending)
        } else {
            backgroundQueue.prepend(pending)
        }
    }

    private func transmit(_ pending: ATTPendingRequest) {
        writer.reset()
        pending.request.encode(into: &writer)
        slot = .waiting(pending)
        transactionTimer.arm(at: RadioInstant(nanoseconds: channel.now.nanoseconds &+ Self.transactionTimeout))
        writer.withByteView { channel.send($0) }
    }

    private func sendNext() {
        guard isOpen, slot.isIdle else { return }
        if let pending = queue.popFirst() ?? backgroundQueue.popFirst() {
            transmit(pending)
        } else if armedDeadline != nil, outbox.isEmpty {
            armedDeadline = nil
            deadlineTimer.disarm()
        }
    }

    // MARK: Responses

    func receiveResponse(_ opcode: ATTOpcode, _ packet: ByteView) {
        let expected: ATTOpcode
        switch slot {
        case .idle: return faults.add(.unexpectedResponse)
        case .abandoned(let request): expected = request
        case .waiting(let pending): expected = pending.request.opcode
        }
        let isError = opcode == .errorResponse
        if isError {
            guard packet.count == 5 else { return faults.add(.malformedAttribute) }
            guard packet[1] == expected.rawValue else { return faults.add(.unexpectedResponse) }
        } else {
            // A response has the opcode after its request's.
            guard opcode.rawValue == expected.rawValue + 1 else { return faults.add(.unexpectedResponse) }
        }
        let current = slot
        slot = .idle
        transactionTimer.disarm()
        if case .waiting(let pending) = current {
            if isError {
                finish(pending, ATTErrorCode(rawValue: packet[4]), handle: packet.uint16(at: 2))
            } else if pending.continuesLongValue, packet.count >= mtu {
                continueValue(pending, packet.dropFirst(1))
            } else {
                pending.completion(.success(packet.dropFirst(1)))
            }
        } else if opcode == .exchangeMTUResponse, packet.count == 3 {
            // Nobody waits for it any more, but the peer keeps to it.
            setMTU(min(localMTU, Int(packet.uint16(at: 1))))
        }
        sendNext()
    }

    private func finish(_ pending: ATTPendingRequest, _ code: ATTErrorCode, handle: UInt16) {
        if code == .databaseOutOfSync { client?.databaseIsOutOfSync() }
        pending.completion(.failure(.att(code, handle: handle)))
    }

    private func continueValue(_ pending: ATTPendingRequest, _ beginning: ByteView) {
        guard case .read(let handle) = pending.request else { return pending.completion(.success(beginning)) }
        LongRead(
            handle: handle, beginning: beginning, bearer: self, operation: pending.operation,
            completion: pending.completion
        ).proceed()
    }

    // MARK: Giving up

    /// Ends an operation for its caller; true when there was one. Its request, if it is on the air, stays there until
    /// the response comes, which is discarded.
    @discardableResult
    func abandon(_ id: ATTOperationID, _ error: RadioError) -> Bool {
        if case .waiting(let pending) = slot, pending.operation.id == id {
            slot = .abandoned(pending.request.opcode)
            pending.completion(.failure(error))
            return true
        }
        if let index = queue.firstIndex(where: { $0.operation.id == id }) {
            queue.remove(at: index).completion(.failure(error))
            return true
        }
        if let index = backgroundQueue.firstIndex(where: { $0.operation.id == id }) {
            backgroundQueue.remove(at: index).completion(.failure(error))
            return true
        }
        if let item = outbox.remove(id) {
            item.completion(.failure(error))
            return true
        }
        if let completion = indications.abandon(id) {
            completion(.failure(error))
            return true
        }
        return false
    }

    /// Sees to it that somebody looks at the operations at `deadline`.
    func watch(_ deadline: RadioInstant?) {
        guard let deadline else { return }
        if let armedDeadline, armedDeadline <= deadline { return }
        armedDeadline = deadline
        deadlineTimer.arm(at: deadline)
    }

    func deadlinePassed() {
        guard isOpen else { return }
        armedDeadline = nil
        let now = channel.now
        var expired: [ATTOperationID] = []
        func look(at operation: ATTOperation) {
            if let deadline = operation.deadline, deadline <= now { expired.append(operation.id) }
        }
        if case .waiting(let pending) = slot { look(at: pending.operation) }
        for pending in queue { look(at: pending.operation) }
        for pending in backgroundQueue { look(at: pending.operation) }
        expired += outbox.expired(at: now)
        for id in expired { abandon(id, .timeout) }
        // Whoever was asked in between may have watched a deadline of its own already.
        if case .waiting(let pending) = slot { watch(pending.operation.deadline) }
        for pending in queue { watch(pending.operation.deadline) }
        for pending in backgroundQueue { watch(pending.operation.deadline) }
        watch(outbox.earliestDeadline)
    }

    // MARK: MTU

    /// Agrees on the MTU (Core 6.0, Vol 3, Part F, 3.4.2), once; later calls answer with what was agreed on.
    func exchangeMTU(for operation: ATTOperation, completion: @escaping (Result<Int, RadioError>) -> Void) {
        switch mtuExchange {
        case .done: return completion(isOpen ? .success(mtu) : .failure(.notConnected))
        case .asked(let others): mtuExchange = .asked(others + [completion])
        case .notAsked:
            mtuExchange = .asked([completion])
            request(.exchangeMTU(UInt16(localMTU)), for: operation) { [self] in finishExchange($0) }
        }
    }

    private func finishExchange(_ result: Result<ByteView, RadioError>) {
        guard case .asked(let completions) = mtuExchange else { return }
        mtuExchange = .done
        let answer: Result<Int, RadioError>
        switch result {
        case .success(let body) where body.count == 2:
            setMTU(min(localMTU, Int(body.uint16(at: 0))))
            answer = .success(mtu)
        case .success:
            answer = .failure(.invalidResponse("the MTU response has the wrong length"))
        case .failure(.att(.requestNotSupported, _)):
            answer = .success(mtu)
        case .failure(let error):
            answer = .failure(error)
        }
        for completion in completions { completion(answer) }
    }

    /// Takes over a new MTU; one below the least that every device has is a mistake of the peer and counts as that.
    func setMTU(_ value: Int) {
        let value = max(value, Self.minimumMTU)
        guard value != mtu else { return }
        mtu = value
        client?.mtuChanged(value)
    }
}
