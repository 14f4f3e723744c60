import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// One run of a scenario: starts operations on the backend under test, and records their completions.
///
/// Methods that return a ``Pending`` without `await` must be called on the loop, inside ``run(_:)``.
package final class Bench: Sendable {
    package let world: any ConformanceWorld
    /// The labels of the completed operations and the notes of the scenario, in order.
    package let journal = Events<String>()
    /// The checks that each operation was completed exactly once.
    private let checks = Mutex<[@Sendable () async throws -> Void]>([])
    /// The objects to which the backend has weak references. They are released with the bench.
    private let kept = Mutex<[any AnyObject & Sendable]>([])

    init(_ world: any ConformanceWorld) { self.world = world }

    package var peer: any ConformancePeer { world.peer }
    package var peerID: PeripheralID { world.peerID }

    /// Runs `body` on the loop.
    @discardableResult
    package func run<Value: Sendable>(_ body: @escaping @Sendable (any RadioBackend) -> Value) async -> Value {
        await world.radio.loop.run { [radio = world.radio] in body(radio.value) }
    }

    /// Waits until the loop has run the enqueued work.
    package func turn() async { for _ in 0..<3 { await run { _ in } } }

    func pending<Value: Sendable>(_ label: String) -> Pending<Value> {
        let pending = Pending<Value>(label, journal: journal)
        checks.withLock { checks in
            checks.append {
                _ = try await pending.result()
                let count = pending.results.count
                try require(count == 1, "'\(label)' was completed \(count) times: \(pending.results.all)")
            }
        }
        return pending
    }

    func keep(_ object: any AnyObject & Sendable) { kept.withLock { $0.append(object) } }

    /// Closes the backend, and checks that every operation ended exactly once.
    func finish() async throws {
        let closing = await run { [self] in close($0) }
        try await closing.value()
        await turn()
        // Removing the checks breaks the reference cycle between the bench and its operations.
        let all = checks.withLock { checks in
            defer { checks = [] }
            return checks
        }
        for check in all { try await check() }
    }

    /// Closes the backend after a failure.
    func abandon() async {
        checks.withLock { $0 = [] }
        let closing = await run { [self] in close($0) }
        _ = try? await closing.result()
        checks.withLock { $0 = [] }
    }

    // MARK: Operations, on the loop

    /// Starts a connection attempt.
    package func connect(
        _ radio: any RadioBackend, to id: PeripheralID? = nil, for user: ScriptedUser? = nil, timeout: Duration? = nil,
        retries: Int = 3, _ label: String = "connect"
    ) -> Attempt {
        let pending: Pending<Share> = pending(label)
        let loop = radio.loop
        let request = ConnectRequest(timeout: timeout, retries: retries)
        let operation = radio.connect(id ?? peerID, request, for: user?.user) { [self] result in
            pending.complete(result.map { Share($0, on: loop, of: self) })
        }
        return Attempt(pending, LoopBound(confined: operation, loop: loop))
    }

    /// Starts a scan for the peer, with these options.
    package func scan(
        _ radio: any RadioBackend, services: [BluetoothUUID] = [PeerAttribute.service],
        allowsDuplicates: Bool = false, isActive: Bool = true, patterns: [AdvertisementPattern] = [],
        condition: (@Sendable (ScanReport) -> Bool)? = nil, modes: Events<ScanMode>? = nil, _ label: String = "scan"
    ) -> Scan {
        var request = ScanRequest(services: services, allowsDuplicates: allowsDuplicates, isActive: isActive)
        request.condition = condition
        request.patterns = patterns
        if let modes { request.modeChanged = { modes.append($0) } }
        let scan = Scan()
        let (id, journal) = (peerID, journal)
        let operation = radio.scan(request) { report in
            if report.peripheral == id { scan.reports.append(report.isConnectable) }
        } ended: { error in
            scan.ends.append(error)
            journal.append(label)
        }
        scan.keep(LoopBound(confined: operation, loop: radio.loop))
        checks.withLock { checks in
            checks.append {
                let expected = scan.isCancelled ? 0 : 1
                try require(scan.ends.count, is: expected, "number of ends of '\(label)', \(scan.ends.all)")
            }
        }
        return scan
    }

    /// Closes the backend; further calls wait for the same completion.
    package func close(_ radio: any RadioBackend) -> Pending<Void> {
        let pending: Pending<Void> = pending("close")
        if let running = closing.withLock({ closing in
            defer { if closing == nil { closing = pending } }
            return closing
        }) {
            Task { pending.complete((try? await running.result()) ?? .failure(.timeout)) }
            return pending
        }
        radio.close { pending.complete(.success(())) }
        return pending
    }

    private let closing = Mutex<Pending<Void>?>(nil)

    // MARK: Steps of scenarios

    /// Connects and discovers the peer's attributes.
    package func connected(for user: ScriptedUser? = nil, _ label: String = "connect") async throws -> Share {
        let attempt = await run { [self] in connect($0, for: user, label) }
        let share = try await attempt.value()
        try await share.discover()
        return share
    }

    /// Switches the adapter off or on, and waits for its state.
    package func setPowered(_ isOn: Bool) async throws {
        let watcher = await watch()
        await world.setPowered(isOn)
        let wanted: RadioState = isOn ? .poweredOn : .poweredOff
        let state = await run { $0.state }
        if state != wanted { try await watcher.events.wait(for: .state(wanted)) }
        await run { $0.removeObserver(watcher) }
    }

    /// Adds an observer of the adapter.
    package func watch() async -> RadioWatcher {
        let watcher = RadioWatcher()
        keep(watcher)
        await run { $0.addObserver(watcher) }
        return watcher
    }

    /// Adds a user with an answer to pairing questions.
    package func user(
        _ answer: ScriptedUser.Answer? = nil, policy: SecurityPolicy = .init(), hasHandler: Bool = true
    ) async -> ScriptedUser {
        let loop = world.radio.loop
        let user = await loop.run { ScriptedUser(answer, policy: policy, hasHandler: hasHandler, loop: loop) }
        keep(user)
        await run { $0.addUser(user.user) }
        return user
    }
}

/// A connection attempt.
package struct Attempt: Sendable {
    package let pending: Pending<Share>
    private let operation: LoopBound<any BackendOperation>

    init(_ pending: Pending<Share>, _ operation: LoopBound<any BackendOperation>) {
        self.pending = pending
        self.operation = operation
    }

    /// Cancels the attempt. Must be called on the loop.
    package func cancel() { operation.value.cancel() }

    package func value() async throws -> Share { try await pending.value() }
}

/// A scan for the peer.
package final class Scan: Sendable {
    /// The reports of the peer; true for a connectable advertisement.
    package let reports = Events<Bool>()
    package let ends = Events<RadioError>()
    private let operation = Mutex<LoopBound<any BackendOperation>?>(nil)
    private let wasCancelled = Mutex(false)

    func keep(_ operation: LoopBound<any BackendOperation>) { self.operation.withLock { $0 = operation } }

    var isCancelled: Bool { wasCancelled.withLock { $0 } }

    /// Cancels the scan. Must be called on the loop.
    package func cancel() {
        if ends.all.isEmpty { wasCancelled.withLock { $0 = true } }
        operation.withLock { $0 }?.value.cancel()
    }
}
