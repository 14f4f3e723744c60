import BluetoothBackend
import BluetoothTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Options of an adapter.
///
/// All of them but ``security`` hold for the whole adapter. An adapter that is open already is shared where the options
/// agree with those that it was opened with; options with the value of ``init`` agree with everything. Options that
/// cannot hold are an error that names both values.
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
    /// Whether the capture has the keys that go to the controller and to peers, so that a sniffer's file can be
    /// decrypted; by default zeros stand in their place.
    public var capturesKeys: Bool
    /// A capture that is started and stopped while the adapter runs; nil for none.
    package var captureTap: CaptureTap?
    /// Where bonds and known devices are kept.
    public var storage: Storage
    /// The address that scanning and connecting use, and a device of ours without one of its own; by default the
    /// adapter's public address.
    public var address: OwnAddress
    /// The role for which a static random address is derived from the store, where ``address`` is automatic; nil for the
    /// controller's public address. A controller under whose public address there are bonds keeps using that.
    package var addressRole: String?
    /// How long each resolvable private address is used, 1 s to 1 h, where the adapter is to be recognised by nobody
    /// but those that it is bonded with; a quarter of an hour is usual. nil, the default, for the address itself on the
    /// air.
    ///
    /// ``address`` stays the identity that peers get when they pair. Devices of ours with an address of their own hide
    /// it too, each with a key of its own.
    public var privateAddressTime: Duration?
    /// Minimum security of pairings and bonds on the links of this user. A link that several users share follows the
    /// strictest of them; who demands more than a link has is refused alone.
    public var security: SecurityPolicy

    /// Options.
    public init(
        captureFile: String? = nil, capturesKeys: Bool = false, storage: Storage = .automatic,
        address: OwnAddress = .automatic,
        privateAddressTime: Duration? = nil, security: SecurityPolicy = .init()
    ) {
        self.captureFile = captureFile
        self.capturesKeys = capturesKeys
        self.storage = storage
        self.address = address
        self.privateAddressTime = privateAddressTime
        self.security = security
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
