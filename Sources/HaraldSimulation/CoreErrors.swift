#if os(Linux)
import BluetoothModel
@preconcurrency import CoreBluetooth
import Harald

extension BluetoothError {
    /// Creates the equivalent of an error of CoreBluetooth, by which the model decides whether it is justified.
    init(core error: any Error, _ operation: String) {
        let code: Code
        switch error {
        case let error as CBATTError:
            switch error.code {
            case .insufficientAuthentication, .insufficientEncryption, .insufficientEncryptionKeySize: code = .security
            default: code = .att(ATTErrorCode(rawValue: UInt8(truncatingIfNeeded: error.code.rawValue)))
            }
        case let error as CBError:
            switch error.code {
            case .notConnected: code = .notConnected
            case .operationCancelled: code = .cancelled
            case .connectionTimeout: code = .disconnected(.connectionTimeout)
            case .peripheralDisconnected: code = .disconnected(.remoteUserTerminated)
            case .connectionFailed: code = .disconnected(.failedToEstablish)
            case .outOfSpace, .connectionLimitReached: code = .limitReached
            case .operationNotSupported: code = .unsupported
            case .peerRemovedPairingInformation: code = .bondLost
            case .encryptionTimedOut: code = .pairingFailed
            case .invalidHandle: code = .att(.invalidHandle)
            case .unknown: code = .invalidResponse
            default: code = .invalidArgument
            }
        default: code = .invalidArgument
        }
        self.init(code, operation: operation, reason: "\(error)")
    }
}
#endif
