import Harald
import Synchronization

/// The connected devices of a script by their names.
final class ScriptSessions: Sendable {
    private let sessions = Mutex<[String: ScriptSession]>([:])

    subscript(name: String) -> ScriptSession? { sessions.withLock { $0[name] } }
    var names: [String] { sessions.withLock { $0.keys.sorted() } }

    func add(_ session: ScriptSession, named name: String) { sessions.withLock { $0[name] = session } }

    func removeAll() -> [ScriptSession] {
        sessions.withLock { sessions in
            defer { sessions = [:] }
            return Array(sessions.values)
        }
    }
}

/// A device of a script, and its subscriptions.
final class ScriptSession: Sendable {
    let peripheral: Peripheral
    private let feeds = Mutex<[AttributeID: ScriptFeed]>([:])

    init(_ peripheral: Peripheral) { self.peripheral = peripheral }

    /// Subscribes to a characteristic, or returns its subscription.
    func feed(
        _ characteristic: Characteristic, _ kind: SubscriptionKind, within timeout: Duration
    ) async throws(BluetoothError) -> ScriptFeed {
        if let feed = feeds.withLock({ $0[characteristic.valueHandle] }) { return feed }
        let values = try await peripheral.withTimeout(timeout, "subscribe to \(characteristic.uuid)") {
            () async throws(BluetoothError) in
            try await characteristic.subscribe(kind, buffering: .newest(65_536))
        }
        let feed = ScriptFeed(values, of: peripheral)
        feeds.withLock { $0[characteristic.valueHandle] = feed }
        return feed
    }

    /// Ends the subscription to a characteristic.
    func unsubscribe(_ characteristic: Characteristic) {
        // The last reference to the stream ends the subscription.
        feeds.withLock { $0[characteristic.valueHandle] = nil }
    }

    func disconnect() async {
        feeds.withLock { $0 = [:] }
        await peripheral.disconnect()
    }
}

/// The values of a subscription. Each value is consumed by one step.
final class ScriptFeed: Sendable {
    private let stream: BluetoothStream<[UInt8]>
    private let peripheral: Peripheral
    private let isBusy = Mutex(false)

    init(_ stream: BluetoothStream<[UInt8]>, of peripheral: Peripheral) {
        (self.stream, self.peripheral) = (stream, peripheral)
    }

    /// Waits for the next value; returns nil at the timeout.
    /// - Throws: The ``BluetoothError`` that ended the subscription.
    func next(within time: Duration) async throws(BluetoothError) -> [UInt8]? {
        // A stream has one consumer; steps in parallel that wait for the same values are a mistake in the script.
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else {
            throw BluetoothError(
                .invalidArgument, operation: "wait for a value",
                reason: "another step waits for values of the same characteristic at the same time")
        }
        defer { isBusy.withLock { $0 = false } }
        var iterator = stream.makeAsyncIterator()
        switch try await iterator.next(within: time, clock: peripheral.clock) {
        case .value(let bytes): return bytes
        case .silence: return nil
        case .end:
            throw BluetoothError(.notConnected, operation: "wait for a value", reason: "the subscription has ended")
        }
    }
}
