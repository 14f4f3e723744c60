import BluetoothModel

/// The writes of a characteristic's client configuration descriptor.
extension GATTSubscriptionTable {
    /// Writes the descriptor if its value differs from what the consumers need.
    ///
    /// - Parameter isContinuing: True for the next step of an earlier write. It is then sent before queued requests, so
    ///   that requests made after subscribing find the subscription active.
    func work(on entry: Entry, isContinuing: Bool = false) {
        guard !entry.isWriting, !entry.isDropped else { return }
        let desired = entry.desired
        guard entry.written != desired else { return settle(entry) }
        entry.isWriting = true
        let asked = Set(entry.consumers.map(\.id) + entry.leavers.map(\.id))
        let operation = client.bearer.makeOperation(timeout: nil, hasCaller: false)
        let value = [UInt8(truncatingIfNeeded: desired.rawValue), 0]
        let completion: ATTCompletion = { [self] result in
            entry.isWriting = false
            guard !entry.isDropped else { return }
            switch result {
            case .success:
                entry.written = desired
                work(on: entry, isContinuing: true)
            case .failure(let error):
                entry.written = nil
                // If the link is closed, consumers that joined after the write fail as well.
                fail(entry, error) { self.client.isOpen ? asked.contains($0) : true }
            }
        }
        let request = ATTRequest.write(entry.descriptor, value)
        if isContinuing {
            client.bearer.proceed(request, for: operation, completion: completion)
        } else {
            client.bearer.request(request, for: operation, completion: completion)
        }
    }

    /// Completes the waiting consumers and leavers once the descriptor has the desired value.
    private func settle(_ entry: Entry) {
        var completions = entry.leavers.map(\.completion)
        entry.leavers = []
        for index in entry.consumers.indices {
            guard case .waiting(_, let completion) = entry.consumers[index].state else { continue }
            entry.consumers[index].state = .active
            completions.append(completion)
        }
        if entry.consumers.isEmpty { remove(entry) }
        for completion in completions { completion(.success(())) }
    }

    /// Fails those that were waiting when the write was sent. Consumers that joined later get another write.
    private func fail(_ entry: Entry, _ error: RadioError, _ isConcerned: (LinkOperationID) -> Bool) {
        var completions: [Completion] = []
        entry.leavers.removeAll { leaver in
            guard isConcerned(leaver.id) else { return false }
            completions.append(leaver.completion)
            return true
        }
        entry.consumers.removeAll { consumer in
            guard isConcerned(consumer.id), case .waiting(_, let completion) = consumer.state else { return false }
            client.values.remove(consumer.id)
            completions.append(completion)
            return true
        }
        let somebodyWaits =
            !entry.leavers.isEmpty
            || entry.consumers.contains { if case .waiting = $0.state { true } else { false } }
        if entry.consumers.isEmpty, entry.leavers.isEmpty { remove(entry) }
        for completion in completions { completion(.failure(error)) }
        if somebodyWaits { work(on: entry, isContinuing: true) }
    }

    /// Removes an entry without consumers, unless another entry has taken its place.
    private func remove(_ entry: Entry) {
        let handle = entry.characteristic.valueHandle
        guard entries[handle] === entry else { return }
        entry.isDropped = true
        entries[handle] = nil
    }
}

extension GATTClient {
    /// Subscribes to the values of a characteristic (Core 6.0, Vol 3, Part G, 4.10 and 4.11).
    ///
    /// `receive` is registered before the descriptor is written, so that it receives the first value, and stays
    /// registered until ``unsubscribe(_:timeout:completion:)`` or a failure. A characteristic can have several
    /// subscriptions: the descriptor is written for the first and after the last. Without `cccd`, the handle of the
    /// client configuration descriptor, the descriptor is discovered. The result identifies the subscription, and also
    /// the operation until it completes.
    @discardableResult
    package func subscribe(
        to characteristic: GATTCharacteristic, cccd: UInt16? = nil, kind: GATTSubscriptionKind = .any,
        timeout: Duration? = nil, receive: @escaping (ByteView) -> Void,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        subscribe(
            to: characteristic, cccd: cccd, kind: kind, for: operation, receive: receive, completion: completion)
        return operation.id
    }

    /// Ends a subscription: `receive` is not called any more. Completes when the server has acknowledged the change, or
    /// immediately if the descriptor need not be written.
    @discardableResult
    package func unsubscribe(
        _ subscription: LinkOperationID, timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> LinkOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if abandonRaising(subscription, .cancelled) {
            completion(.success(()))
            return operation.id
        }
        subscriptions.unsubscribe(subscription, for: operation, completion: completion)
        return operation.id
    }

    /// Ends all subscriptions, acknowledged by the server, for example before a deliberate disconnection. Always
    /// completes, at the latest after `timeout` or the protocol's own timeout.
    package func unsubscribeAll(timeout: Duration? = nil, completion: @escaping () -> Void) {
        subscriptions.unsubscribeAll(except: follower?.changedHandle, timeout: timeout, completion: completion)
    }
}
