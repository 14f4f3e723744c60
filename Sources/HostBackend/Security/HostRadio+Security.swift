import BluetoothBackend
import BluetoothHost
import BluetoothModel
import Logging

/// Pairing and bonds, between the host's security manager and the backend protocol.
extension HostRadio {
    /// Enables pairing in the host, with the bonds of the store.
    func useSecurity(identity: BluetoothAddress?) {
        var configuration = SecurityConfiguration()
        configuration.identityKey = bondStore.identityKey
        configuration.identityAddress = identity
        // The policies of a link's users set further requirements.
        configuration.keySizes = 7...16
        let manager = host.useSecurity(configuration, bonds: bondStore)
        manager.delegate = self
        manager.passkeyLimiter = passkeyFailures
        bondStore.onEviction = { [weak self] bond in
            self?.log.warning("the least recently used \(bond) is removed to make room for another one")
            self?.forgetCache(PeripheralID(bond.peerAddress))
        }
        if let problem = bondStore.problem {
            log.warning("\(problem); bonds are not stored beyond this run")
        }
    }

    /// Logs that values could not be written some time ago, once.
    func reportStorageProblem() {
        guard let problem = bondStore.useProblem, problem != reportedProblem else { return }
        reportedProblem = problem
        log.warning("subscriptions and counters of bonds are not stored: \(problem)")
    }

    func checkBondStorage() throws(RadioError) { try bondStore.check() }

    func makeOutOfBandData() throws(RadioError) -> OutOfBandData {
        guard let manager = host.securityManager else { throw .unsupported("this adapter does not pair") }
        return manager.makeOutOfBandData()
    }

    func useOutOfBandData(
        _ data: OutOfBandData?, temporaryKey: [UInt8]?, of peripheral: PeripheralID?
    ) throws(RadioError) {
        guard let manager = host.securityManager else { throw .unsupported("this adapter does not pair") }
        let key = temporaryKey.flatMap(SecurityKey.init(octets:))
        guard (key == nil) == (temporaryKey == nil) else {
            throw .invalidArgument("a temporary key must have 16 octets")
        }
        if let peripheral, peripheral.address == nil {
            throw .invalidArgument("no device has the identifier \(peripheral)")
        }
        let isEmpty = data == nil && key == nil
        manager.use(
            isEmpty ? nil : PeerOutOfBandData(secureConnections: data, temporaryKey: key), of: peripheral?.address)
    }

    func allowPasskey(_ passkey: UInt32) throws(RadioError) {
        guard let manager = host.securityManager else { throw .unsupported("this adapter does not pair") }
        try manager.allowPasskey(passkey)
    }

    func tell(_ keypress: Keypress, to peripheral: PeripheralID) {
        guard let link = link(to: peripheral)?.link else { return }
        host.securityManager?.tell(keypress, on: link)
    }

    /// Returns the identifier of a bonded device's identity address for that of its private address; any other
    /// identifier unchanged.
    func resolved(_ id: PeripheralID) -> PeripheralID {
        guard let address = id.address, address.randomKind == .resolvablePrivate else { return id }
        return PeripheralID(host.identity(behind: address))
    }

    /// Returns the link to a device, also where the device became known under another identifier in the meantime.
    func link(to id: PeripheralID) -> HostLink? {
        if let link = links[id] { return link }
        guard let address = resolved(id).address, let link = host.link(to: address) else { return nil }
        return hostLink(of: link)
    }

    var bonds: [BondedPeripheral] {
        bondStore.refresh()
        return bondStore.listed(store)
    }

    @discardableResult
    func forgetBond(_ peripheral: PeripheralID) -> Bool {
        let identity = resolved(peripheral)
        bondStore.refresh()
        let forgotten = bondStore.bonds.filter { PeripheralID($0.peerAddress) == identity }
        // A link to a device without a bond keeps its discovered attributes.
        guard !forgotten.isEmpty else { return false }
        let trusted = host.allLinks.filter { link in
            link.security.level > .none && (host.securityManager?.identity(of: link)).map(PeripheralID.init) == identity
        }
        for bond in forgotten {
            if let manager = host.securityManager { manager.forget(bond) } else { bondStore.remove(bond) }
        }
        forgetCache(identity)
        heard.identitiesChanged()
        // Links that are encrypted with the keys of the forgotten bond must end.
        for link in trusted { link.disconnect() }
        return true
    }
}

