import BluetoothCipher
import BluetoothModel
import BluetoothRuntime

/// The resolving list: peers with their identity resolving keys (Core 6.0, Vol 6, Part B, 6.1), and their current
/// private addresses.
final class ControllerResolvingList {
    /// A peer in the list.
    final class Entry {
        /// The identity address of the peer.
        let peer: BluetoothAddress
        /// The key of the peer's private addresses; nil if it has none.
        let peerKey: IdentityResolvingKey?
        /// The key of the private addresses that this controller uses towards the peer; nil if it uses none.
        let localKey: IdentityResolvingKey?
        /// True in device privacy mode, in which the peer may also use its identity address; false in network privacy
        /// mode.
        var usesDevicePrivacy = false
        /// The last private address of the peer.
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

    /// The maximum number of remembered results of address resolution. Beyond it they are discarded and computed again.
    private static let memoryLimit = 1024
    private static let standardTimeout: UInt16 = 900

    private let capacity: Int
    private var entries: [Entry] = [] { didSet { updateActivity() } }
    private var byPeer: [BluetoothAddress: Entry] = [:]
    /// Results of address resolution; the inner nil stands for an unknown device. An advertiser is received many times
    /// with the same address, and resolving it costs one encryption per entry.
    private var memory: [UInt64: Entry?] = [:]
    /// True while addresses of peers are resolved. Own private addresses are generated in any case.
    var isResolving = false { didSet { updateActivity() } }
    /// True if there is anything to resolve; evaluated for every received packet.
    private(set) var isActive = false
    /// The time until a resolvable private address is replaced, in seconds.
    var timeout = ControllerResolvingList.standardTimeout

    init(capacity: Int) { self.capacity = capacity }

    /// Restores the state after a reset of the controller.
    func reset() {
        removeAll()
        isResolving = false
        timeout = Self.standardTimeout
    }

    private func updateActivity() { isActive = isResolving && !entries.isEmpty }

    // MARK: The list

    func entry(for peer: BluetoothAddress) -> Entry? { byPeer[peer] }

    /// Adds a peer, or returns the reason for the refusal. Two entries with the same identity or the same key would be
    /// ambiguous.
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

    /// Removes a peer. Returns false if it is not in the list.
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

    /// The peer with this resolvable private address; nil if unknown.
    func resolve(_ address: BluetoothAddress) -> Entry? {
        if let known = memory[address.value] { return known }
        let entry = entries.first { $0.peerKey?.resolves(address) == true }
        if memory.count >= Self.memoryLimit { memory = [:] }
        memory[address.value] = .some(entry)
        return entry
    }

    /// Returns true for a resolvable private address that this controller uses towards one of the peers.
    func isOwn(_ address: BluetoothAddress) -> Bool {
        entries.contains { $0.localKey?.resolves(address) == true }
    }

    // MARK: Making addresses

    /// The private address that this controller uses towards a peer; nil if it has no key for that.
    func localAddress(of entry: Entry, at now: RadioInstant, using generator: inout AirGenerator) -> BluetoothAddress? {
        guard let key = entry.localKey else { return nil }
        if let address = entry.localAddress, isFresh(address.since, now) { return address.value }
        let address = key.makeAddress(using: &generator)
        entry.localAddress = (address, now)
        return address
    }

    /// A private address for packets directed at the peer; nil if the peer has no key.
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
