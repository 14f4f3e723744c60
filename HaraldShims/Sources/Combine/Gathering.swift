#if Combine
import Foundation

/// The subscription of a downstream to values of several upstreams, or of one that is not a publisher.
///
/// Proof of `@unchecked Sendable`: `lock` guards all mutable state. It is recursive, because a downstream may request
/// more, or cancel, while it receives a value; `isDelivering` keeps the values in order then.
final class Gathering<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    /// An upstream.
    struct Side<Input>: Subscriber {
        typealias Failure = Downstream.Failure

        let combineIdentifier = CombineIdentifier()
        fileprivate let index: Int
        fileprivate let gathering: Gathering

        func receive(subscription: any Subscription) { gathering.began(subscription, index) }
        func receive(_ input: Input) -> Subscribers.Demand { gathering.received(input, index) }
        func receive(completion: Subscribers.Completion<Failure>) { gathering.ended(completion, index) }
    }

    private let lock = NSRecursiveLock()
    private var downstream: Downstream?
    private var subscriptions: [(any Subscription)?]
    private var isOver: [Bool]
    private var demand = Subscribers.Demand.none
    private var waiting: [(value: Downstream.Input, index: Int)] = []
    private var isDelivering = false
    private let keepsLatest: Bool
    private let take: (Any, Int) -> Downstream.Input?
    private let endsEarly: (Int) -> Bool

    /// - Parameters:
    ///   - count: the number of upstreams.
    ///   - keepsLatest: true to keep only the last value while there is no demand; otherwise each upstream waits until
    ///     its value was received.
    ///   - take: returns the value for the downstream, if there is one, when an upstream has sent one.
    ///   - endsEarly: returns true if the end of an upstream ends everything.
    init(
        _ downstream: Downstream, of count: Int, keepsLatest: Bool, endsEarly: @escaping (Int) -> Bool = { _ in false },
        take: @escaping (Any, Int) -> Downstream.Input?
    ) {
        self.downstream = downstream
        subscriptions = Array(repeating: nil, count: count)
        isOver = Array(repeating: false, count: count)
        self.keepsLatest = keepsLatest
        self.take = take
        self.endsEarly = endsEarly
    }

    func side<Input>(_ index: Int, of type: Input.Type) -> Side<Input> { Side(index: index, gathering: self) }

    private func locked<Value>(_ body: () -> Value) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    // MARK: From upstream

    func began(_ subscription: any Subscription, _ index: Int) {
        let isWanted = locked { () -> Bool in
            guard downstream != nil, subscriptions[index] == nil else { return false }
            subscriptions[index] = subscription
            return true
        }
        if isWanted { subscription.request(keepsLatest ? .unlimited : .max(1)) } else { subscription.cancel() }
    }

    func received(_ value: Any, _ index: Int) -> Subscribers.Demand {
        locked {
            guard downstream != nil, let value = take(value, index) else { return .none }
            if keepsLatest { waiting = [] }
            waiting.append((value, index))
            deliver()
            return .none
        }
    }

    func ended(_ completion: Subscribers.Completion<Downstream.Failure>, _ index: Int) {
        locked {
            isOver[index] = true
            subscriptions[index] = nil
            if case .failure = completion {
                finish(completion)
            } else if isOver.allSatisfy({ $0 }) || endsEarly(index) {
                // The rest is received first, where it is not replaced by what follows.
                if waiting.isEmpty || endsEarly(index) { finish(completion) }
            }
        }
    }

    // MARK: From downstream

    func request(_ demand: Subscribers.Demand) {
        locked {
            self.demand += demand
            deliver()
        }
    }

    func cancel() { locked { end() } }

    /// To be called with the lock.
    private func deliver() {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while demand > .none, !waiting.isEmpty, let downstream {
            let (value, index) = waiting.removeFirst()
            demand -= 1
            demand += downstream.receive(value)
            if !keepsLatest { subscriptions[index]?.request(.max(1)) }
        }
        if waiting.isEmpty, isOver.allSatisfy({ $0 }) { finish(.finished) }
    }

    /// To be called with the lock.
    private func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        let downstream = downstream
        end()
        downstream?.receive(completion: completion)
    }

    /// To be called with the lock.
    private func end() {
        let open = subscriptions
        downstream = nil
        waiting = []
        subscriptions = Array(repeating: nil, count: open.count)
        for subscription in open { subscription?.cancel() }
    }
}
#endif
