import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// Decides which address goes on the air, and gives the controller its random address.
///
/// The controller takes a random address only while it neither scans nor initiates nor advertises with legacy commands
/// (Core 6.0, Vol 4, Part E, 7.8.4). Those machines rest as long as ``isSettled`` is false, and start again by
/// themselves after that.
final class OwnAddressMachine {
    private enum State {
        case closed
        case open
        case setting(BluetoothAddress)
    }

    private unowned let host: LEHost
    private(set) var policy: OwnAddressPolicy
    private var state = State.closed
    /// The policy before a change that is not through, and who waits for it.
    private var change: (previous: OwnAddressPolicy, completion: (Result<BluetoothAddress, RadioError>) -> Void)?
    private var publicAddress: BluetoothAddress?
    private var madeUpAddress: BluetoothAddress?
    /// The random address that the controller has.
    private var current: BluetoothAddress?
    /// The private address of the moment; nil where the policy wants none.
    private var privateAddress: BluetoothAddress?
    private lazy var rotation = host.time.timers.makeTimer { [unowned self] in
        renewPrivateAddress()
        host.settle()
    }

    init(host: LEHost, policy: OwnAddressPolicy) {
        self.host = host
        self.policy = policy
    }

    /// A controller is ready.
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

    /// The controller is gone.
    func close(_ error: RadioError) {
        state = .closed
        rotation.disarm()
        let ended = change
        change = nil
        if let ended { ended.completion(.failure(error)) }
    }

    /// The address that the policy asks for; nil before the controller is ready.
    var ownAddress: BluetoothAddress? {
        if case .closed = state { return nil }
        return switch policy {
        case .public: publicAddress ?? madeUpAddress
        case .staticRandom(let address): address
        case .resolvable: privateAddress
        }
    }

    /// The address that stays when private ones come and go.
    var identityAddress: BluetoothAddress? {
        if case .staticRandom(let address) = policy { return address }
        return publicAddress ?? madeUpAddress
    }

    /// The address that scanning and connecting use: like the policy's, unless a legacy advertisement has taken the
    /// controller's only random address.
    var initiatingAddress: BluetoothAddress? {
        guard let ownAddress, ownAddress.kind == .random else { return ownAddress }
        return current ?? ownAddress
    }

    /// 0 for public, 1 for random, as in commands.
    var initiatingAddressType: UInt8 { initiatingAddress?.kind.rawValue ?? 0 }

    /// The random address that the controller has to have; nil where none is used.
    private var needed: BluetoothAddress? {
        host.advertising.legacyAddress ?? ownAddress.flatMap { $0.kind == .random ? $0 : nil }
    }

    /// Whether nothing has to rest for a change of address.
    var isSettled: Bool {
        guard case .open = state else { return false }
        return needed == nil || needed == current
    }

    /// Changes the policy.
    func change(to policy: OwnAddressPolicy, completion: @escaping (Result<BluetoothAddress, RadioError>) -> Void) {
        let superseded = change
        change = (superseded?.previous ?? self.policy, completion)
        self.policy = policy
        renewPrivateAddress()
        superseded?.completion(.failure(.cancelled))
        host.settle()
    }

    /// Sets the address once everything rests that blocks it.
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
            // Rather the old private address a little longer than one that everybody recognises.
            privateAddress = current
        } else if publicAddress != nil {
            policy = .public
        } else {
            host.fail(.radio(.unsupported, reason: "the controller has no address and takes none"))
        }
    }
}
