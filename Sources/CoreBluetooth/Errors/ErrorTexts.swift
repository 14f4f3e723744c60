import CCoreBluetooth
import Foundation

extension CBErrorCode {
    /// The localized description: that of Apple's systems if it is known.
    var explanation: String {
        switch self {
        case .unknown: "Unknown error."
        case .invalidParameters: "One or more parameters were invalid."
        case .invalidHandle: "The handle is invalid."
        case .notConnected: "The device is not connected."
        case .outOfSpace: "There is not enough space."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The specified device has disconnected from us."
        case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection has failed unexpectedly."
        case .connectionLimitReached: "The adapter has reached its maximum number of connections."
        case .unkownDevice: "The device is not known."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "Peer removed pairing information"
        case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
        case .tooManyLEPairedDevices: "There are too many paired devices."
        case .leGattExceededBackgroundNotificationLimit:
            "The device exceeded the notification limit of a program in the background."
        case .leGattNearBackgroundNotificationLimit:
            "The device is close to the notification limit of a program in the background."
        case .channelSoundingConfigurationFailed: "Channel sounding could not be configured."
        case .channelSoundingProcedureFailed: "Channel sounding failed."
        @unknown default: "Unknown error."
        }
    }
}

extension CBATTErrorCode {
    /// The localized description: that of Apple's systems if it is known.
    var explanation: String {
        switch self {
        case .success: "Success."
        case .invalidHandle: "The handle is invalid."
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .invalidPdu: "The command is invalid."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset is invalid."
        case .insufficientAuthorization: "Authorization is insufficient."
        case .prepareQueueFull: "The prepare queue is full."
        case .attributeNotFound: "The attribute could not be found."
        case .attributeNotLong: "The attribute is not long."
        case .insufficientEncryptionKeySize: "The encryption key size is insufficient."
        case .invalidAttributeValueLength: "The value's length is invalid."
        case .unlikelyError: "Unlikely error."
        case .insufficientEncryption: "Encryption is insufficient."
        case .unsupportedGroupType: "The group type is unsupported."
        case .insufficientResources: "Resources are insufficient."
        @unknown default: "Unknown ATT error."
        }
    }
}

extension NSError {
    /// The error as Apple's systems print it. Foundation on Linux omits the text of an error that has one.
    var appleDescription: String {
        let text = userInfo[NSLocalizedDescriptionKey] as? String ?? "(null)"
        let head = "Error Domain=\(domain) Code=\(code) \"\(text)\""
        guard !userInfo.isEmpty else { return head }
        let pairs = userInfo.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(head) UserInfo={\(pairs.joined(separator: ", "))}"
    }
}
