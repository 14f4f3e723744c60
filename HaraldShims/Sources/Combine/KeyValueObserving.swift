#if Combine
import CoreBluetooth

extension NSObject {
    /// Publishes the values of a property.
    public struct KeyValueObservingPublisher<Subject: NSObject & HaraldObservable, Value>: Publisher {
        /// The values.
        public typealias Output = Value
        /// It never fails.
        public typealias Failure = Never

        /// The object.
        public let object: Subject
        /// The property.
        public let keyPath: KeyPath<Subject, Value>
        /// The options.
        public let options: NSKeyValueObservingOptions

        /// A publisher of the values of a property.
        public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
            self.object = object
            self.keyPath = keyPath
            self.options = options
        }

        /// Observes the property. The last value is kept while there is no demand.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Value, Downstream.Failure == Never {
            let gathering = Gathering(subscriber, of: 1, keepsLatest: true) { value, _ in value as? Value }
            subscriber.receive(subscription: gathering)
            let keyPath = keyPath
            let token = object.observe(keyPath, options: options.intersection(.initial)) { object, _ in
                _ = gathering.received(object[keyPath: keyPath], 0)
            }
            gathering.began(Observed(token: token, object: object), 0)
        }
    }

    /// Retains an observation and its object.
    private final class Observed: Subscription {
        private let token: NSKeyValueObservation
        private let object: NSObject

        init(token: NSKeyValueObservation, object: NSObject) {
            self.token = token
            self.object = object
        }

        func request(_ demand: Subscribers.Demand) {}
        func cancel() { token.invalidate() }
    }
}

extension HaraldObservable where Self: NSObject {
    /// Publishes the current value of a property, and each other value that it gets.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
        NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}
#endif
