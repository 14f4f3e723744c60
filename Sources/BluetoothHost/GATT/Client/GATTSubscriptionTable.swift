import BluetoothModel
import BluetoothRuntime

/// The consumers of each characteristic, and the state of its client configuration descriptor. The descriptor is
/// enabled for the first consumer, disabled after the last, and written by one request at a time.
final class GATTSubscriptionTable {
    typealias Completion = (Result<Void, RadioError>) -> Void

    /// A subscriber of a characteristic.
    struct Consumer {
        enum State {
            /// The server has not acknowledged the subscription yet.
            case waiting(deadline: RadioInstant?, Completion)
            case active
        }

        let id: LinkOperationID
        let kind: GATTSubscriptionKind
        var state: State
    }

    /// A former subscriber whose operation completes when the server has acknowledged the change.
    struct Leaver {
        let id: LinkOperationID
        let deadline: RadioInstant?
        let completion: Completion
    }

    /// The subscriptions of one characteristic.
    final class Entry {
        let characteristic: GATTCharacteristic
        let descriptor: UInt16
        /// The value that the server last acknowledged; nil if unknown, after a failed write.
        var written: GATTSubscription? = []
        var isWriting = false
        var isDropped = false
        var consumers: [Consumer] = []
        var leavers: [Leaver] = []

        init(characteristic: GATTCharacteristic, descriptor: UInt16) {
            self.characteristic = characteristic
            self.descriptor = descriptor
        }

        /// The descriptor value that serves all consumers.
        var desired: GATTSubscription {
            var desired: GATTSubscription = []
            for consumer in consumers {
                if consumer.kind == .notifications { desired.insert(.notifications) }
                if consumer.kind == .indications { desired.insert(.indications) }
            }
            guard desired.isEmpty, !consumers.isEmpty else { return desired }
            let offered = GATTSubscription(offeredBy: characteristic.properties)
            return offered.contains(.notifications) ? .notifications : .indications
        }
    }

    /// Proof of `unowned`: operations that retain this table end when the link closes at the latest, and the link
    /// retains the client until then.
    unowned let client: GATTClient
    var entries: [UInt16: Entry] = [:]
    /// The subscriptions whose descriptor is being discovered.
    private var looking: [(id: LinkOperationID, handle: UInt16, completion: Completion)] = []
    private var armedDeadline: RadioInstant?
    private(set) lazy var timer = client.bearer.channel.timers.makeTimer { [weak self] in self?.deadlinePassed() }

    init(client: GATTClient) { self.client = client }

    // MARK: Subscribing

    func subscribe(
        to characteristic: GATTCharacteristic, cccd: UInt16?, kind: GATTSubscriptionKind, for operation: ATTOperation,
        receive: @escaping (ByteView) -> Void, completion: @escaping Completion
    ) {
        guard client.isOpen else { return completion(.failure(.notConnected)) }
        if kind == .any, GATTSubscription(offeredBy: characteristic.properties).isEmpty {
            return completion(
                .failure(.unsupported("the characteristic supports neither notifications nor indications")))
        }
        // Registered before the write, so that a value right after the acknowledgement is received.
        client.values.add(
            GATTValueRouter.Handler(id: operation.id, receive: receive), for: characteristic.valueHandle)
        let waiting = Consumer(
            id: operation.id, kind: kind, state: .waiting(deadline: operation.deadline, completion))
        if let descriptor = cccd ?? entries[characteristic.valueHandle]?.descriptor {
            return join(waiting, characteristic, descriptor: descriptor)
        }
        var isContinuing = false
        defer { isContinuing = true }
        looking.append((operation.id, characteristic.valueHandle, completion))
        client.discoverDescriptors(of: characteristic, for: operation) { [self] result in
            // Meanwhile the characteristic may have become invalid.
            guard let index = looking.firstIndex(where: { $0.id == waiting.id }) else { return }
            looking.remove(at: index)
            let found: Result<UInt16, RadioError> = result.flatMap { descriptors in
                guard let descriptor = descriptors.first(where: { $0.uuid == GATTType.clientConfiguration }) else {
                    return .failure(.unsupported("the characteristic has no client characteristic configuration"))
                }
                return .success(descriptor.handle)
            }
            switch found {
            case .success(let descriptor):
                join(waiting, characteristic, descriptor: descriptor, isContinuing: isContinuing)
            case .failure(let error):
                client.values.remove(waiting.id)
                completion(.failure(error))
            }
        }
    }

    private func join(
        _ consumer: Consumer, _ characteristic: GATTCharacteristic, descriptor: UInt16, isContinuing: Bool = false
    ) {
        let entry =
            entries[characteristic.valueHandle] ?? Entry(characteristic: characteristic, descriptor: descriptor)
        entries[characteristic.valueHandle] = entry
        entry.consumers.append(consumer)
        if case .waiting(let deadline, _) = consumer.state { watch(deadline) }
        work(on: entry, isContinuing: isContinuing)
    }

    // MARK: Unsubscribing

