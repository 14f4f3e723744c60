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
        case .unanswered:
            self.init(
                .timeout, operation: operation, reason: "\(error)" + (timeout.map { " in \($0.shortText)" } ?? ""),
                advice: "restart the device if it answered before")
        case .cancelled:
            self.init(.cancelled, operation: operation, reason: "cancelled")
        case .radio(let state, let reason):
            self.init(.radio(state), operation: operation, reason: reason)
        case .unsupported(let what):
            self.init(.unsupported, operation: operation, reason: what)
        case .invalidResponse(let what):
            self.init(.invalidResponse, operation: operation, reason: "the device violated the protocol: \(what)")
        case .invalidArgument(let what):
            self.init(.invalidArgument, operation: operation, reason: what)
        case .limit(let what):
            self.init(.limitReached, operation: operation, reason: what)
        case .channelRefused(let result):
            self.init(
                .channelRefused(result), operation: operation,
                reason: "the device refused the channel (result \(result))",
                advice: Self.advice(forRefusedChannel: result))
        case .security(let problem):
            self.init(
                Self.code(for: problem.kind), operation: operation, reason: problem.text,
                advice: Self.advice(for: problem.kind))
            securityProblem = problem.kind
        }
    }

    /// Returns the meaning of a result, with advice (Core 6.0, Vol 3, Part A, 4.23).
    private static func advice(forRefusedChannel result: UInt16) -> String {
        switch result {
        case 2: "the device has no service on this PSM"
        case 5, 8: "the channel requires pairing; pair with the device first"
        case 6: "the device does not authorise this client"
        case 7: "the key of the bond is too short for this channel; forget the bond and pair again"
        default: ""
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
        case .wrongPasskey: "pair again with the passkey that the other device shows"
        case .bondLost: "to pair again, delete the bond first: forgetBond()"
        case .tooWeak:
            "protection against a man in the middle requires a passkey or a comparison, for which this side needs a "
                + "pairing delegate, or out-of-band data"
        case .shortKey: "SecurityPolicy.minimumKeySize lowers the limit, and the security"
        case .weakerThanBond:
            "if the device was reset or replaced, forgetBond() deletes the stronger key; then pair again"
        case .noOutOfBandData: "out-of-band data is valid for one pairing: create new data, and transfer it"
        case .unreadableBonds: "SavedBonds.forgetAll() replaces the file by an empty one"
        case .passkeyBlocked: "allowPasskey() accepts it again; a different passkey is safer"
        case .refused, .failed, .timeout, .notPaired, .tooSoon: ""
        }
    }

    private static func advice(for code: ATTErrorCode) -> String {
        if code.asksForSecurity {
            return "the device requires pairing, possibly with a passkey: use pair() and a pairing delegate"
        }
        switch code {
        case .readNotPermitted: return "its properties list the supported operations"
        case .writeNotPermitted: return "its properties list the supported operations"
        case .invalidHandle, .databaseOutOfSync: return "its attributes changed: discover them again"
        case .invalidValueLength: return "the value has the wrong length for this characteristic"
        default: return ""
        }
    }

    private static func advice(for status: HCIStatus) -> String {
        switch status {
        case .connectionTimeout: "the device went out of range or was switched off"
        case .failedToEstablish: "move closer and try again"
        case .micFailure, .pinOrKeyMissing: "one side lost the keys: delete the bond and pair again"
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
