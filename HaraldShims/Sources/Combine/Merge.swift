#if Combine
extension Publishers {
    /// Publishes the values of all upstreams; ends with the last of them, or with the first failure.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        /// The values of the upstreams.
        public typealias Output = Upstream.Output
        /// The failure of the upstreams.
        public typealias Failure = Upstream.Failure

        /// The upstreams.
        public let publishers: [Upstream]

        /// A publisher of these upstreams.
        public init(_ upstream: Upstream...) { publishers = upstream }

        /// A publisher of these upstreams.
        public init<Upstreams: Swift.Sequence>(_ upstream: Upstreams) where Upstreams.Element == Upstream {
            publishers = Array(upstream)
        }

        /// Adds an upstream.
        public func merge(with other: Upstream) -> MergeMany<Upstream> { MergeMany(publishers + [other]) }

        /// Subscribes to all upstreams.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            guard !publishers.isEmpty else { return Empty<Output, Failure>().subscribe(subscriber) }
            let gathering = Gathering(subscriber, of: publishers.count, keepsLatest: false) { value, _ in
                value as? Output
            }
            subscriber.receive(subscription: gathering)
            for (index, publisher) in publishers.enumerated() {
                publisher.subscribe(gathering.side(index, of: Output.self))
            }
        }
    }

    /// Publishes the values of two upstreams.
    public struct Merge<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
        /// The values of the upstreams.
        public typealias Output = A.Output
        /// The failure of the upstreams.
        public typealias Failure = A.Failure

        /// The first upstream.
        public let a: A
        /// The second upstream.
        public let b: B

        /// A publisher of two upstreams.
        public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }

        /// Subscribes to both upstreams.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            MergeMany(a.eraseToAnyPublisher(), b.eraseToAnyPublisher()).subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Publishes the values of this publisher and of another one.
    public func merge<Other: Publisher>(with other: Other) -> Publishers.Merge<Self, Other>
    where Other.Output == Output, Other.Failure == Failure { Publishers.Merge(self, other) }

    /// Publishes the values of this publisher and of another one of its type.
    public func merge(with other: Self) -> Publishers.MergeMany<Self> { Publishers.MergeMany(self, other) }

    /// Publishes the values of three publishers.
    public func merge(
        with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>
    ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
        Publishers.MergeMany([eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher()])
    }

    /// Publishes the values of four publishers.
    public func merge(
        with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
        _ d: some Publisher<Output, Failure>
    ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
        merge(with: b, c).merge(with: d.eraseToAnyPublisher())
    }

    /// Publishes the values of five publishers.
    public func merge(
        with b: some Publisher<Output, Failure>, _ c: some Publisher<Output, Failure>,
        _ d: some Publisher<Output, Failure>, _ e: some Publisher<Output, Failure>
    ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
        merge(with: b, c, d).merge(with: e.eraseToAnyPublisher())
    }
}
#endif
