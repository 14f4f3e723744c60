import BluetoothModel

/// Which link layer a peer has (Core 6.0, Vol 4, Part E, 7.7.12).
public struct RemoteVersion: Hashable, Sendable {
    /// The version of the link layer: 6 is 4.0, 9 is 5.0, 14 is 6.0.
    public var version: UInt8
    /// Who made the controller.
    public var company: CompanyIdentifier
    /// A number of the maker's.
    public var subversion: UInt16

    /// A version in its parts.
    public init(version: UInt8, company: CompanyIdentifier, subversion: UInt16) {
        self.version = version
        self.company = company
        self.subversion = subversion
    }
}
