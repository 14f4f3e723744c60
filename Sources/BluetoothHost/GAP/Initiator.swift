import BluetoothHCI
import BluetoothModel
import BluetoothRuntime

/// Connects to all pending devices concurrently.
///
/// A single device is connected to directly, several through the filter accept list in one initiation (cancel, await
/// its end, edit the list, start again). If the list is missing, full or refused, or if the controller cannot scan and
/// initiate at the same time and the user scans, the scanner watches for the devices, and each is connected to when it
/// is seen.
final class Initiator {
    private enum State {
        case idle
        /// The accept list is being edited.
        case preparing(Plan)
        /// The command has been sent; its status is outstanding.
        case creating(Plan)
        case initiating(Plan)
        /// The initiation is being cancelled. Only the connection complete event or the cancellation timeout ends this
        /// state.
        case cancelling(Plan)

        var plan: Plan? {
            switch self {
            case .idle: nil
            case .preparing(let plan), .creating(let plan), .initiating(let plan), .cancelling(let plan): plan
            }
        }
    }

    /// The maximum number of pending connections.
    private static let limit = 1024
    /// The timeout of an initiation to a seen device; then other devices get their turn.
    private static let sightPatience = Duration.seconds(3)
    /// The timeout for the event that ends a cancelled initiation; the specification requires it immediately.
    private static let cancelPatience = Duration.seconds(2)
    /// The number of consecutive failures after which all connections of a list fail, if the event names no peer.
    private static let failureLimit = 5

    /// Proof of `unowned`: only the host and the commands in its queue retain this object.
    private unowned let host: LEHost
    private var state = State.idle
    private var pending: [PendingConnection] = []
    private let rejected: RejectedLinks
    /// The connections for the link that is being announced. The delegate may cancel them during the announcement.
    private var announced: [PendingConnection] = []
    private var acceptList = AcceptList()
    /// True if the controller cannot scan and initiate at the same time.
    private var conflictsWithScan = false
    /// The device that was seen and is initiated to, and the address that was requested for it.
    private var sighted: (address: BluetoothAddress, identity: BluetoothAddress)?
    private var failures = 0
    /// The connection parameters of the current initiation.
    private var parameters = ConnectionParametersRequest.standard
    // Proof of `unowned`: only the host fires its timers, and it owns this object.
    private lazy var cancelTimer = host.time.timers.makeTimer { [unowned self] in cancelTimedOut() }
    private lazy var sightTimer = host.time.timers.makeTimer { [unowned self] in sightTimedOut() }

    init(host: LEHost) {
        self.host = host
        rejected = RejectedLinks(host.time)
    }

    deinit {
        for connection in pending + rejected.connections { connection.initiator = nil }
    }

    // MARK: Requests

    func connect(
        to address: BluetoothAddress, parameters: ConnectionParametersRequest,
        completion: @escaping (Result<LELink, RadioError>) -> Void
    ) -> PendingConnection {
        let connection = PendingConnection(
            address: address, parameters: parameters, initiator: self, completion: completion)
        if let fault = fault(address, parameters) {
            connection.end(.failure(fault))
            return connection
        }
        pending.append(connection)
        host.settle()
        return connection
    }

    private func fault(_ address: BluetoothAddress, _ parameters: ConnectionParametersRequest) -> RadioError? {
        if let unavailableError = host.unavailableError { return unavailableError }
        guard parameters.isValid else { return .invalidArgument("the connection parameters are out of range") }
        guard pending.count < Self.limit else { return .limit("\(Self.limit) connections are already pending") }
        guard host.link(to: address) == nil else { return .controller(.connectionAlreadyExists) }
        return nil
    }

    func cancelled(_ connection: PendingConnection) {
        guard !announced.contains(where: { $0 === connection }) else { return }
        let isShared = pending.contains { $0.address == connection.address && $0.isPending }
        if isShared || state.plan?.covers(connection.address) != true {
            pending.removeAll { $0 === connection }
            connection.end(.failure(.cancelled))
        }
        host.settle()
    }

    /// Fails all connections when the controller becomes unavailable.
    func close(_ error: RadioError) {
        let ended = pending + rejected.removeAll()
        pending = []
        becomeIdle()
        acceptList = AcceptList()
        conflictsWithScan = false
        for connection in ended { connection.end(.failure(connection.isPending ? error : .cancelled)) }
    }

