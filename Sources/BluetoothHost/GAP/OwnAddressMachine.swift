import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// Selects the own address and sets the controller's random address.
///
/// The controller accepts a random address only while it does not scan, initiate, or advertise with legacy commands
/// (Core 6.0, Vol 4, Part E, 7.8.4). Those state machines stop while ``isSettled`` is false, and restart by themselves
/// afterwards.
final class OwnAddressMachine {
    private enum State {
        case closed
        case open
        case setting(BluetoothAddress)
    }

    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    private(set) var policy: OwnAddressPolicy
    private var state = State.closed
    /// The policy before a change in progress, and the completion of the change.
    private var change: (previous: OwnAddressPolicy, completion: (Result<BluetoothAddress, RadioError>) -> Void)?
    private var publicAddress: BluetoothAddress?
    private var madeUpAddress: BluetoothAddress?
    /// The random address that is set in the controller.
    private var current: BluetoothAddress?
    /// The current private address; nil if the policy uses none.
    private var privateAddress: BluetoothAddress?
    // Proof of `unowned`: only the host fires its timers, and it owns this object.
    private lazy var rotation = host.time.timers.makeTimer { [unowned self] in
        renewPrivateAddress()
        host.settle()
    }

    init(host: LEHost, policy: OwnAddressPolicy) {
        self.host = host
        self.policy = policy
    }

    /// Starts with a controller that is ready.
    func open(_ info: ControllerInfo) {
        publicAddress = info.publicAddress
        madeUpAddress = info.madeUpAddress
        current = nil
        if case .staticRandom = policy, let publicAddress, host.configuration.formerAddresses.contains(publicAddress) {
            policy = .public
        }
        state = .open
        renewPrivateAddress()
    }

    private func renewPrivateAddress() {
        if case .closed = state { return }
        guard case .resolvable(let key, let time) = policy else {
            privateAddress = nil
            return rotation.disarm()
        }
        privateAddress = .resolvable(with: key)
        rotation.arm(at: host.now + time)
    }

    /// Fails a pending change when the controller becomes unavailable.
    func close(_ error: RadioError) {
        state = .closed
        rotation.disarm()
        let ended = change
        change = nil
        if let ended { ended.completion(.failure(error)) }
    }

    /// The address that the policy requires; nil before the controller is ready.
    var ownAddress: BluetoothAddress? {
        if case .closed = state { return nil }
        return switch policy {
        case .public: publicAddress ?? madeUpAddress
        case .staticRandom(let address): address
        case .resolvable: privateAddress
        }
    }

    /// The identity address, which stays the same when private addresses rotate.
    var identityAddress: BluetoothAddress? {
        if case .staticRandom(let address) = policy { return address }
        return publicAddress ?? madeUpAddress
    }

    /// The address used for scanning and initiating: that of the policy, unless a legacy advertisement uses the
    /// controller's only random address.
    var initiatingAddress: BluetoothAddress? {
        guard let ownAddress, ownAddress.kind == .random else { return ownAddress }
        return current ?? ownAddress
    }

    /// The own address type in commands: 0 public, 1 random.
    var initiatingAddressType: UInt8 { initiatingAddress?.kind.rawValue ?? 0 }

    /// The random address that the controller needs; nil if none is used.
    private var needed: BluetoothAddress? {
        host.advertising.legacyAddress ?? ownAddress.flatMap { $0.kind == .random ? $0 : nil }
    }

    /// True if no change of address is outstanding, so that other state machines may run.
    var isSettled: Bool {
        guard case .open = state else { return false }
        return needed == nil || needed == current
    }

    /// Changes the policy. Completes once the new address is in use.
    func change(to policy: OwnAddressPolicy, completion: @escaping (Result<BluetoothAddress, RadioError>) -> Void) {
        let superseded = change
        change = (superseded?.previous ?? self.policy, completion)
        self.policy = policy
        renewPrivateAddress()
        superseded?.completion(.failure(.cancelled))
        host.settle()
    }

    /// Sets the address once scanning, initiating and legacy advertising are off.
    func step() {
        guard case .open = state else { return }
        guard let needed, needed != current else {
            guard let ended = change, let ownAddress else { return }
            change = nil
            ended.completion(.success(ownAddress))
            return
        }
        guard host.scanner.isOff, host.initiator.isOff, host.advertising.isLegacyOff else { return }
        state = .setting(needed)
        host.commands.run(.leSetRandomAddress, write: { needed.write(to: &$0) }) { [self] result in
            wasSet(needed, result)
        }
    }

    private func wasSet(_ address: BluetoothAddress, _ result: Result<ByteView, RadioError>) {
        guard case .setting = state else { return }
        state = .open
        switch result {
        case .success: current = address
        case .failure(let error): wasRefused(error)
        }
        host.settle()
    }

    private func wasRefused(_ error: RadioError) {
        if host.advertising.legacyAddress != nil {
            host.advertising.addressRefused(error, current)
        } else if let ended = change {
            change = nil
            policy = ended.previous
            renewPrivateAddress()
            ended.completion(.failure(error))
        } else if case .resolvable = policy, let current, current.randomKind == .resolvablePrivate {
            // Keep the old private address rather than use one that can be tracked.
            privateAddress = current
        } else if publicAddress != nil {
            policy = .public
        } else {
            host.fail(.radio(.unsupported, reason: "the controller has no address and accepts none"))
        }
    }
}
