import BluetoothBackend
import BluetoothModel
import SystemBus

/// The clients that discover devices with an adapter, and their filters. Each client has one discovery.
struct DiscoveryClients {
    private struct Client {
        var filter: DiscoveryFilter?
        var isDiscovering = false
    }

    private var clients: [String: Client] = [:]

    private var discovering: some Collection<Client> { clients.values.lazy.filter(\.isDiscovering) }

    /// True while a client discovers.
    var isDiscovering: Bool { !discovering.isEmpty }
    /// True if every client that discovers has a filter.
    var isFiltered: Bool { discovering.allSatisfy { $0.filter != nil } }
    /// True if a client wants the data of every advertisement.
    var reportsDuplicates: Bool { discovering.contains { $0.filter?.reportsDuplicates == true } }

    /// Starts the discovery of a client.
    /// - Throws: `InProgress` if it discovers already.
    mutating func start(_ client: String) throws(BusError) {
        if clients[client]?.isDiscovering == true { throw .busy }
        clients[client, default: Client()].isDiscovering = true
    }

    /// Stops the discovery of a client, whose filter remains for the next one.
    /// - Throws: `Failed` if it does not discover.
    mutating func stop(_ client: String) throws(BusError) {
        guard let old = clients[client], old.isDiscovering else { throw .failed("No discovery started") }
        clients[client] = old.filter.map { Client(filter: $0) }
    }

    /// Stops all discoveries; the filters remain.
    mutating func stopAll() { for client in clients.keys { try? stop(client) } }

    /// Sets the filter of a client; nil removes it.
    mutating func setFilter(_ filter: DiscoveryFilter?, of client: String) {
        let isDiscovering = clients[client]?.isDiscovering ?? false
        clients[client] = filter == nil && !isDiscovering ? nil : Client(filter: filter, isDiscovering: isDiscovering)
    }

    /// Forgets a client that left the bus.
    mutating func remove(_ client: String) { clients[client] = nil }

    /// Returns true if an advertisement is to be announced: if one of the clients wants it.
    ///
    /// Without filters the device has to be discoverable, and a pattern of any client is required of all devices, as
    /// with `bluetoothd`.
    func wants(_ report: ScanReport) -> Bool {
        let filters = discovering.map(\.filter)
        let patterns = filters.compactMap { $0?.matchesPattern(report) }
        let flags = report.advertisement.flags ?? []
        let isDiscoverable = isFiltered || !flags.isDisjoint(with: [.limitedDiscoverable, .generalDiscoverable])
        guard patterns.isEmpty ? isDiscoverable : patterns.contains(true) else { return false }
        return filters.contains { $0?.matches(report) ?? true }
    }
}
