import Adapters
import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A lease of an opened adapter, with the state that the objects of one central or local peripheral share.
final class AdapterSession: Sendable {
    let loop: RadioLoop
    let backend: LoopBound<any RadioBackend>
    /// The adapter's record of this user: its security policy and its pairing handler. Accessed on the loop.
    let user: LoopBound<RadioUser>
    let info: AdapterInfo
    let capabilities: BackendCapabilities
    let states = StreamHub<RadioState>()
    let scans: LoopBound<RunningScans>
    let usage: UsageRecord
    private let lease: AdapterLease
    private let watcher: LoopBound<RadioWatcher>
    private let snapshot: Mutex<(state: RadioState, reason: String)>
    private let closing = Atomic<Bool>(false)

    /// To be called on the loop.
    private init(lease: AdapterLease, info: AdapterInfo, capabilities: BackendCapabilities, watcher: RadioWatcher) {
        self.lease = lease
        loop = lease.loop
        backend = lease.backend
        user = lease.user
        self.info = info
        usage = UsageRecord(adapter: info)
        self.capabilities = capabilities
        scans = LoopBound(confined: RunningScans(), loop: lease.loop)
        self.watcher = LoopBound(confined: watcher, loop: lease.loop)
        snapshot = Mutex((watcher.initial.0, watcher.initial.1))
    }

    /// Opens an adapter, or takes a further lease of it. An adapter that cannot be opened because of its state is
    /// opened all the same, and its state has the reason.
    static func open(_ adapter: Adapter, options: AdapterOptions) async throws(BluetoothError) -> AdapterSession {
        let lease: AdapterLease
        do {
            lease = try await AdapterRegistry.shared.open(adapter.source, options: options)
        } catch {
            throw BluetoothError(error, "open adapter '\(adapter)'")
        }
        return await lease.loop.run {
            let backend = lease.backend.value
            let watcher = RadioWatcher(initial: (backend.state, backend.stateReason))
            let radio = AdapterSession(
                lease: lease, info: backend.adapter, capabilities: backend.capabilities, watcher: watcher)
            watcher.radio = radio
            backend.addObserver(watcher)
            return radio
        }
    }

    var state: RadioState { snapshot.withLock { $0.state } }
    var stateReason: String { snapshot.withLock { $0.reason } }

    func stateChanged(_ state: RadioState, _ reason: String) {
        snapshot.withLock { $0 = (state, reason) }
        states.push(state)
    }

    /// Waits until the adapter is powered on; throws in a state that does not lead there.
    func waitUntilPoweredOn() async throws(BluetoothError) {
        for try await state in states.stream(first: state) {
            switch state {
            case .poweredOn: return
            case .unknown, .resetting: continue
            case .unsupported, .unauthorized, .poweredOff:
                throw BluetoothError(.radio(state), operation: "use adapter \(info.uri)", reason: stateReason)
            }
        }
        if Task.isCancelled { throw .cancelled }
        throw BluetoothError(.radio(.unsupported), operation: "use adapter \(info.uri)", reason: "it was closed")
    }

    /// True once the central is being closed: no scan and no connection begins any more.
    var isClosing: Bool { closing.load(ordering: .sequentiallyConsistent) }

    /// Ends the scans of this user. From now on neither a scan nor a connection begins. Other users of the adapter are
    /// not affected.
    func beginClosing() async {
        // On the loop: the caller ends scans and connections that began there before.
        await loop.run { [self] in
            closing.store(true, ordering: .sequentiallyConsistent)
            scans.value.close()
        }
    }

    /// Releases the lease; the adapter closes with the last one.
    func close() async {
        states.finish()
        await lease.release()
    }
}

/// Observes the adapter on the loop and updates the ``AdapterSession``, which it does not retain.
private final class RadioWatcher: RadioObserver {
    let initial: (RadioState, String)
    weak var radio: AdapterSession?

    init(initial: (RadioState, String)) { self.initial = initial }

    func radioStateChanged(_ backend: any RadioBackend) { radio?.stateChanged(backend.state, backend.stateReason) }
    func peripheralConnected(_ peripheral: PeripheralID) {}
    func peripheralDisconnected(_ peripheral: PeripheralID, _ error: RadioError) {}
}
