import BluetoothModel

extension BluetoothError {
    /// Creates the error of `operation`, which took at most `timeout`, from that of the backend.
    /// - Parameter service: the service of the attribute, which defines the meaning of application errors.
    init(_ error: RadioError, _ operation: String, timeout: Duration? = nil, service: BluetoothUUID? = nil) {
        switch error {
        case .att(let code, let handle):
            self.init(
                .att(code), operation: operation,
                reason: "the device answered \(service.map(code.description(in:)) ?? code.description) for handle 0x"
                    + [UInt8(handle >> 8), UInt8(handle & 255)].hexText(),
                advice: Self.advice(for: code))
        case .controller(let status):
            self.init(
                .controller(status), operation: operation, reason: "the adapter refused: \(status)",
                advice: status == .commandDisallowed ? "is another program using the adapter?" : "")
        case .disconnected(let status):
            self.init(
                .disconnected(status), operation: operation, reason: "the link ended: \(status)",
                advice: Self.advice(for: status))
        case .notConnected:
            self.init(.notConnected, operation: operation, reason: "not connected", advice: "connect first")
        case .timeout:
            self.init(
                .timeout, operation: operation, reason: "no answer" + (timeout.map { " in \($0.shortText)" } ?? ""),
                advice: operation.hasPrefix("connect")
                    ? "is it in range, switched on, and not connected to another phone?" : "")
        case .cancelled:
            self.init(.cancelled, operation: operation, reason: "cancelled")
        case .radio(let state, let reason):
            self.init(.radio(state), operation: operation, reason: reason)
        case .unsupported(let what):
            self.init(.unsupported, operation: operation, reason: what)
        case .invalidResponse(let what):
            self.init(.invalidResponse, operation: operation, reason: "the device broke the protocol: \(what)")
        case .invalidArgument(let what):
            self.init(.invalidArgument, operation: operation, reason: what)
        case .limit(let what):
            self.init(.limitReached, operation: operation, reason: what)
        case .channelRefused(let result):
            self.init(
                .channelRefused(result), operation: operation,
                reason: "the device refused the channel (result \(result))",
                advice: result == 2 ? "nothing listens on this PSM" : "")
        case .security(let problem):
            self.init(
                Self.code(for: problem.kind), operation: operation, reason: problem.text,
                advice: Self.advice(for: problem.kind))
            securityProblem = problem.kind
        }
    }

    private static func code(for kind: SecurityProblem.Kind) -> Code {
        switch kind {
        case .refused: .pairingRefused
        case .refusedByPeer, .failed: .pairingFailed
        case .wrongPasskey: .wrongPasskey
        case .timeout: .timeout
        case .bondLost: .bondLost
        case .notPaired, .tooSoon, .passkeyBlocked, .tooWeak, .shortKey, .weakerThanBond, .noOutOfBandData,
            .unreadableBonds:
            .security
        }
    }

    private static func advice(for kind: SecurityProblem.Kind) -> String {
        switch kind {
        case .refusedByPeer: "is the device ready to pair, and does it have room for another bond?"
        case .wrongPasskey: "pair again, with the number that the other device shows"
        case .bondLost: "forgetBond() forgets the bond; then pair again"
        case .tooWeak:
            "only devices that show or take a passkey, which a pairing delegate answers for here, or that have out-of-band "
                + "data of each other protect from somebody in the middle"
        case .shortKey: "SecurityPolicy.minimumKeySize lowers the limit, and the protection"
        case .weakerThanBond:
            "if the device was reset or replaced, forgetBond() forgets the better key; then pair again"
        case .noOutOfBandData: "such data is good for one pairing: make it anew, and hand it over"
        case .unreadableBonds: "SavedBonds.forgetAll() makes the file anew"
        case .passkeyBlocked: "allowPasskey() sets it anew; better choose another one"
        case .refused, .failed, .timeout, .notPaired, .tooSoon: ""
        }
    }

    private static func advice(for code: ATTErrorCode) -> String {
        if code.asksForSecurity {
            return "the device wants to be paired first, perhaps with a passkey: use pair() and a pairing delegate"
        }
        switch code {
        case .readNotPermitted: return "its properties say what is offered"
        case .writeNotPermitted: return "its properties say what is offered"
        case .invalidHandle, .databaseOutOfSync: return "its attributes changed: discover them again"
        case .invalidValueLength: return "the value has the wrong length for this characteristic"
        default: return ""
        }
    }

    private static func advice(for status: HCIStatus) -> String {
        switch status {
        case .connectionTimeout: "the device went out of range or was switched off"
        case .failedToEstablish: "move closer and try again"
        case .micFailure, .pinOrKeyMissing: "one side lost the keys: forget the bond and pair again"
        default: ""
        }
    }
}

extension Duration {
    /// The duration as text: "5 s", "250 ms".
    var shortText: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) s" }
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(Double(milliseconds) / 1000) s"
    }
}
