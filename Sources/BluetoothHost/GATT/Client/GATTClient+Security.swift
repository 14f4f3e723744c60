import BluetoothModel
import BluetoothRuntime

/// An operation that waits for a higher security level of the link.
struct RaisedOperation {
    let deadline: RadioInstant?
    let fail: (RadioError) -> Void
}

/// Operations that the server refuses for lack of security (Core 6.0, Vol 3, Part C, 10.3.2).
extension GATTClient {
    /// Requests a higher security level of the link and then repeats the operation once. Returns false if the error or
    /// the operation does not permit this.
    ///
    /// Meanwhile the operation's deadline applies, and the operation can be abandoned.
    func raise(
        _ error: RadioError, for operation: ATTOperation, fail: @escaping (RadioError) -> Void,
        again: @escaping (ATTOperation) -> Void
    ) -> Bool {
        guard case .att(let code, _) = error, code.asksForSecurity, let onSecurityDemand, isOpen,
            !operation.isRepeated, operation.lane == .normal
        else { return false }
        let id = operation.id
        if id == operationDuringSecurityChange {
            // The server refused the request before it, too, knew the new security level.
            operationDuringSecurityChange = nil
            again(operation)
            return true
        }
        raising[id] = RaisedOperation(deadline: operation.deadline, fail: fail)
        bearer.watch(operation.deadline)
        onSecurityDemand(error, id.caller) { [weak self] result in
            guard let self, let raised = raising.removeValue(forKey: id) else { return }
            switch result {
            case .failure(let error): raised.fail(error)
            case .success:
                var repeated = operation
                repeated.isRepeated = true
                again(repeated)
            }
        }
        return true
    }

    /// Called when the security level of the link has changed.
    func securityChanged() {
        operationDuringSecurityChange = bearer.slot.operation?.id
        follower?.securityChanged()
    }

    /// Ends an operation that waits for security; returns false if there is no such operation.
    func abandonRaising(_ operation: LinkOperationID, _ error: RadioError) -> Bool {
        guard let raised = raising.removeValue(forKey: operation) else { return false }
        raised.fail(error)
        onSecurityDemandAbandoned?()
        return true
    }

    /// Ends the waiting operations whose deadline has passed.
    func endRaising(at now: RadioInstant) {
        for (id, raised) in raising where raised.deadline.map({ $0 <= now }) ?? false {
            _ = abandonRaising(id, .timeout)
        }
    }

    /// Writes a value that fits into one packet.
    func write(
        _ handle: UInt16, _ bytes: [UInt8], for operation: ATTOperation,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        bearer.request(.write(handle, bytes), for: operation) { [self] result in
            guard case .failure(let error) = result else { return completion(.success(())) }
            let isRaised = raise(error, for: operation) {
                completion(.failure($0))
            } again: { [self] in
                write(handle, bytes, for: $0, completion: completion)
            }
            if !isRaised { completion(.failure(error)) }
        }
    }

    /// Writes values in parts with the prepare queue.
    func writeReliably(
        _ values: [(handle: UInt16, bytes: [UInt8])], from start: Int = 0, for operation: ATTOperation,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        LongWrite(values, from: start, bearer: bearer, operation: operation) { [self] result in
            guard case .failure(let error) = result else { return completion(result) }
            let isRaised = raise(error, for: operation) {
                completion(.failure($0))
            } again: { [self] in
                writeReliably(values, from: start, for: $0, completion: completion)
            }
            if !isRaised { completion(result) }
        }.begin()
    }
}
