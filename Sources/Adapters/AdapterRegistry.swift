import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import Synchronization

/// The adapters that are open in this program: a URI that is opened twice is one adapter.
package final class AdapterRegistry: Sendable {
    /// The registry of the program.
    package static let shared = AdapterRegistry()

    private enum Entry: Sendable {
        /// The adapter is open, or being opened.
        case open(Task<OpenAdapter, any Error>, leases: Int)
        /// The adapter of that opening is being closed. It can be opened again afterwards.
        case closing(Task<Void, Never>, of: Task<OpenAdapter, any Error>)
    }

    private let entries = Mutex<[AdapterSource: Entry]>([:])

    /// The number of adapters that are open, being opened or being closed.
    package var openCount: Int { entries.withLock { $0.count } }

    /// Opens an adapter, or takes a further lease of it. The lease ends with ``AdapterLease/release()``, or with its
    /// deinitialization.
    ///
    /// Options of the whole adapter apply to all its leases: a lease whose options differ from those that the adapter
    /// was opened with is an error, which names both values. The security policy is that of the lease alone. A
    /// cancelled caller stops waiting at once; the opening is cancelled where no other caller waits for it. An adapter
    /// that is being closed is opened once that is done: two host stacks cannot share a controller.
    /// - Throws: ``RadioError`` with `invalidArgument` or `unsupported` for options that cannot be applied,
    ///   `cancelled`, or the error of the opening.
    package func open(
        _ source: AdapterSource, options: AdapterOptions
    ) async throws(RadioError) -> AdapterLease {
        let opening = entries.withLock { entries -> Task<OpenAdapter, any Error> in
            var earlier: Task<Void, Never>?
            switch entries[source] {
            case .open(let opening, let leases):
                entries[source] = .open(opening, leases: leases + 1)
                return opening
            case .closing(let closing, _): earlier = closing
            case nil: break
            }
            let opening = Task { [earlier] in
                await earlier?.value
                return try await AdapterOpener(options: options).open(source)
            }
            entries[source] = .open(opening, leases: 1)
            return opening
        }
        switch await Self.result(of: opening) {
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
            entries.withLock { entries in
                if case .open(opening, _) = entries[source] { entries[source] = nil }
            }
            throw error as? RadioError ?? .radio(.unsupported, reason: "\(error)")
        case nil:
            abandon(opening, source: source)
            throw .cancelled
        }
    }

    /// Returns the result of an opening that other callers may wait for too; nil if the caller's own task is cancelled
    /// before.
    private static func result(of opening: Task<OpenAdapter, any Error>) async -> Result<OpenAdapter, any Error>? {
        let (results, continuation) = AsyncStream.makeStream(of: Result<OpenAdapter, any Error>.self)
        Task { continuation.yield(await opening.result) }
        return await results.first { _ in true }
    }

    /// Removes a cancelled caller from an opening, which is cancelled with its last one.
    private func abandon(_ opening: Task<OpenAdapter, any Error>, source: AdapterSource) {
        endLease(of: source, in: opening) {
            opening.cancel()
            // The opening may have succeeded before it was cancelled.
            if case .success(let adapter) = await opening.result { await adapter.close() }
        }
    }

    func release(_ adapter: OpenAdapter, source: AdapterSource) async {
        await endLease(of: source) { await adapter.close() }?.value
    }

    /// Ends one lease of an adapter, where it has that opening. With the last one the adapter is closed.
    /// - Returns: the closing of the adapter; nil if further leases remain.
    @discardableResult
    private func endLease(
        of source: AdapterSource, in opening: Task<OpenAdapter, any Error>? = nil,
        close: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never>? {
        entries.withLock { entries in
            guard case .open(let current, let leases) = entries[source], opening ?? current == current else {
                return nil
            }
            guard leases == 1 else {
                entries[source] = .open(current, leases: leases - 1)
                return nil
            }
            let closing = Task {
                await close()
                closed(source, current)
            }
            entries[source] = .closing(closing, of: current)
            return closing
        }
    }

    /// Removes the entry of an adapter that was closed, unless it is being opened again.
    private func closed(_ source: AdapterSource, _ opening: Task<OpenAdapter, any Error>) {
        entries.withLock { entries in
            if case .closing(_, opening) = entries[source] { entries[source] = nil }
        }
    }
}
