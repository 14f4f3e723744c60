import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// Why something asked of a manager or a device failed.
public struct CBError: _BridgedStoredNSError {
    /// The same error for Foundation; use `as NSError`.
    public let _nsError: NSError

    /// An error from one of Foundation.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBError.errorDomain, "an error of another domain")
        _nsError = error
    }

    /// The domain.
    public static var errorDomain: String { CBErrorDomain }
    /// The domain, for Foundation.
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// What went wrong.
    public enum Code: Int, Hashable, Sendable, _ErrorCodeProtocol {
        /// The error that carries the code.
        public typealias _ErrorType = CBError

        /// The reason is not known.
        case unknown = 0
        /// A parameter is invalid.
        case invalidParameters = 1
        /// The attribute is not valid, or not any more.
        case invalidHandle = 2
        /// The device is not connected.
        case notConnected = 3
        /// There is no room left.
        case outOfSpace = 4
        /// The operation was cancelled.
        case operationCancelled = 5
        /// Nothing was heard of the device for too long.
        case connectionTimeout = 6
        /// The device has ended the connection.
        case peripheralDisconnected = 7
        /// This UUID is the system's own.
        case uuidNotAllowed = 8
        /// The device is being advertised already.
        case alreadyAdvertising = 9
        /// The connection could not be made.
        case connectionFailed = 10
        /// There are as many connections as the adapter can have.
        case connectionLimitReached = 11
        /// The device is not known. (The name is spelled as it is on Apple's systems.)
        case unkownDevice = 12
        /// The operation is not supported.
        case operationNotSupported = 13
        /// The device does not know the keys of its pairing any more.
        case peerRemovedPairingInformation = 14
        /// Encrypting the connection took too long.
        case encryptionTimedOut = 15
        /// There are too many paired devices.
        case tooManyLEPairedDevices = 16
        /// The device notified more than a program in the background may take; never on Linux.
        case leGattExceededBackgroundNotificationLimit = 17
        /// The device notifies almost more than a program in the background may take; never on Linux.
        case leGattNearBackgroundNotificationLimit = 18
        /// Channel sounding could not be configured.
        case channelSoundingConfigurationFailed = 19
        /// Channel sounding failed.
        case channelSoundingProcedureFailed = 20

        /// The device is not known.
        public static var unknownDevice: Code { .unkownDevice }
    }

    /// The reason is not known.
    public static var unknown: Code { .unknown }
    /// A parameter is invalid.
    public static var invalidParameters: Code { .invalidParameters }
    /// The attribute is not valid, or not any more.
    public static var invalidHandle: Code { .invalidHandle }
    /// The device is not connected.
    public static var notConnected: Code { .notConnected }
    /// There is no room left.
    public static var outOfSpace: Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// Nothing was heard of the device for too long.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The device has ended the connection.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// This UUID is the system's own.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// The device is being advertised already.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// The connection could not be made.
    public static var connectionFailed: Code { .connectionFailed }
    /// There are as many connections as the adapter can have.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// The device is not known. (The name is spelled as it is on Apple's systems.)
    public static var unkownDevice: Code { .unkownDevice }
    /// The operation is not supported.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The device does not know the keys of its pairing any more.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// Encrypting the connection took too long.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// There are too many paired devices.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// The device notified more than a program in the background may take; never on Linux.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// The device notifies almost more than a program in the background may take; never on Linux.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
    /// Channel sounding could not be configured.
    public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
    /// Channel sounding failed.
    public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
    /// The device is not known.
    public static var unknownDevice: Code { .unkownDevice }

    /// What went wrong; `unknown` for a code without a name, which ``errorCode`` shows.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unknown }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
}

extension CBError.Code {
    /// What it means, in a sentence.
    var explanation: String {
        switch self {
        case .unknown: "The reason is not known."
        case .invalidParameters: "A parameter is invalid."
        case .invalidHandle: "The attribute is not valid any more."
        case .notConnected: "The device is not connected."
        case .outOfSpace: "There is no room left."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection was lost: nothing was heard of the device for too long."
        case .peripheralDisconnected: "The device has ended the connection."
        case .uuidNotAllowed: "This UUID is the system's own."
        case .alreadyAdvertising: "The device is being advertised already."
        case .connectionFailed: "The connection could not be made."
        case .connectionLimitReached: "There are as many connections as the adapter can have."
        case .unkownDevice: "The device is not known."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "The device does not know the keys of its pairing any more."
        case .encryptionTimedOut: "Encrypting the connection took too long."
        case .tooManyLEPairedDevices: "There are too many paired devices."
        case .leGattExceededBackgroundNotificationLimit:
            "The device notified more than a program in the background may take."
        case .leGattNearBackgroundNotificationLimit:
            "The device notifies almost more than a program in the background may take."
        case .channelSoundingConfigurationFailed: "Channel sounding could not be configured."
        case .channelSoundingProcedureFailed: "Channel sounding failed."
        }
    }
}
