import Harald
import VirtualDevices

/// Why a command ended without what was asked for.
struct ProgramError: Error, Hashable, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What an error of the libraries means for the program.
    init(_ error: any Error) {
        switch error {
        case let error as ProgramError: self = error
        case let error as BluetoothError: self.init(Self.status(of: error.code), "\(error)")
        case let error as DeviceFileError: self.init(.badFile, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    private static func status(of code: BluetoothError.Code) -> ExitStatus {
        switch code {
        case .timeout: .timeout
        case .radio: .noAdapter
        case .notFound: .notFound
        case .invalidArgument: .usage
        case .cancelled: .interrupted
        default: .failed
        }
    }

    var description: String { message }
}
