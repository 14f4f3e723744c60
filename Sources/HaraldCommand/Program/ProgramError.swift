import Explorer
import Foundation
import Harald
import VirtualDevices

/// An error of a library that has an exit status of its own.
protocol FailureWithStatus: Error {
    var exitStatus: ExitStatus { get }
}

/// The error with which a command ends.
struct ProgramError: Error, Hashable, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Converts an error of the libraries.
    init(_ error: any Error) {
        switch error {
        case let error as ProgramError: self = error
        case var error as BluetoothError:
            error.advice = Self.advice(for: error) ?? error.advice
            self.init(Self.status(of: error.code), "\(error)")
        case let error as DeviceFileError: self.init(error.isMissing ? .notFound : .badFile, "\(error)")
        case let error as InputError: self.init(.usage, error.message)
        case let error as CocoaError:
            self.init(.failed, [error.filePath, Self.reason(of: error)].compactMap { $0 }.joined(separator: ": "))
        case let error as any FailureWithStatus: self.init(error.exitStatus, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }

    /// The system's message for an error of Foundation: "No space left on device".
    private static func reason(of error: CocoaError) -> String {
        guard let code = (error.underlying as? POSIXError)?.code else { return error.localizedDescription }
        return String(cString: strerror(code.rawValue))
    }

    /// Advice for a user of the program; nil if the library's own advice applies. The library's advice names its API,
    /// which does not help at a terminal.
    private static func advice(for error: BluetoothError) -> String? {
        if case .att(let code) = error.code, code.asksForSecurity {
            return "the device requires pairing, possibly with a passkey: 'harald pair DEVICE', or --passkey"
        }
        return switch error.securityProblem {
        case .bondLost: "to pair again, delete the bond first: 'harald bonds forget DEVICE\(store)'"
        case .tooWeak:
            "protection against a man in the middle requires a device that shows or accepts a number (--passkey), or "
                + "out-of-band data (--oob)"
        case .shortKey: "--minimum-key-size lowers the limit, and the security"
        case .weakerThanBond:
            "if the device was reset or replaced, 'harald bonds forget DEVICE\(store)' deletes the stronger key; then "
                + "pair again"
        case .unreadableBonds: "'harald bonds forget --all\(store)' deletes all bonds and creates a new file"
        case .noOutOfBandData: "out-of-band data is valid for one pairing: create new data, and pass it with --oob"
        default: nil
        }
    }

    /// The option `--store` of the command line, to repeat in suggested commands, so that they do not change the user's
    /// own store.
    private static var store: String {
        let words = CommandLine.arguments
        if let word = words.last(where: { $0.hasPrefix("--store=") }) { return " " + Invocation.quoted(word) }
        guard let index = words.lastIndex(of: "--store"), index + 1 < words.count else { return "" }
        return " --store \(Invocation.quoted(words[index + 1]))"
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
