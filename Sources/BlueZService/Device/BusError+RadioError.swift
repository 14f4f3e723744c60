import BluetoothModel
import SystemBus

extension BusError {
    /// Returns the error of an attempt to connect.
    static func connecting(_ error: RadioError) -> BusError {
        switch error {
        case .radio: .notReady("le-connection-adapter-not-powered")
        case .timeout, .unanswered: .failed("le-connection-timeout")
        case .cancelled: .failed("br-connection-canceled")
        case .disconnected: .failed("le-connection-abort-by-remote")
        case .limit: .failed("le-connection-concurrent-connection-limit")
        case .unsupported: .failed("le-connection-not-supported")
        case .invalidArgument: .failed("le-connection-invalid-arguments")
        case .controller: .failed("le-connection-refused")
        case .att, .notConnected, .invalidResponse, .channelRefused, .security: .failed("le-connection-unknown")
        }
    }

    /// Returns the error of an operation on an attribute.
    static func attribute(_ error: RadioError) -> BusError {
        switch error {
        case .att(.readNotPermitted, _): .notPermitted("Read not permitted")
        case .att(.writeNotPermitted, _): .notPermitted("Write not permitted")
        case .att(.insufficientAuthentication, _), .att(.insufficientEncryption, _),
            .att(.insufficientKeySize, _), .security:
            .notPermitted("Not paired")
        case .att(.invalidOffset, _): .invalidArguments("Invalid offset")
        case .att(.invalidValueLength, _): .invalidArguments("Invalid Length")
        case .att(.insufficientAuthorization, _): .notAuthorized
        case .att(.requestNotSupported, _): .notSupported
        case .att(let code, _):
            .failed("Operation failed with ATT error: 0x\([code.rawValue].hexText().lowercased())")
        case .notConnected: .notConnected
        case .disconnected: .failed("Operation failed with ATT error: 0x0e")
        case .cancelled, .timeout, .unanswered: .failed("Operation failed")
        case .radio: .notReady
        case .unsupported: .notSupported
        case .invalidArgument, .limit, .controller, .invalidResponse, .channelRefused: .failed("\(error)")
        }
    }
}
