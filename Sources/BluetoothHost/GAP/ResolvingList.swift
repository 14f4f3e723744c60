import BluetoothHCI
import BluetoothModel

/// The bonded devices whose private addresses the controller resolves (Core 6.0, Vol 4, Part E, 7.8.38 to 7.8.44 and
/// 7.8.77). The host resolves the others, if the controller lacks address resolution or its list is full.
///
/// The list can change only while the controller does not scan, initiate or advertise. Those state machines stop while
/// ``isSettled`` is false, and restart by themselves afterwards.
final class ResolvingList {
    /// One device of the list.
    private struct Entry: Hashable {
        let peer: BluetoothAddress
        let key: SecurityKey
        /// True if the device has used a private address; false if it has only distributed a key.
        let isPrivate: Bool
    }

    private enum Step {
        case remove(Entry)
        case add(Entry)
        case resolve(Bool)
    }

    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    /// The capacity of the controller's list; 0 without address resolution.
    private var capacity = 0
    /// The entries in the controller.
    private var held: [Entry] = []
    /// The entries that should be in the controller.
    private var wanted: [Entry] = []
    /// The entries that the controller refused.
    private var refused: Set<Entry> = []
    /// True while address resolution is enabled in the controller.
    private(set) var isResolving = false
    private var isBusy = false

    init(host: LEHost) { self.host = host }

    /// Starts with a controller that is ready. Its list is empty after the reset.
    func open(_ info: ControllerInfo) {
        close()
        capacity = host.configuration.usesResolvingList ? info.resolvingListSize : 0
        bondsChanged()
    }

    /// Discards all state when the controller becomes unavailable.
    func close() {
        (capacity, held, wanted, refused, isResolving, isBusy) = (0, [], [], [], false, false)
    }

    /// Updates the wanted entries after bonds were added or removed.
    func bondsChanged() {
        guard capacity > 0, let manager = host.securityManager else { return }
        // Without privacy modes, a controller may ignore a device that has a key but advertises with its identity
        // address.
        let hasModes = host.controller?.knows(.leSetPrivacyMode) ?? false
        var known: Set<BluetoothAddress> = []
        let entries = manager.bonds.bonds.compactMap { bond -> Entry? in
            guard let key = bond.peerIdentityKey, hasModes || bond.peerUsesPrivateAddresses else { return nil }
            let entry = Entry(peer: bond.peerAddress, key: key, isPrivate: bond.peerUsesPrivateAddresses)
            return refused.contains(entry) || !known.insert(entry.peer).inserted ? nil : entry
        }
        // Devices that can only be recognised by address resolution come first.
        wanted = Array((entries.filter(\.isPrivate) + entries.filter { !$0.isPrivate }).prefix(capacity))
        host.settle()
    }

    /// Returns true if the controller resolves the private addresses of this device.
    func resolves(_ peer: BluetoothAddress) -> Bool { isResolving && held.contains { $0.peer == peer } }

    /// True if no change of the list is outstanding, so that other state machines may run.
    var isSettled: Bool { !isBusy && next == nil }

    /// Disables address resolution in the controller if it reported an address unresolved that its list should resolve.
    func heard(_ address: BluetoothAddress) {
        guard isSettled, let manager = host.securityManager else { return }
        let identity = manager.identity(behind: address)
        guard identity != address, held.contains(where: { $0.peer == identity }) else { return }
        wanted = []
        capacity = 0
        host.settle()
    }

    // MARK: Steps

    private var next: Step? {
        if let surplus = held.first(where: { !wanted.contains($0) }) { return .remove(surplus) }
        if let missing = wanted.first(where: { !held.contains($0) }) { return .add(missing) }
        return isResolving == wanted.isEmpty ? .resolve(!wanted.isEmpty) : nil
    }

    /// Makes the next change once scanning, initiating and advertising are off.
    func step() {
        guard !isBusy, let step = next, host.scanner.isOff, host.initiator.isOff, host.advertising.isOff else { return }
        isBusy = true
        switch step {
        case .remove(let entry):
            run(.leRemoveDeviceFromResolvingList, { Self.write(entry.peer, to: &$0) }) { [self] _ in
                // The entry is not in the list, even if the controller refused to remove it.
                held.removeAll { $0 == entry }
            }
        case .add(let entry):
            let own = host.securityManager?.identityKey.littleEndian ?? [UInt8](repeating: 0, count: 16)
            run(
                .leAddDeviceToResolvingList,
                {
                    Self.write(entry.peer, to: &$0)
                    $0.append(entry.key.littleEndian)
                    $0.append(own)
                }
            ) { [self] isDone in
                guard isDone else { return refuse(entry) }
                held.append(entry)
                if host.controller?.knows(.leSetPrivacyMode) ?? false { allowIdentity(entry) }
            }
        case .resolve(let isOn):
            run(.leSetAddressResolutionEnable, { $0.uint8(isOn ? 1 : 0) }) { [self] isDone in
                if isDone || !isOn { return isResolving = isOn }
                capacity = 0
                wanted = []
            }
        }
    }

    /// Sets device privacy mode, because many devices have a key but also advertise with their identity address.
    private func allowIdentity(_ entry: Entry) {
        isBusy = true
        run(
            .leSetPrivacyMode,
            {
                Self.write(entry.peer, to: &$0)
                $0.uint8(1)
            }
        ) { [self] isDone in if !isDone, !entry.isPrivate { refuse(entry) } }
    }

    private func refuse(_ entry: Entry) {
        refused.insert(entry)
        wanted.removeAll { $0 == entry }
    }

    private func run(
        _ opcode: HCIOpcode, _ write: (inout ByteWriter) -> Void, _ completion: @escaping (_ isDone: Bool) -> Void
    ) {
        host.commands.run(opcode, .dispensable, write: write) { [self] result in
            guard host.isReady else { return }
            isBusy = false
            completion((try? result.get()) != nil)
            host.settle()
        }
    }

    private static func write(_ peer: BluetoothAddress, to writer: inout ByteWriter) {
        writer.uint8(peer.kind.rawValue)
        peer.write(to: &writer)
    }
}
