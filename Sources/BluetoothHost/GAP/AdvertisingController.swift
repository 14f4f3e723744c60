import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// Runs the advertising sets of a host: as many as the controller supports with extended commands, one with legacy
/// commands.
final class AdvertisingController {
    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    private(set) var sets: [AdvertisingSet] = []
    private var nextHandle: UInt8 = 0
    /// Ends a legacy advertisement after its duration; extended controllers do this themselves. Proof of `unowned`:
    /// only the host fires its timers, and it owns this object.
    private lazy var durationTimer = host.time.timers.makeTimer { [unowned self] in durationEnded() }

    init(host: LEHost) { self.host = host }

    deinit { for set in sets { set.controller = nil } }

    // MARK: Sets

    private var isExtended: Bool { host.controller?.usesExtendedAdvertising ?? false }

    func makeSet(_ identity: LocalIdentity) throws(RadioError) -> AdvertisingSet {
        if let fault = identity.fault { throw fault }
        let limit = host.advertisingSetLimit
        guard sets.count < limit else {
            throw .limit(
                "this controller supports \(limit.counted("advertising set")), "
                    + "and \(limit == 1 ? "it is" : "all are") in use")
        }
        let set = AdvertisingSet(identity: identity, handle: freeHandle(limit), controller: self)
        sets.append(set)
        renewPrivateAddress(of: set)
        return set
    }

    private func renewPrivateAddress(of set: AdvertisingSet) {
        guard let time = set.renewPrivateAddress() else { return }
        let rotation =
            set.rotation
            ?? host.time.timers.makeTimer { [weak self, weak set] in
                guard let self, let set else { return }
                renewPrivateAddress(of: set)
                host.settle()
            }
        set.rotation = rotation
        rotation.arm(at: host.now + time)
    }

    /// Returns the unused handle that was used least recently, so that late events of a removed set do not reach a new
    /// one.
    private func freeHandle(_ limit: Int) -> UInt8 {
        let count = UInt8(clamping: min(limit, 0xF0))
        for _ in 0..<count {
            let handle = nextHandle % count
            nextHandle = (handle + 1) % count
            if !sets.contains(where: { $0.handle == handle }) { return handle }
        }
        // Unreachable: there are fewer sets than handles.
        return 0
    }

    func set(_ handle: UInt8) -> AdvertisingSet? { sets.first { $0.handle == handle } }

    /// The sets that a central may have just connected to, in the order in which they were made.
    var connectableSets: [AdvertisingSet] {
        sets.filter { set in
            switch set.state {
            case .on(let running), .updating(let running), .starting(let running):
                running.content.parameters.isConnectable
            case .stopping: set.wasConnectable
            case .off, .removed: false
            }
        }
    }

    var adapterAddress: BluetoothAddress? { host.ownAddress }

    /// The random address that a legacy advertisement requires in the controller; nil if none does.
    var legacyAddress: BluetoothAddress? {
        guard !isExtended else { return nil }
        for set in sets where set.wanted != nil || !set.isOff {
            if case .staticRandom = set.identity.address { return set.address }
        }
        return nil
    }

    /// True if no legacy advertisement prevents a change of the random address.
    var isLegacyOff: Bool { isExtended || sets.allSatisfy(\.isOff) }

    /// True if no set advertises, and no set starts or stops advertising.
    var isOff: Bool { sets.allSatisfy(\.isOff) }

    // MARK: Requests

    func start(
        _ set: AdvertisingSet, _ content: AdvertisingSet.Content, completion: @escaping AdvertisingSet.Completion
    ) {
        let limits = AdvertisingLimits(
            isExtended: isExtended, maximumLength: host.controller?.maximumAdvertisingDataLength ?? 31)
        if let fault = host.unavailableError ?? limits.fault(of: content) { return completion(.failure(fault)) }
        replace(set, wanted: content, completion)
    }

    func stop(_ set: AdvertisingSet, completion: AdvertisingSet.Completion?) {
        replace(set, wanted: nil, completion)
    }

    private func replace(
        _ set: AdvertisingSet, wanted: AdvertisingSet.Content?, _ completion: AdvertisingSet.Completion?
    ) {
        let superseded = set.completions
        set.wanted = wanted
        set.completions = completion.map { [$0] } ?? []
        for completion in superseded { completion(.failure(.cancelled)) }
        host.settle()
    }

    func remove(_ set: AdvertisingSet) {
        guard let index = sets.firstIndex(where: { $0 === set }) else { return }
        sets.remove(at: index)
        // Queued behind the set's outstanding commands, so that the handle is free for the next set.
        if !set.isOff { disable(set) { _ in } }
        if isExtended, set.isKnownToController {
            host.commands.run(.leRemoveAdvertisingSet, write: { $0.uint8(set.handle) }) { _ in }
        }
        retire(set, .cancelled)
        host.settle()
    }

    private func retire(_ set: AdvertisingSet, _ error: RadioError) {
        set.state = .removed
        set.rotation?.disarm()
        set.wanted = nil
        set.controller = nil
        let ended = set.completions
        set.completions = []
        for completion in ended { completion(.failure(error)) }
    }

    /// Removes all sets when the controller becomes unavailable.
    func close(_ error: RadioError) {
        durationTimer.disarm()
        let all = sets
        sets = []
        for set in all {
            let wasWanted = set.wanted != nil && set.completions.isEmpty
            retire(set, error)
            if wasWanted { set.onTerminated?(.failed(error)) }
        }
    }

    // MARK: Steps

    func step() {
        for set in sets { step(set) }
    }