extension HostRadio: SecurityManagerDelegate {
    func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser? {
        let policy = policy(of: link)
        guard let handler = pairingHandler(of: link) else {
            return SecurityUser(
                capability: .noInputNoOutput, isPairable: false, minimumKeySize: policy.keySize,
                requiresSecureConnections: policy.requiresSecureConnections)
        }
        let capability = IOCapability(handler.capability)
        return SecurityUser(
            capability: capability, wantsMITM: capability != .noInputNoOutput, passkey: handler.passkey,
            sendsKeypresses: handler.tellsKeypresses, minimumKeySize: policy.keySize,
            requiresSecureConnections: policy.requiresSecureConnections)
    }

    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void
    ) {
        guard let handler = pairingHandler(of: link) else {
            log.info(
                "pairing is refused: no program here answers its question", metadata: ["peer": "\(link.peerAddress)"])
            return answer(.refuse)
        }
        log.debug("pairing asks the user \(question.topic)", metadata: ["peer": "\(link.peerAddress)"])
        let key = ObjectIdentifier(link)
        let id = question.replacedBond.map { PeripheralID($0) } ?? identifier(of: link)
        let reply: (PairingAnswer) -> Void = { [weak self] given in
            // A passkey is displayed until the question is withdrawn; every other question ends with its answer.
            if case .display = question {} else { self?.questions[key] = nil }
            answer(SecurityAnswer(given))
        }
        questions[key] = AskedQuestion(handler: handler, peripheral: id, answer: reply)
        if let question = PairingQuestion(question) {
            handler.pairing(with: id, asks: question, answer: reply)
        } else {
            handler.pairing(with: id) { reply($0 ? .accept : .refuse) }
        }
    }

    func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink) {
        guard let question = questions.removeValue(forKey: ObjectIdentifier(link)) else { return }
        question.handler.pairingQuestionWithdrawn(with: question.peripheral)
    }

    func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink) {
        let question = questions[ObjectIdentifier(link)]
        question?.handler.pairing(with: question?.peripheral ?? identifier(of: link), heard: keypress)
    }

    func securityManager(_ manager: SecurityManager, reached step: PairingStep, on link: any SecurityLink) {
        let level: Logger.Level = step == .foreignIdentity ? .warning : .debug
        log.log(level: level, "pairing: \(step)", metadata: ["peer": "\(link.peerAddress)"])
    }

    func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?) {
        record.pairingEnded(nil)
        log.info("paired, \(bond == nil ? "without a bond" : "with a bond")", metadata: ["peer": "\(link.peerAddress)"])
        guard let bond else { return }
        let identity = PeripheralID(bond.peerAddress)
        let name = heard[link.peerAddress]?.data.localName ?? store.devices[identifier(of: link)]?.name
        // Also in the peripheral role, so that bonded devices can be listed by name.
        store.remember(identity, name: name)
        heard.identitiesChanged()
    }

    func securityManager(
        _ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure
    ) {
        record.pairingEnded(failure.radioError)
        log.info("pairing failed: \(failure.radioError)", metadata: ["peer": "\(link.peerAddress)"])
    }

    func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink) {
        log.warning("the fixed passkey is refused from now on, after too many failed attempts")
        pairingHandler(of: link)?.passkeyBlocked()
        if let link = link as? LELink { localDevice(of: link)?.passkeyBlocked() }
    }

    func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink) {
        record.bondLost()
        log.warning("the device no longer has the key of its bond", metadata: ["peer": "\(bond.peerAddress)"])
    }

    func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError) {
        log.error("the \(bond) is not stored beyond this run: \(bondStore.problem ?? "\(error)")")
    }

    private func identifier(of link: any SecurityLink) -> PeripheralID {
        if let link = link as? LELink, let known = hostLink(of: link) { return known.id }
        return PeripheralID(host.identity(behind: link.peerAddress))
    }
}

extension IOCapability {
    init(_ capability: PairingCapability) {
        self =
            switch capability {
            case .noInputNoOutput: .noInputNoOutput
            case .displayOnly: .displayOnly
            case .displayYesNo: .displayYesNo
            case .keyboardOnly: .keyboardOnly
            case .keyboardDisplay: .keyboardDisplay
            }
    }
}

extension PairingQuestion {
    /// The question of a handler; nil for the one about a bond, which has a call of its own.
    init?(_ question: SecurityQuestion) {
        switch question {
        case .confirm: self = .confirm
        case .display(let passkey): self = .display(passkey: passkey)
        case .enterPasskey: self = .enterPasskey
        case .compare(let number): self = .compare(number: number)
        case .replaceBond: return nil
        }
    }
}

extension SecurityAnswer {
    init(_ answer: PairingAnswer) {
        self =
            switch answer {
            case .refuse: .refuse
            case .accept: .accept
            case .passkey(let passkey): .passkey(passkey)
            }
    }
}

extension SecurityQuestion {
    /// The question without its numbers, which are secret, for logs.
    fileprivate var topic: String {
        switch self {
        case .confirm: "for consent"
        case .display: "to read a passkey"
        case .enterPasskey: "to enter a passkey"
        case .compare: "to compare numbers"
        case .replaceBond: "to replace the bond"
        }
    }

    /// The device whose bond would be replaced; nil for any other question.
    fileprivate var replacedBond: BluetoothAddress? {
        if case .replaceBond(let identity) = self { identity } else { nil }
    }
}
