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

    /// What went wrong.
    public enum Code: Int, Hashable, Sendable, _ErrorCodeProtocol {
        /// The error that carries the code.
        public typealias _ErrorType = CBATTError

        /// Success.
        case success = 0
        /// The attribute is not there.
        case invalidHandle = 1
        /// The value may not be read.
        case readNotPermitted = 2
        /// The value may not be written.
        case writeNotPermitted = 3
        /// The request was malformed.
        case invalidPdu = 4
        /// The value needs an authenticated connection.
        case insufficientAuthentication = 5
        /// The request is not supported.
        case requestNotSupported = 6
        /// The offset lies behind the value.
        case invalidOffset = 7
        /// The value needs an authorization.
        case insufficientAuthorization = 8
        /// Too many writes were prepared.
        case prepareQueueFull = 9
        /// Nothing was found.
        case attributeNotFound = 10
        /// The value is not a long one.
        case attributeNotLong = 11
        /// The value needs a longer key.
        case insufficientEncryptionKeySize = 12
        /// The value has the wrong length.
        case invalidAttributeValueLength = 13
        /// Something unlikely went wrong.
        case unlikelyError = 14
        /// The value needs an encrypted connection.
        case insufficientEncryption = 15
        /// The grouping is not supported.
        case unsupportedGroupType = 16
        /// The device has not enough resources.
        case insufficientResources = 17
    }

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

    /// What went wrong; `unlikelyError` for a code without a name, which ``errorCode`` shows.
    public var code: Code { Code(rawValue: _nsError.code) ?? .unlikelyError }
    /// The code as a number.
    public var errorCode: Int { _nsError.code }
}

extension CBATTError.Code {
    /// What it means, in a sentence.
    var explanation: String {
        switch self {
        case .success: "Success."
        case .invalidHandle: "The attribute is not there."
        case .readNotPermitted: "The value may not be read."
        case .writeNotPermitted: "The value may not be written."
        case .invalidPdu: "The request was malformed."
        case .insufficientAuthentication: "The value needs an authenticated connection."
        case .requestNotSupported: "The request is not supported."
        case .invalidOffset: "The offset lies behind the value."
        case .insufficientAuthorization: "The value needs an authorization."
        case .prepareQueueFull: "Too many writes were prepared."
        case .attributeNotFound: "Nothing was found."
        case .attributeNotLong: "The value is not a long one."
        case .insufficientEncryptionKeySize: "The value needs a longer key."
        case .invalidAttributeValueLength: "The value has the wrong length."
        case .unlikelyError: "Something unlikely went wrong."
        case .insufficientEncryption: "The value needs an encrypted connection."
        case .unsupportedGroupType: "The grouping is not supported."
        case .insufficientResources: "The device has not enough resources."
        }
    }
}
