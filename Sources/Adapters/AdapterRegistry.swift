import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// The adapters that are open in this program: a URI that is opened twice is one adapter.
package final class AdapterRegistry: Sendable {
    /// The registry of the program.
    package static let shared = AdapterRegistry()

    private struct Entry: Sendable {
        var opening: Task<OpenAdapter, any Error>
        var leases: Int
    }

    private let entries = Mutex<[AdapterSource: Entry]>([:])

    /// The number of adapters that are open, or being opened.
    package var openCount: Int { entries.withLock { $0.count } }

    /// Opens an adapter, or takes a further lease of it. The lease ends with ``AdapterLease/release()``, or with its
    /// deinitialization.
    ///
    /// Options of the whole adapter apply to all its leases: a lease whose options differ from those that the adapter
    /// was opened with is an error, which names both values. The security policy is that of the lease alone. A
    /// cancelled caller stops waiting at once; the opening is cancelled where no other caller waits for it.
    /// - Throws: ``RadioError`` with `invalidArgument` or `unsupported` for options that cannot be applied,
    ///   `cancelled`, or the error of the opening.
    package func open(
        _ source: AdapterSource, options: AdapterOptions
    ) async throws(RadioError) -> AdapterLease {
        let opening = entries.withLock { entries -> Task<OpenAdapter, any Error> in
            if var entry = entries[source] {
                entry.leases += 1
                entries[source] = entry
                return entry.opening
            }
            let task = Task { try await AdapterOpener(options: options).open(source) }
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

    func release(_ adapter: OpenAdapter, source: AdapterSource) async {
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