    // MARK: Desired state

    /// The addresses of the pending connections, without duplicates, in the order of the calls.
    private var addresses: [BluetoothAddress] {
        var addresses: [BluetoothAddress] = []
        var known: Set<BluetoothAddress> = []
        for connection in pending where connection.isPending && known.insert(connection.address).inserted {
            addresses.append(connection.address)
        }
        return addresses
    }

    /// Returns true if devices have to be seen by the scanner before they are initiated to.
    private func needsSight(_ addresses: [BluetoothAddress]) -> Bool {
        if conflictsWithScan && host.scanner.isWanted { return true }
        // The controller cannot resolve the private addresses of these devices.
        if host.securityManager != nil, addresses.contains(where: host.hidesBehindPrivateAddresses) { return true }
        guard addresses.count > 1 else { return false }
        return !host.configuration.usesAcceptList || acceptList.isRefused
            || addresses.count > host.controller?.acceptListSize ?? 0
    }

    private var wanted: Plan? {
        guard !pending.isEmpty, host.addresses.isSettled, host.resolvingList.isSettled else { return nil }
        let addresses = addresses
        guard let first = addresses.first else { return nil }
        if needsSight(addresses) {
            guard let sighted, addresses.contains(sighted.identity) else { return nil }
            return sighted.address == sighted.identity
                ? .direct(sighted.address) : .behind(sighted.address, identity: sighted.identity)
        }
        return addresses.count == 1 ? .direct(first) : .list(addresses)
    }

    /// True if the scanner has to report every advertiser.
    var isWatching: Bool {
        guard !pending.isEmpty, sighted == nil else { return false }
        let addresses = addresses
        return !addresses.isEmpty && needsSight(addresses)
    }

    /// True if scanning has to stop for the initiator.
    var holdsScanner: Bool { conflictsWithScan && (state.plan != nil || wanted != nil) }

    /// True if no initiation is outstanding.
    var isOff: Bool { state.plan == nil }

    // MARK: Steps

    /// Runs the next command towards the wanted plan.
    func step() {
        switch state {
        case .idle:
            guard let plan = wanted, !conflictsWithScan || host.scanner.isOff else { return }
            prepare(plan)
        case .initiating(let plan):
            if plan != wanted { cancel(plan) }
        case .preparing, .creating, .cancelling: break
        }
    }

    private func prepare(_ plan: Plan) {
        state = .preparing(plan)
        guard case .list(let addresses) = plan else { return create(plan) }
        guard let edit = acceptList.nextEdit(towards: addresses) else { return create(plan) }
        host.commands.run(edit.opcode, write: { edit.write(to: &$0) }) { [self] result in
            guard case .preparing = state, host.unavailableError == nil else { return }
            acceptList.ended(edit, isDone: (try? result.get()) != nil)
            // The wanted plan may have changed, or the list may have turned out to be unusable.
            if wanted == plan { return prepare(plan) }
            becomeIdle()
            host.settle()
        }
    }

    private func create(_ plan: Plan) {
        let first = pending.first { $0.isPending && plan.covers($0.address) }
        parameters = first?.parameters ?? .standard
        state = .creating(plan)
        let isExtended = host.controller?.usesExtendedAdvertising ?? false
        let command = ConnectionCommand(
            plan: plan, parameters: parameters, ownAddressType: host.addresses.initiatingAddressType,
            isExtended: isExtended)
        host.commands.run(command.opcode, write: { command.write(to: &$0) }) { [self] result in
            guard case .creating = state else { return }
            switch result {
            case .success:
                state = .initiating(plan)
                host.settle()
            case .failure(let error): wasRefused(plan, error)
            }
        }
    }

    private func wasRefused(_ plan: Plan, _ error: RadioError) {
        switch (error, plan) {
        case (.controller(.commandDisallowed), _) where !host.scanner.isOff && !conflictsWithScan:
            conflictsWithScan = true
            becomeIdle()
        case (.controller(.unsupportedFeature), .list), (.controller(.invalidParameters), .list):
            acceptList.isRefused = true
            becomeIdle()
        default: fail(plan, error)
        }
        host.settle()
    }

    private func cancel(_ plan: Plan) {
        state = .cancelling(plan)
        cancelTimer.arm(at: host.now + Self.cancelPatience)
        // The result of the command does not matter; only the event, or its absence, ends the initiation.
        host.commands.run(.leCreateConnectionCancel) { _ in }
    }

