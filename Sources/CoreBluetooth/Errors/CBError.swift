import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain = "CBErrorDomain"

/// An error of a manager or of a device.
public struct CBError: _BridgedStoredNSError {
    /// The error as an `NSError`; use `as NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of the same domain.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBError.errorDomain, "the error has another domain")
        _nsError = error
    }

    /// The domain.
    public static var errorDomain: String { CBErrorDomain }
    /// The domain, for Foundation.
    public static var _nsErrorDomain: String { CBErrorDomain }

    /// The error code. Every raw value is valid, also one without a name.
    public typealias Code = CBErrorCode

    /// The reason is unknown.
    public static var unknown: Code { .unknown }
    /// A parameter is invalid.
    public static var invalidParameters: Code { .invalidParameters }
    /// The attribute is invalid, or no longer valid.
    public static var invalidHandle: Code { .invalidHandle }
    /// The device is not connected.
    public static var notConnected: Code { .notConnected }
    /// There is no space left.
    public static var outOfSpace: Code { .outOfSpace }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The supervision timeout elapsed: nothing was received from the device.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// The device ended the connection.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// This UUID is reserved for the system.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// The device is being advertised already.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// The connection could not be established.
    public static var connectionFailed: Code { .connectionFailed }
    /// The adapter has its maximum number of connections.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// The device is unknown. (The misspelled name is that of Apple's systems.)
    public static var unkownDevice: Code { .unkownDevice }
    /// The operation is not supported.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// The device has lost the keys of its pairing.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// Encrypting the connection took too long.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// There are too many paired devices.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// The device notified more than a program in the background may receive; never on Linux.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// The device notifies almost as much as a program in the background may receive; never on Linux.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
    /// Channel sounding could not be configured.
    public static var channelSoundingConfigurationFailed: Code { .channelSoundingConfigurationFailed }
    /// Channel sounding failed.
    public static var channelSoundingProcedureFailed: Code { .channelSoundingProcedureFailed }
    /// The device is unknown.
    public static var unknownDevice: Code { .unkownDevice }

    /// The error code, which may have no name.
    public var code: Code { Code(number: _nsError.code) }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
    /// The error as Apple's systems print it: its domain, its code, its text and its user info.
    public var description: String { _nsError.appleDescription }
    /// The same text as ``description``.
    public var debugDescription: String { description }
}
