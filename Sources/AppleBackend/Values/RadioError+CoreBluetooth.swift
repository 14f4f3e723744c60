import BluetoothModel
import CoreBluetooth

extension RadioError {
    /// Creates the error from one of CoreBluetooth.
    init(_ error: any Error) {
        switch error {
        case let error as CBATTError:
            self = .att(ATTErrorCode(rawValue: UInt8(truncatingIfNeeded: error.errorCode)), handle: 0)
        case let error as CBError: self.init(error.code, (error as NSError).localizedDescription)
        default: self = .invalidResponse((error as NSError).localizedDescription)
        }
    }

    private init(_ code: CBError.Code, _ text: String) {
        switch code {
        case .connectionTimeout: self = .disconnected(.connectionTimeout)
        case .peripheralDisconnected: self = .disconnected(.remoteUserTerminated)
        case .connectionFailed: self = .disconnected(.failedToEstablish)
        case .connectionLimitReached: self = .disconnected(.connectionLimitExceeded)
        case .notConnected: self = .notConnected
        case .operationCancelled: self = .cancelled
        case .operationNotSupported: self = .unsupported(text)
        case .invalidParameters, .invalidHandle, .uuidNotAllowed: self = .invalidArgument(text)
        case .outOfSpace, .alreadyAdvertising, .tooManyLEPairedDevices: self = .limit(text)
        case .peerRemovedPairingInformation: self = .security(SecurityProblem(.bondLost, text))
        case .encryptionTimedOut: self = .security(SecurityProblem(.timeout, text))
        default: self = .invalidResponse(text)
        }
    }
}
