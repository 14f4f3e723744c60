import BluetoothModel
import BluetoothRuntime

/// Determines to which of the host's devices a central has connected.
///
/// With one connectable advertisement the answer is known. With several, the connection waits for the Advertising Set
/// Terminated event; if data arrives first, the first connectable set gets the link.
final class PeripheralLinkBinder {
    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    /// Connections that wait for the event that ends their advertising set. The number is small, limited by the
    /// controller.
    private var unbound: [LEConnection] = []
    /// A set whose termination event arrived before the connection event.
    private var early: (set: UInt8, connection: UInt16)?
    // Proof of `unowned`: only the host fires its timers, and it owns this object.
    private lazy var timer = host.time.timers.makeTimer { [unowned self] in bindAll() }

    init(host: LEHost) { self.host = host }

    /// Discards all state when the controller becomes unavailable.
    func close() {
        unbound = []
        early = nil
        timer.disarm()
    }

    /// Handles a connection by a central.
    func established(_ connection: LEConnection) {
        let candidates = host.advertising.connectableSets
        let terminated = early.flatMap { $0.connection == connection.handle ? host.advertising.set($0.set) : nil }
        early = nil
        if let set = terminated ?? (candidates.count == 1 ? candidates.first : nil) { return bind(connection, to: set) }
        guard !candidates.isEmpty else { return host.reject(connection.handle) }
        unbound.append(connection)
        timer.arm(at: host.now + .seconds(1))
    }

    /// Handles the end of a set due to a connection.
    func terminated(set number: UInt8, connection handle: UInt16) {
        guard let set = host.advertising.set(number) else { return }
        if let index = unbound.firstIndex(where: { $0.handle == handle }) {
            bind(unbound.remove(at: index), to: set)
        } else if host.links[handle] == nil {
            early = (number, handle)
        }
    }

    /// Binds a waiting connection immediately because data arrived on it.
    func bind(handle: UInt16) -> LELink? {
        guard !unbound.isEmpty, let index = unbound.firstIndex(where: { $0.handle == handle }) else { return nil }
        let connection = unbound.remove(at: index)
        guard let set = host.advertising.connectableSets.first else {
            host.reject(handle)
            return nil
        }
        bind(connection, to: set)
        return host.links[handle]
    }

    /// Discards the state of a connection that ended.
    func forget(_ handle: UInt16) {
        unbound.removeAll { $0.handle == handle }
        if early?.connection == handle { early = nil }
    }

    private func bindAll() {
        for connection in unbound { _ = bind(handle: connection.handle) }
        host.settle()
    }

    private func bind(_ connection: LEConnection, to set: AdvertisingSet) {
        let met = set.metAddress ?? connection.peerAddress
        // If the set has its own identity address, bonds belong to that address.
        let own = set.privateAddress == nil ? met : set.fixedAddress ?? met
        host.advertising.connected(set)
        let link = host.open(connection, ownAddress: own, ownAirAddress: met, identity: set.identity)
        set.onTerminated?(.connected(link))
    }
}
