import BluetoothBackend
import BluetoothRuntime
import Synchronization

/// A lease of an open adapter, with the security policy and the pairing handler of its holder.
package final class AdapterLease: Sendable {
    /// The adapter's record of the holder: its policy, and its pairing handler, initially nil. Accessed on the loop.
    package let user: LoopBound<RadioUser>
    private let adapter: OpenAdapter
    private let source: AdapterSource
    private let registry: AdapterRegistry
    private let isReleased = Mutex(false)

    init(
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
    package var backend: LoopBound<any RadioBackend> { adapter.backend }
    /// The adapter's loop.
    package var loop: RadioLoop { adapter.backend.loop }

    /// Releases the lease, and returns when that is done; the adapter closes with the last one.
    package func release() async {
        let first = isReleased.withLock { released in
            defer { released = true }
            return !released
        }
        if first { await Self.release(adapter, user, source, registry) }
    }
}
