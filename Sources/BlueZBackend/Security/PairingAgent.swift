import BluetoothBackend
import BluetoothModel

/// Our agent at BlueZ, `org.bluez.Agent1`: brings its questions to the pairing handler and the answers back.
final class PairingAgent {
    static let path = "/org/harald/agent"

    private unowned let radio: BlueZRadio
    /// Whether BlueZ was told of us, and with which handler's capability.
    private var registered: PairingCapability?
    /// The devices that a question is open about, and who was asked.
    private var asked: [String: (id: PeripheralID, handler: any PairingHandler, refuse: () -> Void)] = [:]

    /// The attempts on fixed passkeys that run; each counts as failed until it succeeds.
    private var attempts: [String: (passkey: UInt32, handler: any PairingHandler)] = [:]
    /// Counts them; a fixed passkey is refused without it.
    var limiter: (any PasskeyLimiter)?

    init(radio: BlueZRadio) { self.radio = radio }

    /// The handler came, changed or went: BlueZ has to know what can be shown and entered.
    func handlerChanged() {
        show(radio.standardHandler)
    }

    /// Tells BlueZ what a handler can show and enter; what is paired next asks for no more.
    func show(_ handler: (any PairingHandler)?) {
        let wanted = radio.client.isRunning ? handler?.capability : nil
        guard wanted != registered else { return }
        if registered != nil { call("UnregisterAgent", [.path(Self.path)]) }
        registered = wanted
        guard let wanted else { return }
        call("RegisterAgent", [.path(Self.path), .string(wanted.bluezName)])
        // Devices that begin to pair, and requests that need a key, ask the default agent.
        call("RequestDefaultAgent", [.path(Self.path)])
    }

    /// `bluetoothd` went, and forgot us.
    func forgotten() {
        registered = nil
        for path in Array(asked.keys) { withdrawQuestion(about: path) }
    }

    private func call(_ member: String, _ arguments: [BusValue]) {
        let log = radio.log
        radio.client.call(BlueZ.root, BlueZ.agentManager, member, arguments) { result in
            // Leaving the bus takes the agent along.
            if case .failure(let error) = result, error.name != BusError.closed {
                log.warning("BlueZ refused \(member): \(error)")
            }
        }
    }

    // MARK: BlueZ asks

    func called(_ call: BusCall) {
        let device = call.arguments.first?.text ?? ""
        let number = call.arguments.count > 1 ? UInt32(exactly: call.arguments[1].integer ?? -1) : nil
        switch (call.member, number) {
        case ("RequestConfirmation", let number?): ask(.compare(number: number), device, call)
        case ("RequestAuthorization", _): ask(.confirm, device, call)
        case ("RequestPasskey", _): ask(.enterPasskey, device, call)
        case ("DisplayPasskey", let number?):
            call.respond(.success([]))
            // Called again with each digit that is entered over there.
            if asked[device] == nil { ask(.display(passkey: number), device, nil) }
        case ("AuthorizeService", _): call.respond(.success([]))
        case ("Cancel", _):
            call.respond(.success([]))
            for path in Array(asked.keys) { withdrawQuestion(about: path) }
        case ("Release", _):
            call.respond(.success([]))
            registered = nil
        default: call.respond(.failure(BusError("org.bluez.Error.Rejected", "not offered")))
        }
    }

    private func ask(_ question: PairingQuestion, _ path: String, _ call: BusCall?) {
        guard let handler = radio.handler(for: path), let id = radio.device(at: path)?.id else {
            call?.respond(.failure(BusError("org.bluez.Error.Rejected", "nobody answers")))
            return
        }
        // The first answer counts: a user who leaves refuses.
        var isAnswered = false
        let refuse: () -> Void = { [weak self] in
            guard !isAnswered else { return }
            isAnswered = true
            call?.respond(.failure(BusError("org.bluez.Error.Rejected", "refused")))
            // Only showing a number has nothing to answer, but it can be broken off.
            if call == nil { self?.radio.client.call(path, BlueZ.device, "CancelPairing") { _ in } }
        }
        asked[path] = (id, handler, refuse)
        handler.pairing(with: id, asks: question) { [weak self] answer in
            if answer == .refuse { return refuse() }
            guard !isAnswered else { return }
            // A number that is shown can be refused as long as it is shown.
            isAnswered = call != nil
            switch answer {
            case .refuse: break
            case .accept where question == .enterPasskey:
                call?.respond(.failure(BusError("org.bluez.Error.Rejected", "no passkey")))
            case .accept: call?.respond(.success([]))
            case .passkey(let passkey)
            where question == .enterPasskey && passkey == handler.passkey
                && self?.begin(passkey, path, handler) != true:
                call?.respond(.failure(BusError("org.bluez.Error.Rejected", "too many attempts on the passkey failed")))
            case .passkey(let passkey): call?.respond(.success(question == .enterPasskey ? [.uint32(passkey)] : []))
            }
        }
    }

    // MARK: Fixed passkeys

    /// Counts an attempt before anything of it is evaluated: false where it is refused.
    private func begin(_ passkey: UInt32, _ path: String, _ handler: any PairingHandler) -> Bool {
        guard let limiter, limiter.begin(passkey) else {
            tellBlocked(handler)
            return false
        }
        attempts[path] = (passkey, handler)
        return true
    }

    /// The pairing with a device ended.
    func pairingEnded(_ path: String, isPaired: Bool) {
        guard let attempt = attempts.removeValue(forKey: path), let limiter else { return }
        if isPaired {
            limiter.succeed(attempt.passkey)
        } else if !limiter.allows(attempt.passkey) {
            tellBlocked(attempt.handler)
        }
    }

    private func tellBlocked(_ handler: any PairingHandler) {
        radio.log.warning("the fixed passkey is refused: too many attempts on it failed")
        handler.passkeyBlocked()
        for device in radio.localDevices where device.user?.pairingHandler === handler { device.passkeyBlocked() }
    }

    /// Pairing went on or ended.
    func withdrawQuestion(about path: String) {
        guard let question = asked.removeValue(forKey: path) else { return }
        question.handler.pairingQuestionWithdrawn(with: question.id)
    }

    /// A user leaves: what it was asked is refused.
    func withdrawQuestions(of handler: any PairingHandler) {
        for (path, question) in asked where question.handler === handler {
            withdrawQuestion(about: path)
            question.refuse()
        }
    }
}

extension PairingCapability {
    /// As BlueZ spells it.
    var bluezName: String {
        switch self {
        case .noInputNoOutput: "NoInputNoOutput"
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .keyboardDisplay: "KeyboardDisplay"
        }
    }
}
