#if Combine
import Foundation

extension Publishers {
    /// The rule by which values are collected.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// The values of each interval.
        case byTime(Context, Context.SchedulerTimeType.Stride)
        /// The values of each interval, and before its end as soon as there are so many.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Publishes arrays of the values of each interval.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of an interval.
        public typealias Output = [Upstream.Output]
        /// The failure of the upstream.
        public typealias Failure = Upstream.Failure

        /// The upstream.
        public let upstream: Upstream
        /// The rule.
        public let strategy: TimeGroupingStrategy<Context>
        /// The options of the scheduler.
        public let options: Context.SchedulerOptions?

        /// A publisher of arrays.
        public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        /// Subscribes to the upstream.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let subject = PassthroughSubject<Output, Failure>()
            let collector = Collector(subject)
            let (context, interval, count) =
                switch strategy {
                case .byTime(let context, let interval): (context, interval, Int.max)
                case .byTimeOrCount(let context, let interval, let count): (context, interval, Swift.max(1, count))
                }
            let timer = context.schedule(
                after: context.now.advanced(by: interval), interval: interval, tolerance: context.minimumTolerance,
                options: options
            ) { collector.flush() }
            let end = {
                timer.cancel()
                collector.upstream = nil
            }
            subject.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest)
                .handleEvents(receiveCompletion: { _ in end() }, receiveCancel: end)
                .subscribe(subscriber)
            collector.upstream = upstream.sink { completion in
                collector.end(completion)
            } receiveValue: { value in
                collector.add(value, upTo: count)
            }
        }
    }

    /// The values that wait for the end of an interval.
    ///
    /// Proof of `@unchecked Sendable`: `lock` guards all mutable state. It is held while values are sent, so that they
    /// stay in order; it is recursive, because the receiver may cancel.
    private final class Collector<Value, Failure: Error>: @unchecked Sendable {
        private let lock = NSRecursiveLock()
        private let subject: PassthroughSubject<[Value], Failure>
        private var values: [Value] = []
        private var current: AnyCancellable?
        private var isOver = false

        init(_ subject: PassthroughSubject<[Value], Failure>) { self.subject = subject }

        var upstream: AnyCancellable? {
            get { lock.withLock { current } }
            set {
                let old = lock.withLock {
                    let old = current
                    if newValue == nil { isOver = true }
                    current = isOver ? nil : newValue
                    return old
                }
                old?.cancel()
            }
        }

        func add(_ value: Value, upTo count: Int) {
            lock.withLock {
                values.append(value)
                if values.count >= count { flush() }
            }
        }

        func flush() {
            lock.withLock {
                guard !values.isEmpty else { return }
                let all = values
                values = []
                subject.send(all)
            }
        }

        func end(_ completion: Subscribers.Completion<Failure>) {
            if case .finished = completion { flush() }
            subject.send(completion: completion)
        }
    }
}

extension Publisher {
    /// Collects the values of each interval, and publishes them as an array; nothing where there is none.
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}
#endif
