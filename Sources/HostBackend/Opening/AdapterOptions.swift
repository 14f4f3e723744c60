import BluetoothBackend

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an adapter is opened with. The first to open an adapter decides.
public struct AdapterOptions: Hashable, Sendable {
    /// Where bonds and known devices are kept.
    public enum Storage: Hashable, Sendable {
        /// In the user's data directory; nowhere on the virtual radio.
        case automatic
        /// In a directory of the caller's, which is made where it is missing.
        case directory(String)
        /// Nowhere.
        case none
    }

    /// A file that every HCI packet is written to, as btsnoop, for Wireshark and btmon; nil for none.
    public var captureFile: String?
    /// Where bonds and known devices are kept.
    public var storage: Storage
    /// The address that scanning and connecting use, and a device of ours without one of its own; by default the
    /// adapter's public address.
    public var address: OwnAddress

    /// Options.
    public init(captureFile: String? = nil, storage: Storage = .automatic, address: OwnAddress = .automatic) {
        self.captureFile = captureFile
        self.storage = storage
        self.address = address
    }
}

extension AdapterOptions.Storage {
    /// The directory; nil where nothing is kept.
    public func directory(isVirtual: Bool) -> String? {
        switch self {
        case .none: nil
        case .directory(let path): path
        case .automatic: isVirtual ? nil : Self.userDirectory
        }
    }

    /// `$XDG_DATA_HOME/harald`, or what the platform has in its place; nil where the user has no home.
    private static var userDirectory: String? {
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/harald" }
        return environment["HOME"].map { $0 + "/.local/share/harald" }
    }
}
