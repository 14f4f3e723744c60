import BluetoothModel

extension BluetoothError {
    /// The kind of failure.
    ///
    /// A kind without a value is a property, so that it can be the pattern of a `catch`: `catch
    /// BluetoothError.Code.timeout`. A kind with a value is compared: `catch let error as BluetoothError where
    /// error.code == .att(.readNotPermitted)`.
    public enum Code: Hashable, Sendable {
        /// A kind without a value; it has a property of the same name.
        case plain(Plain)
        /// The link ended with this status.
        case disconnected(HCIStatus)
        /// The adapter is in a state in which it cannot be used.
        case radio(RadioState)
        /// The device answered with an error.
        case att(ATTErrorCode)
        /// The adapter refused a command with this status.
        case controller(HCIStatus)
        /// The device refused an L2CAP channel, with the result code of its response.
        case channelRefused(UInt16)

        /// The kinds without a value, with their texts.
        public enum Plain: String, Sendable {
            /// See ``Code/cancelled``.
            case cancelled
            /// See ``Code/timeout``.
            case timeout
            /// See ``Code/notConnected``.
            case notConnected = "not connected"
            /// See ``Code/notFound``.
            case notFound = "not found"
            /// See ``Code/unsupported``.
            case unsupported
            /// See ``Code/invalidArgument``.
            case invalidArgument = "invalid argument"
            /// See ``Code/invalidResponse``.
            case invalidResponse = "invalid response"
            /// See ``Code/limitReached``.
            case limitReached = "limit reached"
            /// See ``Code/pairingRefused``.
            case pairingRefused = "pairing refused"
            /// See ``Code/pairingFailed``.
            case pairingFailed = "pairing failed"
            /// See ``Code/wrongPasskey``.
            case wrongPasskey = "wrong passkey"
            /// See ``Code/bondLost``.
            case bondLost = "bond lost"
            /// See ``Code/security``.
            case security
        }

        /// The caller's task was cancelled, or the caller ended the operation.
        public static var cancelled: Code { .plain(.cancelled) }
        /// No answer within the timeout.
        public static var timeout: Code { .plain(.timeout) }
        /// The device is not connected.
        public static var notConnected: Code { .plain(.notConnected) }
        /// The device does not have the service, characteristic or descriptor, or no longer has it.
        public static var notFound: Code { .plain(.notFound) }
        /// The device, the adapter or the backend cannot do this.
        public static var unsupported: Code { .plain(.unsupported) }
        /// An argument is wrong.
        public static var invalidArgument: Code { .plain(.invalidArgument) }
        /// The device violated the protocol.
        public static var invalidResponse: Code { .plain(.invalidResponse) }
        /// A documented limit was reached.
        public static var limitReached: Code { .plain(.limitReached) }
        /// The user here refused to pair.
        public static var pairingRefused: Code { .plain(.pairingRefused) }
        /// Pairing began and failed; see the reason.
        public static var pairingFailed: Code { .plain(.pairingFailed) }
        /// The numbers that the users of both devices entered or compared differ.
        public static var wrongPasskey: Code { .plain(.wrongPasskey) }
        /// The device has lost the keys of the bond, or is a different device.
        public static var bondLost: Code { .plain(.bondLost) }
        /// Pairing is required and did not happen, or the security that both sides support is insufficient.
        public static var security: Code { .plain(.security) }
    }
}

extension BluetoothError.Code {
    /// Matches errors by their code: `catch BluetoothError.Code.timeout`.
    public static func ~= (pattern: BluetoothError.Code, error: any Error) -> Bool {
        (error as? BluetoothError)?.code == pattern
    }
}

extension BluetoothError.Code: CustomStringConvertible {
    /// The name of the kind, with its value.
    public var description: String {
        switch self {
        case .plain(let kind): "\(kind)"
        case .disconnected(let status): "disconnected(\(status))"
        case .radio(let state): "radio(\(state))"
        case .att(let code): "att(\(code))"
        case .controller(let status): "controller(\(status))"
        case .channelRefused(let result): "channelRefused(\(result))"
        }
    }
}
