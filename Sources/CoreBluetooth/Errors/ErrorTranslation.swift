import BluetoothModel
import Foundation

extension CBError {
    /// Creates an error with its localized description, and the adapter's reason where it is more specific.
    static func make(_ code: Code, _ reason: String? = nil) -> CBError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: code.explanation]
        if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
        return CBError(code, userInfo: userInfo)
    }
}

extension CBATTError {
    /// Creates an error from a code of the specification, named or not; a code without a name has its text as the
    /// reason.
    static func make(_ code: ATTErrorCode) -> CBATTError {
        let named = Code(number: Int(code.rawValue))
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: named.explanation]
        if code.rawValue > Code.insufficientResources.rawValue {
            userInfo[NSLocalizedFailureReasonErrorKey] = "\(code)"
        }
        return CBATTError(named, userInfo: userInfo)
    }
}

extension ATTErrorCode {
    /// Creates the code of a result as it is sent: one octet, not 0. Any other value is sent as `unlikelyError`.
    init(_ result: CBATTError.Code) {
        guard let octet = UInt8(exactly: result.rawValue), octet != 0 else {
            Misuse.report("respond(to:withResult:): the result must be from 0 to 255, not \(result.rawValue)")
            self = .unlikelyError
            return
        }
        self.init(rawValue: octet)
    }
}

extension RadioError {
    /// The equivalent error of Apple's API: always one of the two structs.
    ///
    /// If the local adapter was powered off, the device gave no reason: a link and its pending requests end with
    /// `connectionTimeout`, as if nothing more was received.
    var coreBluetooth: any Error {
        switch self {
        case .att(let code, _): CBATTError.make(code)
        case .disconnected(let status): CBError.make(status.connectionLoss, "\(status)")
        case .notConnected: CBError.make(.notConnected)
        case .timeout, .unanswered: CBError.make(.connectionTimeout)
        case .cancelled: CBError.make(.operationCancelled)
        case .radio(_, let reason): CBError.make(.connectionTimeout, reason)
        case .unsupported(let reason): CBError.make(.operationNotSupported, reason)
        case .invalidArgument(let reason): CBError.make(.invalidParameters, reason)
        case .limit(let reason): CBError.make(.outOfSpace, reason)
        case .controller(let status): CBError.make(status.refusal, "\(status)")
        case .invalidResponse(let reason): CBError.make(.unknown, reason)
        case .channelRefused(let result):
            CBError.make(.connectionFailed, "the device refused the channel with result \(result)")
        case .security(let problem):
            switch problem.kind {
            case .bondLost: CBError.make(.peerRemovedPairingInformation, problem.text)
            case .timeout: CBError.make(.encryptionTimedOut, problem.text)
            default: CBATTError.make(.insufficientAuthentication)
            }
        }
    }

    /// The equivalent error of an operation of the local device, such as advertising.
    var localFailure: any Error {
        if case .radio(_, let reason) = self { CBError.make(.unknown, reason) } else { coreBluetooth }
    }

    /// The equivalent error of a failed attempt to connect.
    var connectionFailure: CBError {
        switch self {
        case .disconnected(.connectionLimitExceeded), .controller(.connectionLimitExceeded), .limit:
            .make(.connectionLimitReached, "\(self)")
        case .disconnected(.failedToEstablish): .make(.connectionFailed, "\(self)")
        case .radio(_, let reason): .make(.connectionFailed, reason)
        default: coreBluetooth as? CBError ?? .make(.connectionFailed, "\(self)")
        }
    }
}

extension HCIStatus {
    /// The error code of Apple's API for a connection that ended with this status.
    fileprivate var connectionLoss: CBError.Code {
        switch self {
        case .connectionTimeout, .llResponseTimeout: .connectionTimeout
        case .failedToEstablish: .connectionFailed
        case .connectionLimitExceeded: .connectionLimitReached
        case .pinOrKeyMissing: .peerRemovedPairingInformation
        default: .peripheralDisconnected
        }
    }

    fileprivate var refusal: CBError.Code {
        switch self {
        case .connectionLimitExceeded, .memoryCapacityExceeded, .limitedResources: .connectionLimitReached
        case .unsupportedFeature, .unsupportedRemoteFeature, .unknownCommand: .operationNotSupported
        case .invalidParameters, .parameterOutOfRange: .invalidParameters
        default: .unknown
        }
    }
}
