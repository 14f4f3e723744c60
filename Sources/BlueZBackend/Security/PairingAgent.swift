import BluetoothBackend
import BluetoothModel
import SystemBus

/// This program's agent at BlueZ, `org.bluez.Agent1`: passes BlueZ's questions to the pairing handler and the answers
/// back.
final class PairingAgent {
    static let path = "/org/harald/agent"

    /// Proof of `unowned`: only the radio stores this object, and closures have weak references to it.
    private unowned let radio: BlueZRadio
    /// The capability with which the agent is registered; nil if it is not.
    private var registered: PairingCapability?
    /// The devices with a pending question, and the handler that was asked.
    private var asked: [String: (id: PeripheralID, handler: any PairingHandler, refuse: () -> Void)] = [:]

    /// The attempts on fixed passkeys in progress; each counts as failed until it succeeds.
    private var attempts: [String: (passkey: UInt32, handler: any PairingHandler)] = [:]
    /// Counts the attempts; without it, a fixed passkey is refused.
    var limiter: (any PasskeyLimiter)?

    init(radio: BlueZRadio) { self.radio = radio }

    /// Registers the capability after a handler was added, changed or removed.
    func handlerChanged() {
        show(radio.standardHandler)
    }

    /// Registers the capability of a handler at BlueZ; the next pairing uses it.
    func show(_ handler: (any PairingHandler)?) {
        let wanted = radio.client.isRunning ? handler?.capability : nil
        guard wanted != registered else { return }
        if registered != nil { call("UnregisterAgent", [.path(Self.path)]) }
        registered = wanted
        guard let wanted else { return }
        call("RegisterAgent", [.path(Self.path), .string(wanted.bluezName)])
        // Devices that begin to pair, and requests that need a key, use the default agent.
        call("RequestDefaultAgent", [.path(Self.path)])
    }

    /// Resets the registration after `bluetoothd` exited.
    func forgotten() {
        registered = nil
        for path in Array(asked.keys) { withdrawQuestion(about: path) }
    }

    private func call(_ member: String, _ arguments: [BusValue]) {
        let log = radio.log
        radio.client.call(BlueZ.root, BlueZ.agentManager, member, arguments) { result in
            // Leaving the bus unregisters the agent.
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
            // Called again for each digit that is entered on the other device.
            if asked[device] == nil { ask(.display(passkey: number), device, nil) }
        case ("AuthorizeService", _): call.respond(.success([]))
        case ("Cancel", _):
            call.respond(.success([]))
            for path in Array(asked.keys) { withdrawQuestion(about: path) }
        case ("Release", _):
            call.respond(.success([]))
            registered = nil
        default: call.respond(.failure(BusError("org.bluez.Error.Rejected", "not supported")))
        }
    }

    private func ask(_ question: PairingQuestion, _ path: String, _ call: BusCall?) {
        guard let handler = radio.handler(for: path), let id = radio.device(at: path)?.id else {
            call?.respond(.failure(BusError("org.bluez.Error.Rejected", "no pairing handler")))
            return
        }
        // The first answer has an effect: a user that is removed refuses.
        var isAnswered = false
        let refuse: () -> Void = { [weak self] in
            guard !isAnswered else { return }
            isAnswered = true
            call?.respond(.failure(BusError("org.bluez.Error.Rejected", "refused")))
            // Displaying a number has no answer, but pairing can be cancelled.
            if call == nil { self?.radio.client.call(path, BlueZ.device, "CancelPairing") { _ in } }
        }
        asked[path] = (id, handler, refuse)
        handler.pairing(with: id, asks: question) { [weak self] answer in
            if answer == .refuse { return refuse() }
            guard !isAnswered else { return }
            // A displayed number can be refused as long as it is displayed.
            isAnswered = call != nil
            switch answer {
            case .refuse: break
            case .accept where question == .enterPasskey:
                call?.respond(.failure(BusError("org.bluez.Error.Rejected", "no passkey")))
            case .accept: call?.respond(.success([]))
            case .passkey(let passkey)
            where question == .enterPasskey && passkey == handler.passkey
                && self?.begin(passkey, path, handler) != true:
                call?.respond(.failure(BusError("org.bluez.Error.Rejected", "too many failed attempts on the passkey")))
            case .passkey(let passkey): call?.respond(.success(question == .enterPasskey ? [.uint32(passkey)] : []))
            }
        }
    }

    // MARK: Fixed passkeys

    /// Counts an attempt before any part of it is evaluated; returns false if it is refused.
    private func begin(_ passkey: UInt32, _ path: String, _ handler: any PairingHandler) -> Bool {
        guard let limiter, limiter.begin(passkey) else {
            tellBlocked(handler)
            return false
        }
        attempts[path] = (passkey, handler)
        return true
    }

    /// Ends the attempt when the pairing with a device has ended.
    func pairingEnded(_ path: String, isPaired: Bool) {
        guard let attempt = attempts.removeValue(forKey: path), let limiter else { return }
        if isPaired {
            limiter.succeed(attempt.passkey)
        } else if !limiter.allows(attempt.passkey) {
            tellBlocked(attempt.handler)
        }
    }

    private func tellBlocked(_ handler: any PairingHandler) {
        radio.log.warning("the fixed passkey is refused after too many failed attempts")
        handler.passkeyBlocked()
        for device in radio.localDevices where device.user?.pairingHandler === handler { device.passkeyBlocked() }
    }

    /// Withdraws a question because pairing continued or ended.
    func withdrawQuestion(about path: String) {
        guard let question = asked.removeValue(forKey: path) else { return }
        question.handler.pairingQuestionWithdrawn(with: question.id)
    }

    /// Refuses the pending questions of a user that is removed.
    func withdrawQuestions(of handler: any PairingHandler) {
        for (path, question) in asked where question.handler === handler {
            withdrawQuestion(about: path)
            question.refuse()
        }
    }
}

extension PairingCapability {
    /// BlueZ's name of the capability.
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
