import BluetoothModel
import BluetoothRuntime

/// Peers with their identity resolving keys, as the host gave them (Core 6.0, Vol 6, Part B, 6.1), and the private
/// addresses that belong to them.
final class ResolvingList {
    /// One peer.
    final class Entry {
        /// Its identity address.
        let peer: BluetoothAddress
        /// Makes and resolves its private addresses; nil where it has none.
        let peerKey: IdentityResolvingKey?
        /// Makes and resolves those that this controller uses towards it.
        let localKey: IdentityResolvingKey?
        /// Whether the peer may also come with its identity address; in network privacy mode it must not.
        var usesDevicePrivacy = false
        /// The private address with which it came last.
        var seenAddress: BluetoothAddress?
        fileprivate var localAddress: (value: BluetoothAddress, since: RadioInstant)?
        fileprivate var peerAddress: (value: BluetoothAddress, since: RadioInstant)?

        init(peer: BluetoothAddress, peerKey: [UInt8], localKey: [UInt8]) {
            self.peer = peer
            self.peerKey = IdentityResolvingKey(littleEndian: peerKey)
            self.localKey = IdentityResolvingKey(littleEndian: localKey)
        }
    }

    enum Refusal {
        case full
        case known
    }

    /// What is remembered about addresses; beyond it they are looked at again.
    private static let memoryLimit = 1024
    private static let standardTimeout: UInt16 = 900

    private let capacity: Int
    private var entries: [Entry] = [] { didSet { updateActivity() } }
    private var byPeer: [BluetoothAddress: Entry] = [:]
    /// Whose address this is; nil inside for a stranger's. An advertiser is heard many times with one address, and to
    /// resolve it takes one encryption for each entry.
    private var memory: [UInt64: Entry?] = [:]
    /// Whether addresses of peers are resolved. Own ones are made in any case.
    var isResolving = false { didSet { updateActivity() } }
    /// Whether there is something to resolve: what every received packet asks.
    private(set) var isActive = false
    /// How long a resolvable private address is used, in seconds.
    var timeout = ResolvingList.standardTimeout

    init(capacity: Int) { self.capacity = capacity }

    /// As after a reset of the controller.
    func reset() {
        removeAll()
        isResolving = false
        timeout = Self.standardTimeout
    }

    private func updateActivity() { isActive = isResolving && !entries.isEmpty }

    // MARK: The list

    func entry(for peer: BluetoothAddress) -> Entry? { byPeer[peer] }

    /// Adds a peer, or says why not: two with one identity, or with one key, could not be told apart.
    func insert(_ entry: Entry) -> Refusal? {
        let isKnown = entries.contains { other in
            other.peer == entry.peer || other.peerKey != nil && other.peerKey == entry.peerKey
        }
        guard !isKnown else { return .known }
        guard entries.count < capacity else { return .full }
        entries.append(entry)
        byPeer[entry.peer] = entry
        memory = [:]
        return nil
    }

    /// False where the peer is not in the list.
    func remove(_ peer: BluetoothAddress) -> Bool {
        guard let entry = byPeer.removeValue(forKey: peer) else { return false }
        entries.removeAll { $0 === entry }
        memory = [:]
        return true
    }

    func removeAll() {
        entries = []
        byPeer = [:]
        memory = [:]
    }

    // MARK: Resolving

    /// The peer behind a resolvable private address; nil for a stranger.
    func resolve(_ address: BluetoothAddress) -> Entry? {
        if let known = memory[address.value] { return known }
        let entry = entries.first { $0.peerKey?.resolves(address) == true }
        if memory.count >= Self.memoryLimit { memory = [:] }
        memory[address.value] = .some(entry)
        return entry
    }

    /// Whether a resolvable private address is one that this controller uses towards one of the peers.
    func isOwn(_ address: BluetoothAddress) -> Bool {
        entries.contains { $0.localKey?.resolves(address) == true }
    }

    // MARK: Making addresses

    /// The private address that this controller uses towards a peer; nil where it has no key for that.
    func localAddress(of entry: Entry, at now: RadioInstant, using generator: inout AirGenerator) -> BluetoothAddress? {
        guard let key = entry.localKey else { return nil }
        if let address = entry.localAddress, isFresh(address.since, now) { return address.value }
        let address = key.makeAddress(using: &generator)
        entry.localAddress = (address, now)
        return address
    }

    /// A private address with which the peer is called; nil where it has no key.
    func peerAddress(of entry: Entry, at now: RadioInstant, using generator: inout AirGenerator) -> BluetoothAddress? {
        guard let key = entry.peerKey else { return nil }
        if let address = entry.peerAddress, isFresh(address.since, now) { return address.value }
        let address = key.makeAddress(using: &generator)
        entry.peerAddress = (address, now)
        entry.seenAddress = address
        return address
    }

    private func isFresh(_ since: RadioInstant, _ now: RadioInstant) -> Bool { now < since + .seconds(Int64(timeout)) }
}
