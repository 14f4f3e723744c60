import Harald
import VirtualDevices

enum ErrorTest: Hashable, Sendable {
    case any
    /// An error of the attribute protocol.
    case att(ATTErrorCode)
    case kind(Kind)

    /// A kind of error; the raw value is its name in a script.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case att, timeout, disconnected, notConnected, notFound, unsupported, invalidArgument, invalidResponse, pairing,
            security, controller
    }

    init(_ node: FileNode) throws(DeviceFileError) {
        let text = try node.string("error")
        if text.lowercased() == "any" {
            self = .any
        } else if let kind = Kind.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
            self = .kind(kind)
        } else if text.first?.isNumber == true {
            self = .att(
                ATTErrorCode(rawValue: UInt8(try node.integer("an error of the attribute protocol", in: 1...255))))
        } else {
            let names = ["any"] + Kind.allCases.map(\.rawValue)
            let meant = Spelling.nearest(to: text, among: names).map { "; did you mean '\($0)'?" } ?? ""
            throw node.error(
                "error cannot be '\(text)'\(meant) It is an error of the attribute protocol such as 0x03, or one of "
                    + names.joined(separator: ", "))
        }
    }

    func accepts(_ error: any Error) -> Bool {
        if case .any = self { return true }
        if case .kind(.notFound) = self, error is ScriptNotFound { return true }
        guard let error = error as? BluetoothError else { return false }
        switch self {
        case .any: return true
        case .att(let code):
            switch error.code {
            case .att(let came): return came == code
            // The device required security, and the script does not allow pairing.
            case .pairingRefused, .security: return code.asksForSecurity
            default: return false
            }
        case .kind(let kind):
            switch (kind, error.code) {
            case (.att, .att), (.timeout, .timeout), (.disconnected, .disconnected), (.notConnected, .notConnected),
                (.notFound, .notFound), (.unsupported, .unsupported), (.invalidArgument, .invalidArgument),
                (.invalidResponse, .invalidResponse), (.pairing, .pairingRefused), (.pairing, .pairingFailed),
                (.pairing, .wrongPasskey), (.pairing, .bondLost), (.security, .security), (.security, .pairingRefused),
                (.controller, .controller):
                return true
            case (.security, .att(let code)): return code.asksForSecurity
            default: return false
            }
        }
    }
}

extension ErrorTest: CustomStringConvertible {
    /// "error: write not permitted (0x03)".
    var description: String {
        switch self {
        case .any: "an error"
        case .att(let code): "error: \(code)"
        case .kind(let kind): "error: \(kind.rawValue)"
        }
    }
}

/// An error that is thrown if a device or an attribute of a step does not exist.
package struct ScriptNotFound: Error, CustomStringConvertible {
    /// The expected and the present value.
    package var description: String

    package init(_ description: String) { self.description = description }
}
