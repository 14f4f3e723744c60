import Forwarding
import HealthHub

/// Delivers messages to a receiver.
protocol ReceiverClient: Sendable {
    /// Woken when the receiver is connected, so that the data of deleted people is removed at once.
    var connections: Wakes { get }
    func deliver(_ message: OutboxMessage) async -> Delivery
    /// Removes the data of deleted people from the receiver.
    /// - Parameter busy: the people for whom messages are delivered meanwhile. Their data is not removed.
    func clean(except busy: Set<Int64>) async
    func close() async
    /// Removes all data of this hub from the receiver, because the receiver was removed, and closes.
    func retire() async
}

extension ReceiverClient {
    var connections: Wakes { Wakes() }
    func clean(except busy: Set<Int64>) async {}
    func retire() async { await close() }
}

extension Receiver {
    /// Creates the client that delivers to the receiver.
    /// - Parameter limit: the time limit for a request with its whole response; shorter than ``HubStore/leaseTime``.
    func client(store: HubStore, limit: Duration = .seconds(45)) -> any ReceiverClient {
        switch kind.form.transport {
        case .http(let kind): HTTPReceiver(self, kind, limit: limit)
        case .mqtt: MQTTReceiver(self, store: store)
        }
    }
}

/// Delivers to an HTTP server.
struct HTTPReceiver: ReceiverClient {
    private let receiver: Receiver
    private let kind: any HTTPReceiverKind
    private let poster: HTTPPoster

    init(_ receiver: Receiver, _ kind: any HTTPReceiverKind, limit: Duration) {
        (self.receiver, self.kind) = (receiver, kind)
        poster = HTTPPoster(
            url: receiver.url, token: receiver.options.token, certificates: receiver.options.certificates,
            agent: "harald-hub", limit: limit)
    }

    func close() async { await poster.close() }

    func deliver(_ message: OutboxMessage) async -> Delivery {
        guard let form = kind.request(for: message, to: receiver) else { return .delivered }
        let (delivery, answer) = await poster.post(form.body.text, headers: form.headers)
        return delivery == .delivered ? kind.result(of: form, answer: answer) : delivery
    }
}
