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
    ///
    /// A caller that is cancelled stops waiting at once; the opening is given up where nobody else waits for it.
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
        switch await Wait.result(of: opening) {
        case .success(let adapter): return AdapterLease(adapter: adapter, source: source, registry: self)
        case .failure(let error):
            entries.withLock { if $0[source]?.opening == opening { $0[source] = nil } }
            throw error as? RadioError ?? .radio(.unsupported, reason: "\(error)")
        case nil:
            abandon(opening, source: source)
            throw .cancelled
        }
    }

    /// One who waited for an opening does so no more.
    private func abandon(_ opening: Task<OpenAdapter, any Error>, source: AdapterSource) {
        let isLast = entries.withLock { entries in
            guard var entry = entries[source], entry.opening == opening else { return false }
            entry.leases -= 1
            entries[source] = entry.leases == 0 ? nil : entry
            return entry.leases == 0
        }
        guard isLast else { return }
        opening.cancel()
        // It may have come too late for that.
        Task { if case .success(let adapter) = await opening.result { await adapter.close() } }
    }

    fileprivate func release(_ adapter: OpenAdapter, source: AdapterSource) async {
        let isLast = entries.withLock { entries in
            guard var entry = entries[source] else { return false }
            entry.leases -= 1
            entries[source] = entry.leases == 0 ? nil : entry
            return entry.leases == 0
        }
        if isLast { await adapter.close() }
    }
}

/// Waits for an opening that others wait for too, as long as one's own task is not cancelled.
private final class Wait: Sendable {
    private enum State {
        case beginning
        case waiting(CheckedContinuation<Result<OpenAdapter, any Error>?, Never>)
        case over
    }

    private let state = Mutex(State.beginning)

    /// What the opening came to; nil where the task was cancelled before.
    static func result(of opening: Task<OpenAdapter, any Error>) async -> Result<OpenAdapter, any Error>? {
        let wait = Wait()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard wait.begin(continuation) else { return continuation.resume(returning: nil) }
                Task { wait.end(await opening.result) }
            }
        } onCancel: {
            wait.end(nil)
        }
    }

    private func begin(_ continuation: CheckedContinuation<Result<OpenAdapter, any Error>?, Never>) -> Bool {
        state.withLock { state in
            guard case .beginning = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    private func end(_ result: Result<OpenAdapter, any Error>?) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<OpenAdapter, any Error>?, Never>? in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: result)
    }
}

/// An adapter that is open.
struct OpenAdapter: Sendable {
    let backend: LoopBound<any RadioBackend>

    init(_ backend: LoopBound<any RadioBackend>) { self.backend = backend }

    /// On the backend's loop.
    init(_ backend: any RadioBackend) { self.backend = LoopBound(confined: backend, loop: backend.loop) }

    /// Returns when everything is given back.
    func close() async {
        await withCheckedContinuation { continuation in
            backend.loop.execute { [backend] in backend.value.close { continuation.resume() } }
        }
    }
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
