import BluetoothModel

/// The write of one characteristic's configuration descriptor.
extension GATTSubscriptionTable {
    /// Brings what the server was told in line with what the consumers need.
    ///
    /// - Parameter isContinuing: whether this is the next step of what was begun before. It goes out before everybody
    ///   else's requests then: what the user asks for after subscribing finds the subscription made.
    func work(on entry: Entry, isContinuing: Bool = false) {
        guard !entry.isWriting, !entry.isDropped else { return }
        let desired = entry.desired
        guard entry.written != desired else { return settle(entry) }
        entry.isWriting = true
        let asked = Set(entry.consumers.map(\.id) + entry.leavers.map(\.id))
        let operation = client.bearer.makeOperation(timeout: nil)
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
                // Where nothing can be sent any more, it concerns those who came later as well.
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

    /// The server knows what everybody needs.
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

    /// Ends those who were waiting when the write went out; whoever came later gets a write of its own.
    private func fail(_ entry: Entry, _ error: RadioError, _ isConcerned: (ATTOperationID) -> Bool) {
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

    /// Nobody is left; an entry that took its place meanwhile stays.
    private func remove(_ entry: Entry) {
        let handle = entry.characteristic.valueHandle
        guard entries[handle] === entry else { return }
        entry.isDropped = true
        entries[handle] = nil
    }
}

extension GATTClient {
    /// Hears the values of a characteristic (Core 6.0, Vol 3, Part G, 4.10 and 4.11).
    ///
    /// `receive` is attached before the server is told, so the first value is heard, and stays attached until
    /// ``unsubscribe(_:timeout:completion:)`` or a failure. Several may subscribe to one characteristic: the server is
    /// told with the first and with the last. Without `cccd`, the handle of the configuration descriptor, it is looked
    /// for. The result names the subscription, and the operation until it is acknowledged.
    @discardableResult
    public func subscribe(
        to characteristic: GATTCharacteristic, cccd: UInt16? = nil, kind: GATTSubscriptionKind = .any,
        timeout: Duration? = nil, receive: @escaping (ByteView) -> Void,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        subscribe(
            to: characteristic, cccd: cccd, kind: kind, for: operation, receive: receive, completion: completion)
        return operation.id
    }

    /// Ends a subscription: its values are heard no more from now on; completes when the server knows, if it has to.
    @discardableResult
    public func unsubscribe(
        _ subscription: ATTOperationID, timeout: Duration? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) -> ATTOperationID {
        let operation = bearer.makeOperation(timeout: timeout)
        if abandonRaising(subscription, .cancelled) {
            completion(.success(()))
            return operation.id
        }
        subscriptions.unsubscribe(subscription, for: operation, completion: completion)
        return operation.id
    }

    /// Ends all subscriptions, acknowledged by the server, for instance before a deliberate disconnection. It ends in
    /// any case, at the latest with the timeout of each.
    public func unsubscribeAll(timeout: Duration? = nil, completion: @escaping () -> Void) {
        subscriptions.unsubscribeAll(except: follower?.changedHandle, timeout: timeout, completion: completion)
    }
}
