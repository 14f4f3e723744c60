import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// A share of the link to the peer. Its methods must be called on the loop, inside ``callAsFunction(_:)``.
package final class Share: Sendable {
    package let watcher = LinkWatcher()
    private let link: LoopBound<any PeripheralLink>
    private let bench: Bench
    private let attributes = Mutex<[PeerAttribute: AttributeID]>([:])

    init(_ link: any PeripheralLink, on loop: RadioLoop, of bench: Bench) {
        self.link = LoopBound(confined: link, loop: loop)
        self.bench = bench
        link.observer = watcher
    }

    /// Runs `body` on the loop.
    @discardableResult
    package func callAsFunction<Value: Sendable>(_ body: @escaping @Sendable (Share) -> Value) async -> Value {
        await link.loop.run { body(self) }
    }

    package var events: Events<LinkEvent> { watcher.events }

    /// The link; on the loop.
    package var value: any PeripheralLink { link.value }
    package var isConnected: Bool { link.value.isConnected }

    /// Waits for the end of the link.
    @discardableResult
    package func end() async throws -> RadioError {
        let all = try await events.wait(for: "end of the link") { events in events.contains { $0.end != nil } }
        guard let error = all.compactMap(\.end).first else { throw ScenarioFailure("no end of the link") }
        return error
    }

    /// Discovers the attributes of the peer.
    package func discover() async throws {
        let services = try await self { $0.discoverServices([PeerAttribute.service]) }.value()
        try require(services.map(\.uuid), is: [PeerAttribute.service], "services found with a filter")
        let found = try await self { $0.discoverCharacteristics(of: services[0].id) }.value()
        attributes.withLock { attributes in
            for record in found {
                PeerAttribute.allCases.first { $0.uuid == record.uuid }.map { attributes[$0] = record.id }
            }
        }
        try require(found.count, is: PeerAttribute.allCases.count, "number of characteristics")
    }

    package func id(of attribute: PeerAttribute) -> AttributeID {
        attributes.withLock { $0[attribute] } ?? Self.unknown
    }

    /// An identifier that no attribute has.
    package static let unknown = AttributeID(rawValue: 0xFFF0)

    /// Replaces the identifier of an attribute by one that no attribute has.
    package func forget(_ attribute: PeerAttribute) { attributes.withLock { $0[attribute] = nil } }

    // MARK: Operations

    private func start<Value: Sendable>(
        _ label: String, _ body: (@escaping (Result<Value, RadioError>) -> Void) -> OperationID
    ) -> LinkRequest<Value> {
        let pending: Pending<Value> = bench.pending(label)
        let id = body { pending.complete($0) }
        return LinkRequest(pending: pending, id: id)
    }

    package func discoverServices(_ filter: [BluetoothUUID]? = nil) -> LinkRequest<[RemoteService]> {
        start("discover services") { link.value.discoverServices(filter, timeout: nil, completion: $0) }
    }

    package func discoverCharacteristics(
        of service: AttributeID, _ filter: [BluetoothUUID]? = nil
    ) -> LinkRequest<[RemoteCharacteristic]> {
        start("discover characteristics") {
            link.value.discoverCharacteristics(of: service, filter, timeout: nil, completion: $0)
        }
    }

    package func read(
        _ attribute: PeerAttribute, timeout: Duration? = nil, _ label: String? = nil
    ) -> LinkRequest<[UInt8]> {
        start(label ?? "read \(attribute)") { complete in
            link.value.read(id(of: attribute), timeout: timeout) { complete($0.map(\.array)) }
        }
    }

    package func write(
        _ bytes: [UInt8], to attribute: PeerAttribute, timeout: Duration? = nil
    ) -> LinkRequest<Void> {
        start("write \(attribute)") { link.value.write(bytes, to: id(of: attribute), timeout: timeout, completion: $0) }
    }

    package func command(_ bytes: [UInt8], to attribute: PeerAttribute) -> LinkRequest<Void> {
        start("command \(attribute)") {
            link.value.writeWithoutResponse(bytes, to: id(of: attribute), timeout: nil, completion: $0)
        }
    }

    package func pair(to level: LinkSecurity.Level = .encrypted, _ label: String = "pair") -> LinkRequest<LinkSecurity>
    {
        start(label) { link.value.pair(to: level, timeout: nil, completion: $0) }
    }

    package func cancel<Value>(_ request: LinkRequest<Value>) { link.value.cancel(request.id) }

    /// Subscribes; `onValue` runs on the loop with each value.
    package func subscribe(
        _ attribute: PeerAttribute, timeout: Duration? = nil, _ label: String? = nil,
        onValue: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) -> Subscription {
        let values = Events<[UInt8]>()
        let journal = bench.journal
        let label = label ?? "subscribe \(attribute)"
        let request: LinkRequest<Void> = start(label) {
            link.value.subscribe(
                id(of: attribute), kind: .any, timeout: timeout,
                receive: { view in
                    let value = view.array
                    journal.append("value")
                    values.append(value)
                    onValue(value)
                }, completion: $0)
        }
        return Subscription(request: request, values: values)
    }

    package func unsubscribe(_ subscription: Subscription, _ label: String = "unsubscribe") -> Pending<Void> {
        let pending: Pending<Void> = bench.pending(label)
        link.value.unsubscribe(subscription.request.id, timeout: nil) { pending.complete($0) }
        return pending
    }

    package func release(_ label: String = "release") -> Pending<Void> {
        let pending: Pending<Void> = bench.pending(label)
        link.value.release { pending.complete(.success(())) }
        return pending
    }
}

/// An operation on a link, and its identifier.
package struct LinkRequest<Value: Sendable>: Sendable {
    package let pending: Pending<Value>
    let id: OperationID

    @discardableResult
    package func value() async throws -> Value { try await pending.value() }
}

/// A consumer of a characteristic's values.
package struct Subscription: Sendable {
    package let request: LinkRequest<Void>
    package let values: Events<[UInt8]>

    package func started() async throws { try await request.value() }
}
