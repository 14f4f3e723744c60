import BluetoothBackend
import BluetoothModel

extension AdapterOptions {
    /// Returns the reason why these options cannot be applied to an adapter that was opened with `opened`; nil where
    /// they can.
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
        if let privateAddressTime, privateAddressTime != opened.privateAddressTime {
            let time = opened.privateAddressTime.map { "\($0)" } ?? "none"
            return Self.conflict("privateAddressTime", time, "\(privateAddressTime)")
        }
        return nil
    }

    /// The reason why the operating system's own service cannot apply these options; nil where it can.
    var systemConflict: RadioError? {
        if captureFile != nil {
            return .unsupported("a capture of what BlueZ does is made by 'btmon -w FILE'; with hci:N it is made here")
        }
        if case .randomStatic = address {
            return .unsupported("BlueZ chooses the adapter's address itself; hci:N takes a random static one")
        }
        if security.requiresSecureConnections {
            return .unsupported(
                "BlueZ does not tell how a link was paired, so that LE Secure Connections cannot be required; with hci:N "
                    + "it can, or for all programs with 'SecureConnections = only' in BlueZ's main.conf")
        }
        if privateAddressTime != nil {
            return .unsupported(
                "BlueZ decides about private addresses itself ('Privacy' in its main.conf); hci:N takes the option")
        }
        return nil
    }

    private static func conflict(_ name: String, _ opened: String, _ wanted: String) -> RadioError {
        .invalidArgument(
            "the adapter is open already with \(name) \(opened), which cannot become \(wanted) while it is used")
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
