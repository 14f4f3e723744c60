import BluetoothModel
import Foundation

extension CBError {
    /// An error with its explanation, and what the adapter said where that says more.
    static func make(_ code: Code, _ reason: String? = nil) -> CBError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: code.explanation]
        if let reason { userInfo[NSLocalizedFailureReasonErrorKey] = reason }
        return CBError(code, userInfo: userInfo)
    }
}

extension CBATTError {
    /// An error by the code of the specification, named or not; a code without a name has the reason in words.
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
    /// A result as it stands in the packet: one octet, not 0. What does not fit is sent as `unlikelyError`.
    init(_ result: CBATTError.Code) {
        guard let octet = UInt8(exactly: result.rawValue), octet != 0 else {
            Misuse.report("respond(to:withResult:): the result is 0 to 255, not \(result.rawValue)")
            self = .unlikelyError
            return
        }
        self.init(rawValue: octet)
    }
}

extension RadioError {
    /// The same error as Apple's API has it: always one of the two structs.
    ///
    /// Where the own radio went off there is no reason of the device: a link and what was pending on it end with
    /// `connectionTimeout`, as if nothing more was heard.
    var coreBluetooth: any Error {
        switch self {
        case .att(let code, _): CBATTError.make(code)
        case .disconnected(let status): CBError.make(status.connectionLoss, "\(status)")
        case .notConnected: CBError.make(.notConnected)
        case .timeout: CBError.make(.connectionTimeout)
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

    /// The same error where something of the own device was asked for, such as advertising.
    var localFailure: any Error {
        if case .radio(_, let reason) = self { CBError.make(.unknown, reason) } else { coreBluetooth }
    }

    /// The same error as the end of an attempt to connect.
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
    /// The end of a connection, as Apple's API tells it.
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
