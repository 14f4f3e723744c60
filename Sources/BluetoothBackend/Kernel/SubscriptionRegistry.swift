import BluetoothModel
import BluetoothRuntime

/// The subscriptions of a link: the consumers of each characteristic, counted for all users, and the delivery of values
/// to them. The device is asked to send for the first consumer and to stop after the last, by one request at a time.
/// Confined to the loop.
///
/// A consumer that fails, is cancelled or times out while the device is being asked removes itself and no other.
package final class SubscriptionRegistry {
    /// A request to the device, made by the backend.
    package struct Request {
        /// The characteristic.
        package let characteristic: AttributeID
        /// The kinds of values to send; empty to stop.
        package let kinds: GATTSubscription
        /// True if the request has to precede those that wait: they were made after subscribing, and need the
        /// subscription.
        package let isNext: Bool
        /// Returns false once no consumer needs the request any more.
        package let isWanted: () -> Bool
    }

    private final class Consumer {
        /// The operation that subscribed; over once the consumer is established.
        let operation: LinkOperation<Void>
        let kind: SubscriptionKind
        let receive: (ByteView) -> Void
        /// True after ``onRefusal`` was called for it.
        var wasRefused = false
        /// True once no value is delivered any more, even if one is being delivered.
        var isRemoved = false

        init(_ operation: LinkOperation<Void>, _ kind: SubscriptionKind, _ receive: @escaping (ByteView) -> Void) {
            self.operation = operation
            self.kind = kind
            self.receive = receive
        }
    }

    /// The subscription to one characteristic.
    private final class Entry {
        let characteristic: AttributeID
        /// The kind for consumers without a choice.
        let usual: GATTSubscription
        /// The kinds that the device acknowledged last; nil if unknown, after a failed request.
        var acknowledged: GATTSubscription? = []
        var isAsking = false
        var isEnded = false
        /// The consumers, oldest first.
        var consumers: [Consumer] = []
        /// The ends of subscriptions that wait for the device's acknowledgement.
        var endings: [LinkOperation<Void>] = []

        init(_ characteristic: AttributeID, usual: GATTSubscription) {
            self.characteristic = characteristic
            self.usual = usual
        }

        /// The kinds that serve all consumers.
        var needed: GATTSubscription {
            var kinds: GATTSubscription = []
            for consumer in consumers {
                switch consumer.kind {
                case .any: break
                case .notifications: kinds.insert(.notifications)
                case .indications: kinds.insert(.indications)
                }
            }
            return kinds.isEmpty && !consumers.isEmpty ? usual : kinds
        }

        var isWaitedFor: Bool { !endings.isEmpty || consumers.contains { !$0.operation.isOver } }
    }

    private var entries: [AttributeID: Entry] = [:]
    private var places: [OperationID: AttributeID] = [:]
    /// The characteristic of the last value, which most likely is that of the next one too, and its consumers; empty if
    /// they have changed since.
    private var last: (characteristic: AttributeID, consumers: [Consumer]) = (AttributeID(rawValue: 0), [])
    private let ask: (Request, _ completion: @escaping (Result<Void, RadioError>) -> Void) -> Void
    /// Called when the device has refused a consumer, once for each. Return true to complete its operation later, or to
    /// subscribe again by calling `again`.
    package var onRefusal: ((RadioError, LinkOperation<Void>, _ again: @escaping () -> Void) -> Bool)?
    /// Called when values that stopped by themselves could not be requested again.
    package var onLoss: ((AttributeID, RadioError) -> Void)?

    /// Creates a registry without consumers.
    /// - Parameter ask: asks the device; completes with its acknowledgement.
    package init(ask: @escaping (Request, _ completion: @escaping (Result<Void, RadioError>) -> Void) -> Void) {
        self.ask = ask
    }

    // MARK: Consumers

    /// Adds a consumer, which is attached before the device is asked to send.
    /// - Parameter usual: the kind of values that serves a consumer of ``SubscriptionKind/any``.
    package func subscribe(
        _ operation: LinkOperation<Void>, to characteristic: AttributeID, kind: SubscriptionKind = .any,
        usual: GATTSubscription = .notifications, receive: @escaping (ByteView) -> Void
    ) { add(Consumer(operation, kind, receive), to: characteristic, usual) }

    private func add(_ consumer: Consumer, to characteristic: AttributeID, _ usual: GATTSubscription) {
        let entry = entries[characteristic] ?? Entry(characteristic, usual: usual)
        entries[characteristic] = entry
        entry.consumers.append(consumer)
        let id = consumer.operation.id
        places[id] = characteristic
        last.consumers = []
        consumer.isRemoved = false
        consumer.operation.onAbandon = { [weak self] in self?.unsubscribe(id) }
        update(entry)
    }

    /// Removes a consumer. With the last one the device is asked to stop; `operation` completes when it does.
    package func unsubscribe(_ id: OperationID, _ operation: LinkOperation<Void>? = nil) {
        guard let entry = places[id].flatMap({ entries[$0] }),
            let consumer = entry.consumers.first(where: { $0.operation.id == id })
        else {
            operation?.complete(.success(()))
            return
        }
        remove(consumer, from: entry)
        if let operation { entry.endings.append(operation) }
        consumer.operation.complete(.failure(.cancelled))
        update(entry)
    }

    /// Removes the consumers of one use of the link, in the order in which they began.
    package func unsubscribeAll(of use: AnyObject) {
        let consumers = entries.values.flatMap(\.consumers).filter { $0.operation.use == ObjectIdentifier(use) }
        for id in consumers.map(\.operation.id).sorted(by: { $0.rawValue < $1.rawValue }) { unsubscribe(id) }
    }

    private func remove(_ consumer: Consumer, from entry: Entry) {
        consumer.isRemoved = true
        entry.consumers.removeAll { $0 === consumer }
        places[consumer.operation.id] = nil
        last.consumers = []
    }

    // MARK: The device

    /// Asks the device if it does not send what the consumers need.
    private func update(_ entry: Entry, isNext: Bool = false) {
        guard !entry.isAsking, !entry.isEnded else { return }
        let kinds = entry.needed
        guard entry.acknowledged != kinds else { return settle(entry) }
        entry.isAsking = true
        let waiting = Set(entry.consumers.map(\.operation.id) + entry.endings.map(\.id))
        let request = Request(characteristic: entry.characteristic, kinds: kinds, isNext: isNext) {
            !entry.isEnded && (kinds.isEmpty || !entry.consumers.isEmpty)
        }
        ask(request) { [weak self] result in
            entry.isAsking = false
            guard let self, !entry.isEnded else { return }
            switch result {
            case .success:
                entry.acknowledged = kinds
                for operation in takeEndings(of: entry, waiting) { operation.complete(.success(())) }
                update(entry, isNext: true)
            case .failure(let error):
                entry.acknowledged = nil
                fail(entry, error, waiting)
            }
        }
    }

    /// Completes those that wait, once the device sends what is needed.
    private func settle(_ entry: Entry) {
        let waiting = exchange(&entry.endings, with: []) + entry.consumers.map(\.operation)
        if entry.consumers.isEmpty { forget(entry) }
        for operation in waiting { operation.complete(.success(())) }
    }

    /// Fails those that waited when the device was asked; it is asked again for those that came later.
    private func fail(_ entry: Entry, _ error: RadioError, _ waiting: Set<OperationID>) {
        let endings = takeEndings(of: entry, waiting)
        let refused = entry.consumers.filter { !$0.operation.isOver && waiting.contains($0.operation.id) }
        for consumer in refused { remove(consumer, from: entry) }
        if entry.consumers.isEmpty, entry.endings.isEmpty { forget(entry) }
        for operation in endings { operation.complete(.failure(error)) }
        for consumer in refused where !isRetried(consumer, entry, error) {
            consumer.operation.complete(.failure(error))
        }
        guard !entry.isAsking, !entry.isEnded else { return }
        if entry.isWaitedFor { update(entry, isNext: true) } else { onLoss?(entry.characteristic, error) }
    }

    /// Removes and returns the ends that waited when the device was asked.
    private func takeEndings(of entry: Entry, _ waiting: Set<OperationID>) -> [LinkOperation<Void>] {
        defer { entry.endings.removeAll { waiting.contains($0.id) } }
        return entry.endings.filter { waiting.contains($0.id) }
    }

    private func isRetried(_ consumer: Consumer, _ entry: Entry, _ error: RadioError) -> Bool {
        guard let onRefusal, !consumer.wasRefused else { return false }
        consumer.wasRefused = true
        return onRefusal(error, consumer.operation) { [weak self] in
            if !consumer.operation.isOver { self?.add(consumer, to: entry.characteristic, entry.usual) }
        }
    }

    /// Removes the subscription to a characteristic without consumers.
    private func forget(_ entry: Entry) {
        entry.isEnded = true
        entries[entry.characteristic] = nil
    }

    // MARK: Events

    /// Delivers a value to each consumer that is not removed meanwhile. Returns false if there is none.
    @discardableResult
    package func received(_ value: ByteView, of characteristic: AttributeID) -> Bool {
        if characteristic != last.characteristic || last.consumers.isEmpty {
            guard let entry = entries[characteristic], !entry.consumers.isEmpty else { return false }
            last = (characteristic, entry.consumers)
        }
        // Proof: this copy of the array retains the consumers, and they their closures, which never change.
        let consumers = last.consumers
        withExtendedLifetime(consumers) {
            for index in consumers.indices {
                Unmanaged.passUnretained(consumers[index])._withUnsafeGuaranteedRef { consumer in
                    if !consumer.isRemoved { consumer.receive(value) }
                }
            }
        }
        return true
    }

    /// Handles that the values of a characteristic stopped by themselves, on a link that continues: they are requested
    /// again. Where that fails, ``onLoss`` is called, and this method may be called again.
    package func interrupted(_ characteristic: AttributeID) {
        guard let entry = entries[characteristic], !entry.isAsking else { return }
        entry.acknowledged = []
        update(entry)
    }

    /// Ends the subscription to a characteristic that is void, without asking the device. Operations that wait for it
    /// fail with the error.
    package func end(_ characteristic: AttributeID, _ error: RadioError) {
        guard let entry = entries[characteristic] else { return }
        end(entry) { $0.complete(.failure(error)) }
    }

    /// Ends all subscriptions at the end of the link, which fails the operations that wait for one.
    package func endAll() {
        for entry in entries.values.sorted(by: { $0.characteristic.rawValue < $1.characteristic.rawValue }) {
            end(entry) { _ in }
        }
    }

    private func end(_ entry: Entry, _ fail: (LinkOperation<Void>) -> Void) {
        forget(entry)
        let (consumers, endings) = (entry.consumers, entry.endings)
        for consumer in consumers { remove(consumer, from: entry) }
        for consumer in consumers { fail(consumer.operation) }
        for operation in endings { operation.complete(.success(())) }
    }
}
