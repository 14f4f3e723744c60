import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport
import Synchronization

/// The adapters that are open in this program: a URI that is opened twice is one adapter.
public final class AdapterRegistry: Sendable {
    /// The registry of the program.
    public static let shared = AdapterRegistry()

    private struct Entry: Sendable {
        var opening: Task<OpenAdapter, any Error>
        var leases: Int
    }

    private let entries = Mutex<[AdapterSource: Entry]>([:])

    /// The number of adapters that are open, or being opened.
    package var openCount: Int { entries.withLock { $0.count } }

    /// Opens an adapter, or takes a further lease of it. The lease ends with ``AdapterLease/release()``, or with its
    /// deinitialization. `system` gives access to the adapters of the operating system's own service, where there is a
    /// backend for them.
    ///
    /// Options of the whole adapter apply to all its leases: a lease whose options differ from those that the adapter
    /// was opened with is an error, which names both values. The security policy is that of the lease alone. A
    /// cancelled caller stops waiting at once; the opening is cancelled where no other caller waits for it.
    /// - Throws: ``RadioError`` with `invalidArgument` or `unsupported` for options that cannot be applied,
    ///   `cancelled`, or the error of the opening.
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
        case .success(let adapter):
            if let conflict = adapter.conflict(with: options) {
                await release(adapter, source: source)
                throw conflict
            }
            let user = await adapter.backend.loop.run { [backend = adapter.backend] in
                let user = RadioUser(policy: options.security)
                backend.value.addUser(user)
                return LoopBound(confined: user, loop: backend.loop)
            }
            return AdapterLease(adapter: adapter, user: user, source: source, registry: self)
        case .failure(let error):
            entries.withLock { if $0[source]?.opening == opening { $0[source] = nil } }
            throw error as? RadioError ?? .radio(.unsupported, reason: "\(error)")
        case nil:
            abandon(opening, source: source)
            throw .cancelled
        }
    }

    /// Removes a cancelled caller from an opening, which is cancelled with its last one.
    private func abandon(_ opening: Task<OpenAdapter, any Error>, source: AdapterSource) {
        let isLast = entries.withLock { entries in
            guard var entry = entries[source], entry.opening == opening else { return false }
            entry.leases -= 1
            entries[source] = entry.leases == 0 ? nil : entry
            return entry.leases == 0
        }
        guard isLast else { return }
        opening.cancel()
        // The opening may have succeeded before it was cancelled.
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

/// Waits for an opening that other callers may wait for too, until the caller's own task is cancelled.
private final class Wait: Sendable {
    private enum State {
        case beginning
        case waiting(CheckedContinuation<Result<OpenAdapter, any Error>?, Never>)
        case over
    }

    private let state = Mutex(State.beginning)

    /// Returns the result of the opening; nil where the task was cancelled before.
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

/// An open adapter.
struct OpenAdapter: Sendable {
    /// The options that apply to all leases.
    enum Settings: Sendable {
        /// This package's host stack, with the options that it was opened with.
        case host(AdapterOptions, isVirtual: Bool)
        /// The operating system's service, which has settings of its own.
        case system
        /// A backend of the caller, or an absent adapter.
        case unknown
    }

    let backend: LoopBound<any RadioBackend>
    let settings: Settings

    init(_ backend: LoopBound<any RadioBackend>, _ settings: Settings) {
        self.backend = backend
        self.settings = settings
    }

    /// To be called on the backend's loop.
    init(_ backend: any RadioBackend, _ settings: Settings) {
        self.init(LoopBound(confined: backend, loop: backend.loop), settings)
    }

    /// Returns the reason why a further lease with `options` is refused; nil where it is possible.
    func conflict(with options: AdapterOptions) -> RadioError? {
        switch settings {
        case .host(let opened, let isVirtual): options.conflict(with: opened, isVirtual: isVirtual)
        case .system: options.systemConflict
        case .unknown: nil
        }
    }

    /// Closes the adapter and returns once it is released.
    func close() async {
        await withCheckedContinuation { continuation in
            backend.loop.execute { [backend] in backend.value.close { continuation.resume() } }
        }
    }
}

/// A lease of an open adapter, with the security policy and the pairing handler of its holder.
public final class AdapterLease: Sendable {
    /// The adapter's record of the holder: its policy, and its pairing handler, initially nil. Accessed on the loop.
    public let user: LoopBound<RadioUser>
    private let adapter: OpenAdapter
    private let source: AdapterSource
    private let registry: AdapterRegistry
    private let isReleased = Mutex(false)

    fileprivate init(
        adapter: OpenAdapter, user: LoopBound<RadioUser>, source: AdapterSource, registry: AdapterRegistry
    ) {
        self.adapter = adapter
        self.user = user
        self.source = source
        self.registry = registry
    }

    deinit {
        guard !isReleased.withLock({ $0 }) else { return }
        let (adapter, user, source, registry) = (adapter, user, source, registry)
        Task { await Self.release(adapter, user, source, registry) }
    }

    private static func release(
        _ adapter: OpenAdapter, _ user: LoopBound<RadioUser>, _ source: AdapterSource, _ registry: AdapterRegistry
    ) async {
        await adapter.backend.loop.run { adapter.backend.value.removeUser(user.value) }
        await registry.release(adapter, source: source)
    }

    /// The adapter.
    public var backend: LoopBound<any RadioBackend> { adapter.backend }
    /// The adapter's loop.
    public var loop: RadioLoop { adapter.backend.loop }

    /// Releases the lease, and returns when that is done; the adapter closes with the last one.
    public func release() async {
        let first = isReleased.withLock { released in
            defer { released = true }
            return !released
        }
        if first { await Self.release(adapter, user, source, registry) }
    }
}
