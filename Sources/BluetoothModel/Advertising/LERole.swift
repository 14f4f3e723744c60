/// The connection roles that a device supports (Core Specification Supplement, Part A, 1.17).
public struct LERole: RawRepresentable, Hashable, Sendable {
    /// The value of the structure.
    public var rawValue: UInt8

    /// Creates a role from its value, assigned or not.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Peripheral only.
    public static let peripheralOnly = LERole(rawValue: 0)
    /// Central only.
    public static let centralOnly = LERole(rawValue: 1)
    /// Both roles; peripheral is preferred for connection establishment.
    public static let peripheralPreferred = LERole(rawValue: 2)
    /// Both roles; central is preferred for connection establishment.
    public static let centralPreferred = LERole(rawValue: 3)
}

extension LERole: CustomStringConvertible {
    /// The role as text.
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
