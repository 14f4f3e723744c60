import BluetoothModel

/// Notifications and indications.
extension GATTServer {
    /// Completes after several operations: with the first error other than a disconnection, otherwise with success.
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
                // A disconnected client is no longer a subscriber.
                case .disconnected, .notConnected: break
                default: failure = error
                }
            }
            left -= 1
            guard left == 0 else { return }
            completion(failure.map { .failure($0) } ?? .success(()))
        }
    }

    /// Sends a value to the subscribers of a characteristic, limited to `sessions` if not nil (Core 6.0, Vol 3, Part G,
    /// 4.10 and 4.11).
    ///
    /// With `any`, clients that subscribed to notifications get a notification, the others an indication; with another
    /// kind, only the subscribers of that kind get the value. The value is truncated to the packet. Completes when
    /// every link has accepted its notification and every indication is confirmed, or immediately if there are no
    /// subscribers.
    ///
    /// Each client has its own queues: a stalled client delays the completion, but no other client.
    package func send(
        _ bytes: [UInt8], for valueHandle: UInt16, to sessions: [GATTServerSession]? = nil,
        kind: SubscriptionKind = .any, completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let all = sessions ?? clients
        if all.count == 1 {
            return all[0].send(bytes, for: valueHandle, kind: kind, completion: completion)
        }
        let gathering = Gathering(all.count + 1, completion)
        for session in all { session.send(bytes, for: valueHandle, kind: kind, completion: gathering.done) }
        gathering.done(.success(()))
    }

    /// Sends several values to the clients that subscribed to notifications of them: in as few packets as possible to
    /// clients that support Multiple Handle Value Notifications, in separate packets to the others (Core 6.0, Vol 3,
    /// Part G, 4.10.2).
    package func sendMultiple(
        _ values: [(handle: UInt16, bytes: [UInt8])], to sessions: [GATTServerSession]? = nil,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        let all = sessions ?? self.sessions
        let gathering = Gathering(all.count + 1, completion)
        for session in all { session.sendMultiple(values, completion: gathering.done) }
        gathering.done(.success(()))
    }
}
