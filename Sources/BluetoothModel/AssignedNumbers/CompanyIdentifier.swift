/// Names the maker whose format manufacturer specific data has (Assigned Numbers, 7.1).
public struct CompanyIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number that the Bluetooth SIG assigned.
    public var rawValue: UInt16

    /// A company by its number, known or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let microsoft = CompanyIdentifier(rawValue: 0x0006),
        texasInstruments = CompanyIdentifier(rawValue: 0x000D),
        apple = CompanyIdentifier(rawValue: 0x004C), nordicSemiconductor = CompanyIdentifier(rawValue: 0x0059),
        polar = CompanyIdentifier(rawValue: 0x006B), google = CompanyIdentifier(rawValue: 0x00E0),
        ruuvi = CompanyIdentifier(rawValue: 0x0499),
        /// For tests inside a company; no product may use it.
        unassigned = CompanyIdentifier(rawValue: 0xFFFF)
}

extension CompanyIdentifier: Comparable, ExpressibleByIntegerLiteral {
    /// The order of the numbers.
    @inlinable
    public static func < (left: CompanyIdentifier, right: CompanyIdentifier) -> Bool { left.rawValue < right.rawValue }

    /// A company whose number stands in the program.
    @inlinable
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}

extension CompanyIdentifier {
    /// The company's name, or nil for a number that the table lacks.
    public var name: String? { AssignedNumbers.companyName(self) }
}

extension CompanyIdentifier: CustomStringConvertible {
    /// The name with the number, or the number alone: `Apple, Inc. (0x004C)`.
    public var description: String {
        let number = "0x" + [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)].hexText()
        return name.map { "\($0) (\(number))" } ?? number
    }
}
