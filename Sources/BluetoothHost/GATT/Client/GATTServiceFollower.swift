import BluetoothModel
import BluetoothRuntime

/// Discovers the server's GATT service in the background, subscribes to Service Changed, and writes the client's
/// supported features (Core 6.0, Vol 3, Part G, 7.1 and 7.2).
final class GATTServiceFollower {
    private enum State {
        case looking
        /// The server requires a higher security level first.
        case waitingForSecurity
        /// Everything that the server supports is set up; the value is the range of its GATT service.
        case following(ClosedRange<UInt16>?)
        case ended
    }

    /// Proof of `unowned`: only the client retains this object; completions have weak references to it.
    private unowned let client: GATTClient
    private var state = State.ended {
        didSet {
            if case .looking = state { return }
            starts = 0
            resume(.success(()))
            client.confirmCache()
        }
    }
    /// The operations that wait until it is decided whether changes will be reported.
    private(set) var waiting: [Waiting] = []
    /// The generation of the cache when the discovery started, and how often it has started again since it last ended.
    private var generation = 0, starts = 0
    private static let startBound = 8
    /// Values that arrived before the characteristic was known: a bonded server indicates changes as soon as the link
    /// is encrypted.
    private var early: [(handle: UInt16, value: [UInt8])] = []
    private static let earlyBound = 8

    init(client: GATTClient) { self.client = client }

    /// True if the server announces changes.
    var isFollowing: Bool {
        if case .following = state { return client.changedHandle != 0 }
        return false
    }

    /// True once it is decided whether the server announces changes, unless that is decided again.
    var isDecided: Bool {
        if case .looking = state { return false }
        return true
    }

    /// Keeps a value that may be an indication of Service Changed; returns false if it cannot be.
    func keep(_ value: ByteView, of handle: UInt16) -> Bool {
        guard case .looking = state, client.changedHandle == 0, early.count < Self.earlyBound, value.count >= 4 else {
            return false
        }
        early.append((handle, value.array))
        return true
    }

    /// An operation that waits, and its completion.
    struct Waiting {
        let operation: ATTOperation
        let completion: (Result<Void, RadioError>) -> Void
    }

    /// Completes once it is decided whether changes will be reported. Meanwhile the operation's deadline applies, and
    /// the operation can be abandoned.
    func whenSettled(for operation: ATTOperation, completion: @escaping (Result<Void, RadioError>) -> Void) {
        guard case .looking = state else { return completion(.success(())) }
        waiting.append(Waiting(operation: operation, completion: completion))
        client.bearer.watch(operation.deadline)
    }

    private func resume(_ result: Result<Void, RadioError>) {
        let settled = waiting
        waiting = []
        for one in settled { one.completion(result) }
    }

    /// Ends an operation that waits; returns false if there is no such operation.
    func abandon(_ operation: LinkOperationID, _ error: RadioError) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.operation.id == operation }) else { return false }
        waiting.remove(at: index).completion(.failure(error))
        return true
    }

    /// Ends the waiting operations whose deadline has passed.
    func endWaiting(at now: RadioInstant) {
        for one in waiting where one.operation.deadline.map({ $0 <= now }) ?? false {
            _ = abandon(one.operation.id, .timeout)
        }
    }

    func start() {
        state = .looking
        generation = client.cache.generation
        starts += 1
        client.discoverServices([GATTType.gattService], for: operation) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): fail(error)
            case .success(let services):
                guard let service = services.first else { return state = .following(nil) }
                lookInside(service)
            }
        }
    }

    func securityChanged() {
        if case .waitingForSecurity = state { start() }
    }

    private var operation: ATTOperation { client.bearer.makeOperation(timeout: nil, lane: .background) }

    private func lookInside(_ service: GATTService) {
        client.discoverCharacteristics(of: service, for: operation) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): fail(error)
            case .success(let characteristics):
                let features = characteristics.first { $0.uuid == GATTType.clientFeatures }
                guard let changed = characteristics.first(where: { $0.uuid == GATTType.serviceChanged }) else {
                    return tellFeatures(features, in: service)
                }
                subscribe(to: changed) { self.tellFeatures(features, in: service) }
            }
        }
    }

    private func subscribe(to changed: GATTCharacteristic, then: @escaping () -> Void) {
        if client.changedHandle == changed.valueHandle { return then() }
        client.changedHandle = changed.valueHandle
        for one in exchange(&early, with: []) where one.handle == changed.valueHandle {
            one.value.withByteView { self.changed($0) }
        }
        client.configure(changed, .indications, for: operation) { [weak self] result in
            guard let self else { return }
            if case .failure = result { client.changedHandle = 0 }
            switch result {
            // A Service Changed characteristic without a subscription is useless, but not an error.
            case .success, .failure(.unsupported): then()
            case .failure(let error): fail(error)
            }
        }
    }

    private func tellFeatures(_ features: GATTCharacteristic?, in service: GATTService) {
        guard let features, features.properties.contains(.write) else { return state = .following(service.range) }
        let value = GATTClientFeatures.robustCaching | GATTClientFeatures.multipleNotifications
        client.bearer.request(.write(features.valueHandle, [value]), for: operation) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return fail(error) }
            state = .following(service.range)
        }
    }

    private func fail(_ error: RadioError) {
        // The link has ended, or the server did not answer the request in time: nothing more can be requested.
        if !client.isOpen { resume(.failure(error)) }
        guard case .att(let code, _) = error else { return state = .ended }
        if code.asksForSecurity {
            state = .waitingForSecurity
        } else if client.cache.generation != generation, starts < Self.startBound {
            // The database changed during the discovery, and the server refused a request for that reason.
            start()
        } else {
            state = .ended
        }
    }

    /// Handles an indication of Service Changed: four octets, the first and the last handle.
    func changed(_ value: ByteView) {
        var range = GATTClient.allHandles
        if value.count >= 4 {
            let first = max(1, value.uint16(at: 0)), last = value.uint16(at: 2)
            if first <= last { range = first...last }
        }
        let wasFollowing = state
        client.servicesChanged(range)
        // The GATT service itself may have moved or been added.
        if case .following(let own) = wasFollowing, own?.overlaps(range) ?? true { start() }
    }
}