    private func cancelTimedOut() {
        guard case .cancelling = state else { return }
        becomeIdle()
        host.settle()
    }

    /// Ends the initiation and completes the connections that were cancelled meanwhile.
    private func becomeIdle() {
        state = .idle
        sighted = nil
        cancelTimer.disarm()
        sightTimer.disarm()
        let ended = pending.filter { !$0.isPending }
        guard !ended.isEmpty else { return }
        pending.removeAll { !$0.isPending }
        for connection in ended { connection.end(.failure(.cancelled)) }
    }

    private func fail(_ plan: Plan, _ error: RadioError) {
        let failed = pending.filter { $0.isPending && plan.covers($0.address) }
        pending.removeAll { connection in failed.contains { $0 === connection } }
        becomeIdle()
        for connection in failed { connection.end(.failure(error)) }
    }

    // MARK: Events

    /// Handles a failed attempt. The caller calls ``LEHost/settle()``.
    func failed(_ status: HCIStatus, peer: BluetoothAddress?) {
        switch state {
        case .idle, .preparing: return
        case .cancelling: becomeIdle()
        case .creating(let plan), .initiating(let plan):
            failures += 1
            if case .list = plan, let peer, plan.covers(peer) {
                fail(.direct(peer), .disconnected(status))
            } else if case .list = plan, failures < Self.failureLimit {
                becomeIdle()
            } else {
                fail(plan, .disconnected(status))
            }
        }
    }

    /// Handles an established link. The caller calls ``LEHost/settle()``.
    func established(_ connection: LEConnection) {
        failures = 0
        let identity = host.identity(behind: connection.peerAddress)
        let matches = pending.filter { $0.address == connection.peerAddress || $0.address == identity }
        pending.removeAll { $0.address == connection.peerAddress || $0.address == identity }
        if case .preparing = state {} else { becomeIdle() }
        guard matches.contains(where: \.isPending) else { return reject(connection, matches) }
        let own = host.addresses.initiatingAddress ?? connection.peerAddress
        let asked = parameters
        announced = matches
        let link = host.open(connection, ownAddress: own, identity: nil)
        announced = []
        // If all callers cancelled meanwhile, the link is disconnected, and their connections complete once it is down.
        if link.isUp, !matches.contains(where: \.isPending) {
            link.disconnect()
            return rejected.add(connection.handle, matches)
        }
        if let first = matches.first(where: \.isPending), first.parameters != asked, link.isOpen,
            !first.parameters.isMet(by: link.parameters)
        {
            link.updateByController(first.parameters) { _ in }
        }
        for match in matches {
            match.end(match.isPending ? (link.isUp ? .success(link) : .failure(.notConnected)) : .failure(.cancelled))
        }
    }

    /// Rejects a link whose connections were all cancelled. They complete when it is down.
    private func reject(_ connection: LEConnection, _ connections: [PendingConnection]) {
        host.reject(connection.handle)
        rejected.add(connection.handle, connections)
    }

    /// Handles a disconnection, which may be that of a rejected link.
    func disconnected(_ handle: UInt16) { rejected.disconnected(handle) }

    // MARK: Watching

    /// Handles a report received while the scanner watches for devices.
    func saw(_ report: AdvertisingReport) {
        guard report.isConnectable, sighted == nil else { return }
        let identity = host.identity(behind: report.address)
        let seen = pending.first { $0.isPending && ($0.address == report.address || $0.address == identity) }
        guard let seen else { return }
        sighted = (report.address, seen.address)
        sightTimer.arm(at: host.now + Self.sightPatience)
        host.settle()
    }

    private func sightTimedOut() {
        sighted = nil
        host.settle()
    }

    /// Handles the controller's refusal to scan; returns true if the cause is the running initiation.
    func scanWasRefused() -> Bool {
        guard state.plan != nil, !conflictsWithScan else { return false }
        conflictsWithScan = true
        return true
    }

    /// Fails the pending connections that need the scanner, after scanning failed.
    func watchFailed(_ error: RadioError) {
        guard isWatching else { return }
        let failed = pending.filter(\.isPending)
        pending.removeAll(where: \.isPending)
        for connection in failed { connection.end(.failure(error)) }
    }
}
