/// The roles that a device takes in connections (Core Specification Supplement, Part A, 1.17).
public struct LERole: RawRepresentable, Hashable, Sendable {
    /// The number in the structure.
    public var rawValue: UInt8

    /// A role by its number, known or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Peripheral only.
    public static let peripheralOnly = LERole(rawValue: 0)
    /// Central only.
    public static let centralOnly = LERole(rawValue: 1)
    /// Both, peripheral for the connection to come.
    public static let peripheralPreferred = LERole(rawValue: 2)
    /// Both, central for the connection to come.
    public static let centralPreferred = LERole(rawValue: 3)
}

extension LERole: CustomStringConvertible {
    /// The role in words.
    public var description: String {
        switch self {
        case .peripheralOnly: "peripheral only"
        case .centralOnly: "central only"
        case .peripheralPreferred: "peripheral and central, peripheral preferred"
        case .centralPreferred: "peripheral and central, central preferred"
        default: "role 0x" + [rawValue].hexText()
        }
    }
}
