#if Combine
/// The last values of several upstreams, until each has sent one.
private final class LatestValues<Combined> {
    private var values: [Any?]
    private let combine: ([Any]) -> Combined?

    init(_ count: Int, _ combine: @escaping ([Any]) -> Combined?) {
        values = Array(repeating: nil, count: count)
        self.combine = combine
    }

    func hasNone(_ index: Int) -> Bool { values[index] == nil }

    func take(_ value: Any, _ index: Int) -> Combined? {
        values[index] = .some(value)
        let known = values.compactMap { $0 }
        return known.count == values.count ? combine(known) : nil
    }
}

private func gather<Downstream: Subscriber>(
    _ subscriber: Downstream, of count: Int, _ combine: @escaping ([Any]) -> Downstream.Input?
) -> Gathering<Downstream> {
    let latest = LatestValues(count, combine)
    // An upstream that ends without a value leaves nothing to combine.
    return Gathering(subscriber, of: count, keepsLatest: true, endsEarly: latest.hasNone, take: latest.take)
}

extension Publishers {
    /// Publishes the last values of two upstreams whenever one of them sends a value.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// The last values.
        public typealias Output = (A.Output, B.Output)
        /// The failure of the upstreams.
        public typealias Failure = A.Failure

        /// The first upstream.
        public let a: A
        /// The second upstream.
        public let b: B

        /// A publisher of the last values.
        public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }

        /// Subscribes to the upstreams.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let gathering = gather(subscriber, of: 2) { values -> Output? in
                guard let a = values[0] as? A.Output, let b = values[1] as? B.Output else { return nil }
                return (a, b)
            }
            subscriber.receive(subscription: gathering)
            a.subscribe(gathering.side(0, of: A.Output.self))
            b.subscribe(gathering.side(1, of: B.Output.self))
        }
    }

    /// Publishes the last values of three upstreams whenever one of them sends a value.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        /// The last values.
        public typealias Output = (A.Output, B.Output, C.Output)
        /// The failure of the upstreams.
        public typealias Failure = A.Failure

        /// The upstreams.
        public let a: A, b: B, c: C

        /// A publisher of the last values.
        public init(_ a: A, _ b: B, _ c: C) { (self.a, self.b, self.c) = (a, b, c) }

        /// Subscribes to the upstreams.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            a.combineLatest(b).combineLatest(c).map { ($0.0, $0.1, $1) }.subscribe(subscriber)
        }
    }

    /// Publishes the last values of four upstreams whenever one of them sends a value.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        /// The last values.
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        /// The failure of the upstreams.
        public typealias Failure = A.Failure

        /// The upstreams.
        public let a: A, b: B, c: C, d: D

        /// A publisher of the last values.
        public init(_ a: A, _ b: B, _ c: C, _ d: D) { (self.a, self.b, self.c, self.d) = (a, b, c, d) }

        /// Subscribes to the upstreams.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            a.combineLatest(b).combineLatest(c.combineLatest(d)).map { ($0.0, $0.1, $1.0, $1.1) }.subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Publishes the last values of this and another publisher.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure { Publishers.CombineLatest(self, other) }

    /// Publishes what `transform` makes of the last values of this and another publisher.
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }

    /// Publishes the last values of three publishers.
    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> Publishers.CombineLatest3<Self, P, Q> where P.Failure == Failure, Q.Failure == Failure {
        Publishers.CombineLatest3(self, publisher1, publisher2)
    }

    /// Publishes what `transform` makes of the last values of three publishers.
    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
    }

    /// Publishes the last values of four publishers.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
    }

    /// Publishes what `transform` makes of the last values of four publishers.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ publisher1: P, _ publisher2: Q, _ publisher3: R,
        _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}
#endif