    func unsubscribe(_ id: LinkOperationID, for operation: ATTOperation, completion: @escaping Completion) {
        client.values.remove(id)
        guard let entry = entries.values.first(where: { $0.consumers.contains { $0.id == id } }) else {
            // The descriptor may still be being discovered.
            client.bearer.abandon(id, .cancelled)
            return completion(.success(()))
        }
        entry.leavers.append(Leaver(id: operation.id, deadline: operation.deadline, completion: completion))
        watch(operation.deadline)
        take(id, from: entry, .cancelled)
        work(on: entry)
    }

    /// Ends all subscriptions except that of the stack itself, in the order of their handles.
    func unsubscribeAll(except own: UInt16?, timeout: Duration?, completion: @escaping () -> Void) {
        var left = 1
        let done = {
            left -= 1
            if left == 0 { completion() }
        }
        for (handle, entry) in entries.sorted(by: { $0.key < $1.key }) where handle != own {
            for consumer in entry.consumers {
                left += 1
                let operation = client.bearer.makeOperation(timeout: timeout)
                unsubscribe(consumer.id, for: operation) { _ in done() }
            }
        }
        done()
    }

    /// Removes a consumer without a write to the server, because the descriptor no longer exists.
    func forget(_ id: LinkOperationID) {
        client.values.remove(id)
        for (handle, entry) in entries {
            entry.consumers.removeAll { $0.id == id }
            if entry.consumers.isEmpty, !entry.isWriting, entry.leavers.isEmpty { entries[handle] = nil }
        }
    }

    /// Ends all subscriptions in a range of handles that have become invalid.
    func drop(_ range: ClosedRange<UInt16>, except own: UInt16?) {
        for (handle, entry) in entries where handle != own && range.contains(handle) {
            entries[handle] = nil
            end(entry, consumers: .att(.databaseOutOfSync, handle: handle), leavers: .success(()))
        }
        let invalid = looking.filter { $0.handle != own && range.contains($0.handle) }
        looking.removeAll { $0.handle != own && range.contains($0.handle) }
        for one in invalid {
            client.values.remove(one.id)
            one.completion(.failure(.att(.databaseOutOfSync, handle: one.handle)))
        }
    }

    func close(_ error: RadioError) {
        timer.disarm()
        let all = entries.values
        entries = [:]
        for entry in all { end(entry, consumers: error, leavers: .failure(error)) }
    }

    private func end(_ entry: Entry, consumers error: RadioError, leavers result: Result<Void, RadioError>) {
        entry.isDropped = true
        let consumers = entry.consumers, leavers = entry.leavers
        entry.consumers = []
        entry.leavers = []
        for consumer in consumers { client.values.remove(consumer.id) }
        for consumer in consumers {
            if case .waiting(_, let completion) = consumer.state { completion(.failure(error)) }
        }
        for leaver in leavers { leaver.completion(result) }
    }

    // MARK: Cancellation

    /// The consumers that wait for the server's acknowledgement.
    var waitingOperations: [LinkOperationID] {
        entries.values.flatMap(\.consumers).compactMap { if case .waiting = $0.state { $0.id } else { nil } }
    }

    /// Ends a waiting consumer or leaver with an error.
    func abandon(_ id: LinkOperationID, _ error: RadioError) {
        for entry in Array(entries.values) {
            if let index = entry.leavers.firstIndex(where: { $0.id == id }) {
                return entry.leavers.remove(at: index).completion(.failure(error))
            }
            guard let consumer = entry.consumers.first(where: { $0.id == id }) else { continue }
            // An active consumer has already completed; it can only be unsubscribed.
            guard case .waiting = consumer.state else { return }
            client.values.remove(id)
            take(id, from: entry, error)
            return work(on: entry)
        }
    }

    private func take(_ id: LinkOperationID, from entry: Entry, _ error: RadioError) {
        guard let index = entry.consumers.firstIndex(where: { $0.id == id }) else { return }
        let consumer = entry.consumers.remove(at: index)
        if case .waiting(_, let completion) = consumer.state { completion(.failure(error)) }
    }

    private func watch(_ deadline: RadioInstant?) {
        guard let deadline else { return }
        if let armedDeadline, armedDeadline <= deadline { return }
        armedDeadline = deadline
        timer.arm(at: deadline)
    }

    private func deadlinePassed() {
        armedDeadline = nil
        let now = client.bearer.channel.now
        var expired: [LinkOperationID] = []
        var later: [RadioInstant] = []
        func look(_ id: LinkOperationID, _ deadline: RadioInstant?) {
            guard let deadline else { return }
            if deadline <= now { expired.append(id) } else { later.append(deadline) }
        }
        for entry in entries.values {
            for consumer in entry.consumers {
                if case .waiting(let deadline, _) = consumer.state { look(consumer.id, deadline) }
            }
            for leaver in entry.leavers { look(leaver.id, leaver.deadline) }
        }
        watch(later.min())
        for id in expired { abandon(id, .timeout) }
    }
}
