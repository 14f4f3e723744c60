import BluetoothBackend
import BluetoothHost
import BluetoothModel

/// The subscriptions of the link's users.
extension HostLink {
    func makeSubscriptions() -> SubscriptionRegistry {
        let subscriptions = SubscriptionRegistry { [weak self] request, completion in
            guard let self, let characteristic = subscribed[request.characteristic.handle] else {
                return completion(.failure(.notConnected))
            }
            gatt.configure(
                characteristic, request.kinds, isNext: request.isNext, isWanted: request.isWanted,
                completion: completion)
        }
        subscriptions.onRefusal = { [weak self] error, operation, again in
            guard let self, case .att(let code, _) = error, code.asksForSecurity else { return false }
            operation.onAbandon = { [weak self] in self?.pairingAbandoned() }
            raiseSecurity(after: error, for: operation.owner as? RadioUser) { result in
                if case .failure(let error) = result { operation.complete(.failure(error)) } else { again() }
            }
            return true
        }
        return subscriptions
    }

    func subscribe(
        _ operation: LinkOperation<Void>, to id: AttributeID, kind: SubscriptionKind,
        receive: @escaping (ByteView) -> Void
    ) {
        guard let characteristic = characteristic(id) else {
            return operation.complete(.failure(.att(.invalidHandle, handle: 0)))
        }
        let offered = GATTSubscription(offeredBy: characteristic.properties)
        guard kind != .any || !offered.isEmpty else {
            let problem = "the characteristic supports neither notifications nor indications"
            return operation.complete(.failure(.unsupported(problem)))
        }
        subscribed[id.handle] = characteristic
        subscriptions.subscribe(
            operation, to: id, kind: kind, usual: offered.contains(.notifications) ? .notifications : .indications,
            receive: receive)
    }

    /// Ends the subscriptions in a range of handles that have become invalid.
    func endSubscriptions(in range: ClosedRange<UInt16>) {
        for handle in subscribed.keys.sorted() where range.contains(handle) {
            subscribed[handle] = nil
            subscriptions.end(AttributeID(handle), .att(.databaseOutOfSync, handle: handle))
        }
    }
}
