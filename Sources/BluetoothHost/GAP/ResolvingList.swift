import BluetoothHCI
import BluetoothModel

/// The bonded devices whose private addresses the controller resolves (Core 6.0, Vol 4, Part E, 7.8.38 to 7.8.44 and
/// 7.8.77). Those that it does not, because it cannot or has no room, the host resolves.
///
/// The list changes only while the controller neither scans nor initiates nor advertises. Those machines rest as long
/// as ``isSettled`` is false, and start again by themselves after that.
final class ResolvingList {
    /// One device.
    private struct Entry: Hashable {
        let peer: BluetoothAddress
        let key: SecurityKey
        /// Whether it was met behind a private address, rather than only having handed over a key.
        let isPrivate: Bool
    }

    private enum Step {
        case remove(Entry)
        case add(Entry)
        case resolve(Bool)
    }

    private unowned let host: LEHost
    /// How many devices fit; 0 where the controller resolves nothing.
    private var capacity = 0
    /// What the controller has.
    private var held: [Entry] = []
    /// What it should have.
    private var wanted: [Entry] = []
    /// What it did not take.
    private var refused: Set<Entry> = []
    /// Whether the controller resolves.
    private(set) var isResolving = false
    private var isBusy = false

    init(host: LEHost) { self.host = host }

    /// A controller is ready; after its reset it holds nothing.
    func open(_ info: ControllerInfo) {
        close()
        capacity = host.configuration.usesResolvingList ? info.resolvingListSize : 0
        bondsChanged()
    }

    /// The controller is gone.
    func close() {
        (capacity, held, wanted, refused, isResolving, isBusy) = (0, [], [], [], false, false)
    }

    /// Bonds came or went.
    func bondsChanged() {
        guard capacity > 0, let manager = host.securityManager else { return }
        // Before there were privacy modes, a controller might not listen to a device that has a key and does not use
        // it.
        let hasModes = host.controller?.knows(.leSetPrivacyMode) ?? false
        var known: Set<BluetoothAddress> = []
        let entries = manager.bonds.bonds.compactMap { bond -> Entry? in
            guard let key = bond.peerIdentityKey, hasModes || bond.peerUsesPrivateAddresses else { return nil }
            let entry = Entry(peer: bond.peerAddress, key: key, isPrivate: bond.peerUsesPrivateAddresses)
            return refused.contains(entry) || !known.insert(entry.peer).inserted ? nil : entry
        }
        // Those that cannot be recognised otherwise come first.
        wanted = Array((entries.filter(\.isPrivate) + entries.filter { !$0.isPrivate }).prefix(capacity))
        host.settle()
    }

    /// Whether the controller says whose a private address of this device is.
    func resolves(_ peer: BluetoothAddress) -> Bool { isResolving && held.contains { $0.peer == peer } }

    /// Whether nothing has to rest for a change of the list.
    var isSettled: Bool { !isBusy && next == nil }

    /// A private address was heard as it is: a controller that was to resolve it says that it can, and does not.
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

    /// Makes the next change once everything rests that blocks it.
    func step() {
        guard !isBusy, let step = next, host.scanner.isOff, host.initiator.isOff, host.advertising.isOff else { return }
        isBusy = true
        switch step {
        case .remove(let entry):
            run(.leRemoveDeviceFromResolvingList, { Self.write(entry.peer, to: &$0) }) { [self] _ in
                // What cannot be removed is not there.
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

    /// A device may come with its identity address too: many have a key and do not use it.
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
