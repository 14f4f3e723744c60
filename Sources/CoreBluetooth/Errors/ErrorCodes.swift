import CCoreBluetooth
import Foundation

extension CBErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that carries the code.
    public typealias _ErrorType = CBError

    init(number: Int) {
        // Never nil: the enumeration is open, so every raw value is valid.
        self = Self(rawValue: number) ?? .unknown
    }

    /// Returns true if an error has this code: a ``CBError``, or an `NSError` of its domain.
    public static func ~= (code: CBErrorCode, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == CBErrorDomain && error.code == code.rawValue
    }
}

extension CBATTErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that carries the code.
    public typealias _ErrorType = CBATTError

    init(number: Int) {
        // Never nil: the enumeration is open, so every raw value is valid.
        self = Self(rawValue: number) ?? .unlikelyError
    }

    /// Returns true if an error has this code: a ``CBATTError``, or an `NSError` of its domain.
    public static func ~= (code: CBATTErrorCode, error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == CBATTErrorDomain && error.code == code.rawValue
    }
}
