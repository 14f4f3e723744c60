import BluetoothBackend
import BluetoothModel

extension AdapterOptions {
    /// Returns the reason why these options cannot be applied to an adapter that was opened with `opened`; nil if they
    /// can.
    func conflict(with opened: AdapterOptions, isVirtual: Bool) -> RadioError? {
        if let captureFile {
            if captureFile != opened.captureFile {
                return Self.conflict(
                    "captureFile", opened.captureFile.map { "'\($0)'" } ?? "none", "'\(captureFile)'")
            }
            if capturesKeys != opened.capturesKeys {
                return Self.conflict("capturesKeys", "\(opened.capturesKeys)", "\(capturesKeys)")
            }
        }
        if storage != .automatic {
            let directories = (opened.storage.directory(isVirtual: isVirtual), storage.directory(isVirtual: isVirtual))
            if directories.0 != directories.1 {
                return Self.conflict(
                    "storage", directories.0.map { "'\($0)'" } ?? "none", directories.1.map { "'\($0)'" } ?? "none")
            }
        }
        if address != .automatic, address != opened.address {
            return Self.conflict("address", opened.address.text, address.text)
        }
        if let privateAddressRotationInterval, privateAddressRotationInterval != opened.privateAddressRotationInterval {
            let time = opened.privateAddressRotationInterval.map { "\($0)" } ?? "none"
            return Self.conflict("privateAddressRotationInterval", time, "\(privateAddressRotationInterval)")
        }
        return nil
    }

    /// The reason why the operating system's own service cannot apply these options; nil if it can.
    var systemConflict: RadioError? {
        if captureFile != nil {
            return .unsupported("BlueZ's packets cannot be captured here; use 'btmon -w FILE', or an adapter hci:N")
        }
        if case .randomStatic = address {
            return .unsupported("BlueZ chooses the adapter's address; hci:N accepts a static random address")
        }
        if security.requiresSecureConnections {
            return .unsupported(
                "BlueZ does not report how a link was paired, so LE Secure Connections cannot be required; use hci:N, "
                    + "or for all programs 'SecureConnections = only' in BlueZ's main.conf")
        }
        if privateAddressRotationInterval != nil {
            return .unsupported(
                "BlueZ configures private addresses in its main.conf ('Privacy'); hci:N supports this option")
        }
        return nil
    }

    private static func conflict(_ name: String, _ opened: String, _ wanted: String) -> RadioError {
        .invalidArgument(
            "the adapter is already open with \(name) \(opened), which cannot change to \(wanted) while it is in use")
    }
}

extension OwnAddress {
    fileprivate var text: String {
        switch self {
        case .automatic: "automatic"
        case .public: "public"
        case .randomStatic(let address): address.text
        }
    }
}
