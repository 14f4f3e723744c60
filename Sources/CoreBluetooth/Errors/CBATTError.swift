import Foundation

/// The domain of ``CBATTError``.
public let CBATTErrorDomain = "CBATTErrorDomain"

/// Why a device refused a request about an attribute, or a request to a device of one's own was refused.
public struct CBATTError: _BridgedStoredNSError {
    /// The same error for Foundation; use `as NSError`.
    public let _nsError: NSError

    /// An error from one of Foundation.
    public init(_nsError error: NSError) {
        precondition(error.domain == CBATTError.errorDomain, "an error of another domain")
        _nsError = error
    }

    /// The domain.
    public static var errorDomain: String { CBATTErrorDomain }
    /// The domain, for Foundation.
    public static var _nsErrorDomain: String { CBATTErrorDomain }

    /// The reason. Each raw value is accepted, also one without a name.
    public typealias Code = CBATTErrorCode

    /// Success.
    public static var success: Code { .success }
    /// The attribute is not there.
    public static var invalidHandle: Code { .invalidHandle }
    /// The value may not be read.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// The value may not be written.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// The request was malformed.
    public static var invalidPdu: Code { .invalidPdu }
    /// The value needs an authenticated connection.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// The request is not supported.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// The offset lies behind the value.
    public static var invalidOffset: Code { .invalidOffset }
    /// The value needs an authorization.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// Too many writes were prepared.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// Nothing was found.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// The value is not a long one.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// The value needs a longer key.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// The value has the wrong length.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// Something unlikely went wrong.
    public static var unlikelyError: Code { .unlikelyError }
    /// The value needs an encrypted connection.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// The grouping is not supported.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// The device has not enough resources.
    public static var insufficientResources: Code { .insufficientResources }

    /// The reason; a code without a name is kept.
    public var code: Code { Code(number: _nsError.code) }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
    /// The error as Apple's systems print it: its domain, its code, its text and what else is known.
    public var description: String { _nsError.appleDescription }
    /// The same text as ``description``.
    public var debugDescription: String { description }
}