    private func step(_ set: AdvertisingSet) {
        let target = target(of: set)
        switch (set.state, target) {
        case (.off, let target?): configure(set, target)
        case (.off, nil): if set.wanted == nil { set.complete(.success(())) }
        case (.on(let running), let target?) where running == target: set.complete(.success(()))
        case (.on(let running), let target?) where canUpdate(running, target): update(set, target)
        case (.on(let running), _):
            set.wasConnectable = running.content.parameters.isConnectable
            set.state = .stopping
            disable(set) { [self] _ in
                guard case .stopping = set.state else { return }
                // Even if the controller refuses the command, the set does not advertise.
                set.state = .off
                host.settle()
            }
        case (.starting, _), (.updating, _), (.stopping, _), (.removed, _): break
        }
    }

    /// The advertisement that the controller should run for a set; nil if the set should be off.
    private func target(of set: AdvertisingSet) -> AdvertisingSet.Running? {
        guard let content = set.wanted, let address = set.address else { return nil }
        let isSettled = (isExtended || host.addresses.isSettled) && host.resolvingList.isSettled
        if isSettled { return AdvertisingSet.Running(content: content, address: address) }
        // The initiator stops first, because some controllers take seconds to end an initiation.
        guard !host.initiator.isOff, case .on(let running) = set.state, running.content == content else { return nil }
        return running
    }

    /// Returns true if the data can change while the set advertises, which requires that it fits into one fragment.
    private func canUpdate(_ running: AdvertisingSet.Running, _ target: AdvertisingSet.Running) -> Bool {
        running.address == target.address && running.content.parameters == target.content.parameters
            && target.content.data.count <= 251 && target.content.scanResponse.count <= 251
            && running.content.usesLegacyPackets == target.content.usesLegacyPackets
    }

    private func configure(_ set: AdvertisingSet, _ target: AdvertisingSet.Running) {
        set.state = .starting(target)
        let steps = AdvertisingCommands(isExtended: isExtended, set: set, running: target).configuration
        set.isKnownToController = true
        set.configured = nil
        run(steps[...], for: set) { [self] result in
            guard case .starting = set.state else { return }
            switch result {
            case .success:
                set.state = .on(target)
                set.configured = target
                if !isExtended, let duration = target.content.parameters.duration {
                    durationTimer.arm(at: host.now + duration)
                }
            case .failure(let error):
                set.state = .off
                // A newer request may still succeed.
                if set.wanted == target.content { fail(set, error) }
            }
            host.settle()
        }
    }

    private func update(_ set: AdvertisingSet, _ target: AdvertisingSet.Running) {
        set.state = .updating(target)
        let steps = AdvertisingCommands(isExtended: isExtended, set: set, running: target).data
        set.configured = nil
        run(steps[...], for: set) { [self] result in
            guard case .updating = set.state else { return }
            set.state = .on(target)
            switch result {
            case .success: set.configured = target
            case .failure(let error):
                // The advertised data does not match the request, so the set stops.
                if set.wanted == target.content { fail(set, error) }
            }
            host.settle()
        }
    }

    private func fail(_ set: AdvertisingSet, _ error: RadioError) {
        set.wanted = nil
        set.complete(.failure(error))
    }

    private func run(
        _ steps: ArraySlice<AdvertisingCommands.Step>, for set: AdvertisingSet,
        completion: @escaping (Result<Void, RadioError>) -> Void
    ) {
        guard let step = steps.first else { return completion(.success(())) }
        host.commands.run(step.opcode, write: step.write) { [self] result in
            switch result {
            case .success(let parameters):
                step.learn?(parameters)
                run(steps.dropFirst(), for: set, completion: completion)
            case .failure(.controller) where step.isOptional: run(steps.dropFirst(), for: set, completion: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func disable(_ set: AdvertisingSet, completion: @escaping CommandQueue.Completion) {
        if !isExtended { durationTimer.disarm() }
        let step = AdvertisingCommands.disable(isExtended: isExtended, handle: set.handle)
        host.commands.run(step.opcode, write: step.write, completion: completion)
    }

    // MARK: Events

    /// Records that a central connected to a set, which ends its advertising.
    func connected(_ set: AdvertisingSet) { stopped(set) }

    /// Records that the controller ended a set.
    func ended(set handle: UInt8, _ status: HCIStatus) {
        guard let set = set(handle), set.isAdvertising else { return }
        stopped(set)
        switch status {
        case .advertisingTimeout, .limitReached: set.onTerminated?(.timeout)
        default: set.onTerminated?(.failed(.controller(status)))
        }
    }

    /// Ends a legacy high duty cycle directed advertisement after 1.28 s without a connection.
    func directedAdvertisingTimedOut() {
        guard let set = sets.first(where: { $0.isAdvertising }), !isExtended else { return }
        ended(set: set.handle, .advertisingTimeout)
    }

    private func durationEnded() {
        guard let set = sets.first(where: { $0.isAdvertising }), !isExtended else { return }
        set.wanted = nil
        host.settle()
        set.onTerminated?(.timeout)
    }

    /// The controller refused the random address of a legacy advertisement, and still has `current`.
    func addressRefused(_ error: RadioError, _ current: BluetoothAddress?) {
        // Keep advertising with the old private address rather than stop.
        if let current, sets.contains(where: { $0.goOn(with: current) }) { return }
        for set in sets where set.wanted != nil { fail(set, error) }
    }

    private func stopped(_ set: AdvertisingSet) {
        if !isExtended { durationTimer.disarm() }
        switch set.state {
        case .on, .updating, .starting: set.state = .off
        case .off, .stopping, .removed: break
        }
        set.wanted = nil
        set.complete(.failure(.cancelled))
    }
}
