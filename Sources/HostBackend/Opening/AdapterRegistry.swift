import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import Synchronization

/// The adapters that are open in this program: one URI opened twice is one adapter.
public final class AdapterRegistry: Sendable {
    /// The registry of the program.
    public static let shared = AdapterRegistry()

    private struct Entry: Sendable {
        var opening: Task<OpenAdapter, any Error>
        var leases: Int
    }

    private let entries = Mutex<[AdapterSource: Entry]>([:])

    /// Opens an adapter, or takes a further share in it. The share ends with ``AdapterLease/release()``, or with the
    /// lease. `system` reaches the adapters of the operating system's own service, where there is a backend for that.
    public func open(
        _ source: AdapterSource, options: AdapterOptions, system: (any SystemAdapters)? = nil
    ) async throws(RadioError) -> AdapterLease {
        let opening = entries.withLock { entries -> Task<OpenAdapter, any Error> in
            if var entry = entries[source] {
                entry.leases += 1
                entries[source] = entry
                return entry.opening
            }
            let task = Task { try await AdapterOpener(options: options, system: system).open(source) }
            entries[source] = Entry(opening: task, leases: 1)
            return task
        }
        switch await opening.result {
        case .success(let adapter): return AdapterLease(adapter: adapter, source: source, registry: self)
        case .failure(let error):
            _ = entries.withLock { $0.removeValue(forKey: source) }
            throw error as? RadioError ?? .radio(.unsupported, reason: "\(error)")
        }
    }

    fileprivate func release(_ adapter: OpenAdapter, source: AdapterSource) async {
        let isLast = entries.withLock { entries in
            guard var entry = entries[source] else { return false }
            entry.leases -= 1
            entries[source] = entry.leases == 0 ? nil : entry
            return entry.leases == 0
        }
        guard isLast else { return }
        let backend = adapter.backend
        await withCheckedContinuation { continuation in
            backend.loop.execute { backend.value.close { continuation.resume() } }
        }
    }
}

/// An adapter that is open.
struct OpenAdapter: Sendable {
    let backend: LoopBound<any RadioBackend>

    init(_ backend: LoopBound<any RadioBackend>) { self.backend = backend }

    /// On the backend's loop.
    init(_ backend: any RadioBackend) { self.backend = LoopBound(confined: backend, loop: backend.loop) }
}

/// One share in an opened adapter.
public final class AdapterLease: Sendable {
    private let adapter: OpenAdapter
    private let source: AdapterSource
    private let registry: AdapterRegistry
    private let isReleased = Mutex(false)

    fileprivate init(adapter: OpenAdapter, source: AdapterSource, registry: AdapterRegistry) {
        self.adapter = adapter
        self.source = source
        self.registry = registry
    }

    deinit {
        guard !isReleased.withLock({ $0 }) else { return }
        let (adapter, source, registry) = (adapter, source, registry)
        Task { await registry.release(adapter, source: source) }
    }

    /// The adapter.
    public var backend: LoopBound<any RadioBackend> { adapter.backend }
    /// Its loop.
    public var loop: RadioLoop { adapter.backend.loop }

    /// Gives the share back, and returns when that is done; the adapter closes with the last one.
    public func release() async {
        let first = isReleased.withLock { released in
            defer { released = true }
            return !released
        }
        if first { await registry.release(adapter, source: source) }
    }
}
