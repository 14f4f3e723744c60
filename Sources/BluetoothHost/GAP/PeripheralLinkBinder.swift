import BluetoothModel
import BluetoothRuntime

/// Finds out which of the devices that this host plays a central has connected to.
///
/// With one connectable advertisement there is no question. With several, the connection waits for the event that tells
/// which set it ended; should data come first, the set that has advertised longest gets the link.
final class PeripheralLinkBinder {
    private unowned let host: LEHost
    /// Connections that wait for the end of their advertising set; a controller has no more than a few.
    private var unbound: [LEConnection] = []
    /// A set that told of a connection before the connection itself came.
    private var early: (set: UInt8, connection: UInt16)?
    private lazy var timer = host.time.timers.makeTimer { [unowned self] in bindAll() }

    init(host: LEHost) { self.host = host }

    /// Forgets everything: the controller is gone.
    func close() {
        unbound = []
        early = nil
        timer.disarm()
    }

    /// A central connected.
    func established(_ connection: LEConnection) {
        let candidates = host.advertising.connectableSets
        let told = early.flatMap { $0.connection == connection.handle ? host.advertising.set($0.set) : nil }
        early = nil
        if let set = told ?? (candidates.count == 1 ? candidates.first : nil) { return bind(connection, to: set) }
        guard !candidates.isEmpty else { return host.reject(connection.handle) }
        unbound.append(connection)
        timer.arm(at: host.now + .seconds(1))
    }

    /// A set ended because of a connection.
    func terminated(set number: UInt8, connection handle: UInt16) {
        guard let set = host.advertising.set(number) else { return }
        if let index = unbound.firstIndex(where: { $0.handle == handle }) {
            bind(unbound.remove(at: index), to: set)
        } else if host.links[handle] == nil {
            early = (number, handle)
        }
    }

    /// Data came on a link that waits: it cannot wait any longer.
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

    /// A connection ended.
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
        // Bonds belong to the identity, where the set has one of its own.
        let own = set.privateAddress == nil ? met : set.fixedAddress ?? met
        host.advertising.connected(set)
        let link = host.open(connection, ownAddress: own, ownAirAddress: met, identity: set.identity)
        set.onTerminated?(.connected(link))
    }
}
