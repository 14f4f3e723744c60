import BluetoothModel
import BluetoothRuntime

/// The client's requests: first in, first out, one in flight.
extension ATTBearer {
    /// Sends a request, or queues it behind earlier ones.
    func request(_ request: ATTRequest, for operation: ATTOperation, completion: @escaping ATTCompletion) {
        start(ATTPendingRequest(request: request, operation: operation, completion: completion))
    }

    /// Reads a whole value; continues with Read Blob Requests when the first response fills the MTU.
    func readValue(_ handle: UInt16, for operation: ATTOperation, completion: consuming @escaping ATTCompletion) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        guard isFree(for: operation.lane) else {
            return request(.read(handle, isWhole: true), for: operation, completion: completion)
        }
        // Fast path for the most frequent operation: the request is encoded on the stack and sent without being queued.
        watch(operation.deadline)
        expectResponse(
            ATTRequestOnAir(opcode: .readRequest, readHandle: handle, operation: operation, completion: completion))
        withUnsafeTemporaryAllocation(byteCount: 3, alignment: 1) { packet in
            packet[0] = ATTOpcode.readRequest.rawValue
            packet[1] = UInt8(truncatingIfNeeded: handle)
            packet[2] = UInt8(truncatingIfNeeded: handle >> 8)
            channel.send(ByteView(UnsafeRawBufferPointer(packet)))
        }
    }

    /// True if a request of this lane would be sent immediately.
    private func isFree(for lane: ATTOperation.Lane) -> Bool {
        awaitedRequest == 0 && queue.isEmpty(upTo: lane)
    }

    private func start(_ pending: ATTPendingRequest) {
        guard isOpen else { return pending.completion(.failure(.notConnected)) }
        watch(pending.operation.deadline)
        if isFree(for: pending.operation.lane) { transmit(pending) } else { queue.append(pending) }
    }

    /// Sends the next request of a procedure before queued requests of the same lane, so that procedures do not
    /// interleave.
    func proceed(_ request: ATTRequest, for operation: ATTOperation, completion: @escaping ATTCompletion) {
        guard isOpen else { return completion(.failure(.notConnected)) }
        let pending = ATTPendingRequest(request: request, operation: operation, completion: completion)
        watch(operation.deadline)
        if awaitedRequest == 0, !queue.holdsUp(operation.lane) { transmit(pending) } else { queue.prepend(pending) }
    }

    private func transmit(_ pending: ATTPendingRequest) {
        writer.reset()
        pending.request.encode(into: &writer)
        var readHandle: UInt16?
        if case .read(let handle, isWhole: true) = pending.request { readHandle = handle }
        expectResponse(
            ATTRequestOnAir(
                opcode: pending.request.opcode, readHandle: readHandle, operation: pending.operation,
                completion: pending.completion))
        writer.withUncountedView { channel.send($0) }
    }

    /// Records a request as the one in flight and starts its transaction timeout.
    private func expectResponse(_ request: consuming ATTRequestOnAir) {
        awaitedRequest = request.opcode.rawValue
        slot = .waiting(request)
        transactionDeadline = RadioInstant(nanoseconds: channel.now.nanoseconds &+ Self.transactionTimeout)
        if !transactionTimer.isArmed { transactionTimer.arm(at: transactionDeadline) }
    }

    private func sendNext() {
        guard isOpen, awaitedRequest == 0 else { return }
        if let pending = queue.popFirst() { transmit(pending) }
    }

    // MARK: Responses

    func receiveResponse(_ opcode: ATTOpcode, _ packet: ByteView) {
        guard awaitedRequest != 0 else { return faults.add(.unexpectedResponse, packet) }
        let isError = opcode == .errorResponse
        var isOutOfSync = false
        if isError {
            guard packet.count == 5 else { return faults.add(.malformedAttribute, packet) }
            guard packet[1] == awaitedRequest else { return faults.add(.unexpectedResponse, packet) }
            // Of a change that was announced during the request, the client knows the range.
            isOutOfSync =
                ATTErrorCode(rawValue: packet[4]) == .databaseOutOfSync && slot.operationID != operationDuringChange
        } else {
            // A response has its request's opcode plus one.
            guard opcode.rawValue == awaitedRequest + 1 else { return faults.add(.unexpectedResponse, packet) }
        }
        let answered = slot.take()
        awaitedRequest = 0
        // The server sends this error only once, perhaps to a request that its caller has abandoned.
        if isOutOfSync { client?.databaseIsOutOfSync() }
        if let request = answered {
            if isError {
                finish(request, ATTErrorCode(rawValue: packet[4]), handle: packet.uint16(at: 2))
            } else if let handle = request.readHandle, packet.count >= mtu {
                LongRead(
                    handle: handle, beginning: packet.dropFirst(1), bearer: self, operation: request.operation,
                    completion: request.completion
                ).proceed()
            } else {
                request.completion(.success(packet.dropFirst(1)))
            }
        } else if opcode == .exchangeMTUResponse, packet.count == 3 {
            // The caller has abandoned the exchange, but the peer uses the MTU it sent.
            setMTU(min(localMTU, Int(packet.uint16(at: 1))))
        }
        if awaitedRequest == 0 { sendNext() }
    }

    private func finish(_ request: consuming ATTRequestOnAir, _ code: ATTErrorCode, handle: UInt16) {
        let error = RadioError.att(code, handle: handle)
        let completion = request.completion
        if code.asksForSecurity, let client, let what = request.readHandle {
            let isRaised = client.raise(error, for: request.operation) {
                completion(.failure($0))
            } again: {
                [self] in
                readValue(what, for: $0, completion: completion)
            }
            if isRaised { return }
        }
        completion(.failure(error))
    }

    // MARK: Cancellation

    /// Ends an operation with an error and returns true; returns false if the operation is unknown. A request in flight
    /// keeps its slot until its response arrives, which is discarded.
    @discardableResult
    func abandon(_ id: LinkOperationID, _ error: RadioError) -> Bool {
        if slot.operation?.id == id, let request = slot.take() {
            slot = .abandoned(request.opcode, id)
            request.completion(.failure(error))
            return true
        }
        if let pending = queue.remove(id) {
            pending.completion(.failure(error))
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

    /// Arms the deadline timer for `deadline`, unless it is already armed for an earlier time.
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
        var expired: [LinkOperationID] = []
        func look(at operation: ATTOperation) {
            if let deadline = operation.deadline, deadline <= now { expired.append(operation.id) }
        }
        if let operation = slot.operation { look(at: operation) }
        queue.operations.forEach(look)
        expired += outbox.expired(at: now)
        for id in expired { abandon(id, .timeout) }
        client?.endRaising(at: now)
        client?.follower?.endWaiting(at: now)
        // Completions called above may have armed the timer for operations of their own; `watch` keeps the earliest
        // deadline.
        if let operation = slot.operation { watch(operation.deadline) }
        for operation in queue.operations { watch(operation.deadline) }
        watch(outbox.earliestDeadline)
        if let client {
            for operation in client.raising.values { watch(operation.deadline) }
            for one in client.follower?.waiting ?? [] { watch(one.operation.deadline) }
        }
    }

    /// The client's operations that are in flight or queued.
    var waitingOperations: [LinkOperationID] {
        (slot.operation.map { [$0.id] } ?? []) + queue.operations.map(\.id) + outbox.operations
    }

    // MARK: MTU

    /// Exchanges the MTU (Core 6.0, Vol 3, Part F, 3.4.2) once; later calls complete with the agreed value.
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

    /// Sets the MTU, raised to ``minimumMTU`` when the peer sent a smaller value, and notifies the client of a change.
    func setMTU(_ value: Int) {
        let value = max(value, Self.minimumMTU)
        guard value != mtu else { return }
        currentMTU = value
        client?.mtuChanged(value)
    }
}
