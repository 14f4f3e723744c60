import BluetoothModel

/// Values that go out without being asked for.
extension GATTServer {
    /// Ends when the last of several is done: with the first failure that is not the end of a link, else with success.
    private final class Gathering {
        private var left: Int
        private var failure: RadioError?
        private let completion: (Result<Void, RadioError>) -> Void

        init(_ count: Int, _ completion: @escaping (Result<Void, RadioError>) -> Void) {
            left = count
            self.completion = completion
        }

        func done(_ result: Result<Void, RadioError>) {
            if case .failure(let error) = result, failure == nil {
                switch error {
                // Whoever is gone is no subscriber any more.
                case .disconnected, .notConnected: break
                default: failure = error
                }
            }
            left -= 1
            guard left == 0 else { return }
            completion(failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Sends a value to the subscribers of a characteristic, or to those of them in `sessions`
    /// (Core 6.0, Vol 3, Part G, 4.10 and 4.11).
    ///
    /// `any` sends a notification to those who asked for notifications and an indication to the others; the other kinds
    /// leave out who did not ask for that kind. What does not fit a packet is cut off. It completes when every link has
    /// taken its notification and every indication was confirmed; at once where nobody is concerned.
    ///
    /// Each client has queues of its own: one that takes nothing delays the completion, and no other client.
    public func send(
        _ bytes: [UInt8], for valueHandle: UInt16, to sessions: [GATTServerSession]? = nil,
        kind: GATTSubscriptionKind = .any, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let all = sessions ?? clients
        if all.count == 1 {
            return all[0].send(bytes, for: valueHandle, kind: kind, completion: completion)
        }
        let gathering = Gathering(all.count + 1, completion)
        for session in all { session.send(bytes, for: valueHandle, kind: kind, completion: gathering.done) }
        gathering.done(.success(()))
    }

    /// Sends several values to those who subscribed to them with notifications: in as few packets as possible to
    /// clients that can take them apart, one by one to the others (Core 6.0, Vol 3, Part G, 4.10.2).
    public func sendMultiple(
        _ values: [(handle: UInt16, bytes: [UInt8])], to sessions: [GATTServerSession]? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let all = sessions ?? self.sessions
        let gathering = Gathering(all.count + 1, completion)
        for session in all { session.sendMultiple(values, completion: gathering.done) }
        gathering.done(.success(()))
    }
}
