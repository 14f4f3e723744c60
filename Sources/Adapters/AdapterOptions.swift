import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import BluetoothTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Options of an adapter.
///
/// All options but ``security`` apply to the whole adapter. An adapter that is open already is shared where the options
/// agree with those that it was opened with; options with the default value of the initializer agree with every
/// value. Options that cannot be applied are an error that names both values.
public struct AdapterOptions: Hashable, Sendable {
    /// The location of bonds and known devices.
    public enum Storage: Hashable, Sendable {
        /// The user's data directory; nothing is stored on the virtual radio.
        case automatic
        /// This directory, which is created if it is missing.
        case directory(String)
        /// Nothing is stored.
        case none
    }

    /// The path of a btsnoop file for every HCI packet, for Wireshark and btmon; nil for none.
    public var captureFile: String?
    /// True to include the keys that are sent to the controller and to peers in the capture, so that a sniffer's file
    /// can be decrypted; by default they are replaced with zeros.
    public var capturesKeys: Bool
    /// A capture that is started and stopped while the adapter runs; nil for none.
    package var captureTap: CaptureTap?
    /// The loop of a controller's host; nil for one of its own.
    package var loop: RadioLoop?
    /// The location of bonds and known devices.
    public var storage: Storage
    /// The address used for scanning and connecting, and by local devices without one of their own; by default the
    /// adapter's public address.
    public var address: OwnAddress
    /// The role for which a static random address is derived from the store, where ``address`` is automatic; nil for
    /// the controller's public address. A controller whose public address has bonds continues to use that address.
    package var addressRole: String?
    /// Rotation interval of resolvable private addresses, 1 s to 1 h, typically 15 min; only bonded devices can resolve
    /// them. nil, the default, disables privacy: the address itself is used.
    ///
    /// ``address`` is still the identity address that peers receive when they pair. Local devices with an address of
    /// their own use private addresses too, each with its own identity resolving key.
    public var privateAddressRotationInterval: Duration?
    /// Minimum security of pairings and bonds on the links of this user. A link that several users share follows the
    /// strictest of them; a user whose requirements a link does not meet is refused alone.
    public var security: SecurityPolicy

    /// Creates options.
    public init(
        captureFile: String? = nil, capturesKeys: Bool = false, storage: Storage = .automatic,
        address: OwnAddress = .automatic,
        privateAddressRotationInterval: Duration? = nil, security: SecurityPolicy = .init()
    ) {
        self.captureFile = captureFile
        self.capturesKeys = capturesKeys
        self.storage = storage
        self.address = address
        self.privateAddressRotationInterval = privateAddressRotationInterval
        self.security = security
    }
}

extension AdapterOptions.Storage {
    /// Returns the directory; nil if nothing is stored.
    public func directory(isVirtual: Bool) -> String? {
        switch self {
        case .none: nil
        case .directory(let path): path
        case .automatic: isVirtual ? nil : Self.userDirectory
        }
    }

    /// `$XDG_DATA_HOME/harald`, or the default in its place; nil if the user has no home directory.
    private static var userDirectory: String? {
        let environment = ProcessInfo.processInfo.environment
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/harald" }
        return environment["HOME"].map { $0 + "/.local/share/harald" }
    }
}
