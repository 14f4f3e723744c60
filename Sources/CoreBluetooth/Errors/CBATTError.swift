import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// An ATT error: the reason for which a device, or a local device, refused a request.
public struct CBATTError: _BridgedStoredNSError {
    /// The error as an `NSError`; use `as NSError`.
    public let _nsError: NSError

    /// Creates an error from an `NSError` of the same domain.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBATTError.errorDomain, "the error has another domain")
        _nsError = error
    }

    /// The domain.
    public static var errorDomain: String { CBATTErrorDomain }
    /// The domain, for Foundation.
    public static var _nsErrorDomain: String { CBATTErrorDomain }

    /// The error code. Every raw value is valid, also one without a name.
    public typealias Code = CBATTErrorCode

    /// Success.
    public static var success: Code { .success }
    /// The attribute does not exist.
    public static var invalidHandle: Code { .invalidHandle }
    /// The value may not be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// The value may not be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The request was malformed.
    public static var invalidPdu: Code { .invalidPdu }
    /// The value requires an authenticated connection.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// The request is not supported.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset is beyond the end of the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// The value requires authorization.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many writes were prepared.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// No attribute was found.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The value is not a long value.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The value requires a longer encryption key.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value has the wrong length.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// An unlikely error occurred.
    public static var unlikelyError: Code { .unlikelyError }
    /// The value requires an encrypted connection.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// The group type is not supported.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// The device has insufficient resources.
    public static var insufficientResources: Code { .insufficientResources }

    /// The error code, which may have no name.
    public var code: Code { Code(number: _nsError.code) }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
    /// The error as Apple's systems print it: its domain, its code, its text and its user info.
    public var description: String { _nsError.appleDescription }
    /// The same text as ``description``.
    public var debugDescription: String { description }
}
