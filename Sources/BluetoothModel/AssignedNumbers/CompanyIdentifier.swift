/// The identifier of the company that defines a format of manufacturer specific data (Assigned Numbers, 7.1).
public struct CompanyIdentifier: RawRepresentable, Hashable, Sendable {
    /// The number that the Bluetooth SIG assigned.
    public var rawValue: UInt16

    /// Creates an identifier from its number, assigned or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let microsoft = CompanyIdentifier(rawValue: 0x0006),
        texasInstruments = CompanyIdentifier(rawValue: 0x000D),
        apple = CompanyIdentifier(rawValue: 0x004C), nordicSemiconductor = CompanyIdentifier(rawValue: 0x0059),
        polar = CompanyIdentifier(rawValue: 0x006B), google = CompanyIdentifier(rawValue: 0x00E0),
        ruuvi = CompanyIdentifier(rawValue: 0x0499),
        /// Reserved for internal testing; products must not use it.
        unassigned = CompanyIdentifier(rawValue: 0xFFFF)
}

extension CompanyIdentifier: Comparable, ExpressibleByIntegerLiteral {
    /// Compares the numbers.
    @inlinable
    public static func < (left: CompanyIdentifier, right: CompanyIdentifier) -> Bool { left.rawValue < right.rawValue }

    /// Creates an identifier from an integer literal.
    @inlinable
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}

extension CompanyIdentifier {
    /// The name of the company; nil if unknown.
    public var name: String? { AssignedNumbers.companyName(self) }
}

extension CompanyIdentifier: CustomStringConvertible {
    /// The name with the number, `Apple, Inc. (0x004C)`, or only the number if unknown.
    public var description: String {
        let number = "0x" + [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)].hexText()
        return name.map { "\($0) (\(number))" } ?? number
    }
}
