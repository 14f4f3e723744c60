import BluetoothModel

/// The version of a peer's link layer (Core 6.0, Vol 4, Part E, 7.7.12).
package struct RemoteVersion: Hashable, Sendable {
    /// The link layer version: 6 is Bluetooth 4.0, 9 is 5.0, 14 is 6.0.
    package var version: UInt8
    /// The manufacturer of the controller.
    package var company: CompanyIdentifier
    /// The subversion, assigned by the manufacturer.
    package var subversion: UInt16

    /// Creates a version.
    package init(version: UInt8, company: CompanyIdentifier, subversion: UInt16) {
        self.version = version
        self.company = company
        self.subversion = subversion
    }
}
