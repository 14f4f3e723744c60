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

    /// The reason. Each raw value is accepted, also one without a name.
    public typealias Code = CBErrorCode

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

    /// The reason; a code without a name is kept.
    public var code: Code { Code(number: _nsError.code) }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
    /// The error as Apple's systems print it: its domain, its code, its text and what else is known.
    public var description: String { _nsError.appleDescription }
    /// The same text as ``description``.
    public var debugDescription: String { description }
}
