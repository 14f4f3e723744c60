/// Data in a format of the company that it names (Core Specification Supplement, Part A, 1.4).
public struct ManufacturerData: Hashable, Sendable {
    /// Whose format it is.
    public var company: CompanyIdentifier
    /// The bytes after the company identifier.
    public var data: [UInt8]

    /// Data of a company.
    public init(company: CompanyIdentifier, data: [UInt8]) {
        self.company = company
        self.data = data
    }
}
