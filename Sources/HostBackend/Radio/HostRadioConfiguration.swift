import BluetoothBackend
import BluetoothModel

/// The configuration of an adapter with this package's host stack.
package struct HostRadioConfiguration {
    /// The directory of bonds and known devices; nil if nothing is stored.
    package var directory: String?
    /// The address used for scanning and connecting.
    package var address: OwnAddress
    /// The role for which a static random address is derived from the store, where ``address`` is automatic; nil for
    /// the controller's public address.
    package var role: String?
    /// True to continue to use a public address that has bonds, in spite of ``role``.
    package var keepsBondedAddress: Bool
    /// Rotation interval of resolvable private addresses; nil disables privacy.
    package var privateAddressRotationInterval: Duration?

    /// Creates a configuration.
    package init(
        directory: String? = nil, address: OwnAddress = .automatic, role: String? = nil,
        keepsBondedAddress: Bool = false, privateAddressRotationInterval: Duration? = nil
    ) {
        self.directory = directory
        self.address = address
        self.role = role
        self.keepsBondedAddress = keepsBondedAddress
        self.privateAddressRotationInterval = privateAddressRotationInterval
    }
}
