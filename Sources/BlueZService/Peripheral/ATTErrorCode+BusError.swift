import BluetoothModel
import SystemBus

extension ATTErrorCode {
    /// Creates the code that a central receives for the error of a client.
    /// - Parameter refused: the code for `NotPermitted`, which depends on the operation.
    init(_ error: BusError, refused: ATTErrorCode) {
        switch error.name {
        case "org.bluez.Error.Failed": self = Self.application(error.text)
        case "org.bluez.Error.NotSupported": self = .requestNotSupported
        case "org.bluez.Error.NotAuthorized": self = .insufficientAuthorization
        case "org.bluez.Error.InvalidValueLength": self = .invalidValueLength
        case "org.bluez.Error.InvalidOffset": self = .invalidOffset
        case "org.bluez.Error.InProgress": self = .procedureAlreadyInProgress
        case "org.bluez.Error.NotPermitted": self = refused
        default: self = .unlikelyError
        }
    }

    /// Returns the application error that a text states, such as "0x81" or "129"; 0x80 for any other text.
    private static func application(_ text: String) -> ATTErrorCode {
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        guard let number else { return ATTErrorCode(rawValue: 0x80) }
        guard (0x80...0x9F).contains(number), let code = UInt8(exactly: number) else { return .unlikelyError }
        return ATTErrorCode(rawValue: code)
    }
}
