/// Manufacturer specific data (Core Specification Supplement, Part A, 1.4).
public struct ManufacturerData: Hashable, Sendable {
    /// The company that defines the format.
    public var company: CompanyIdentifier
    /// The bytes after the company identifier.
    public var data: [UInt8]

    /// Creates manufacturer specific data.
    public init(company: CompanyIdentifier, data: [UInt8]) {
        self.company = company
        self.data = data
    }
}
