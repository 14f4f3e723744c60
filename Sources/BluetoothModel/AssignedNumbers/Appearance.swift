/// The appearance of a device: a category of 10 bits and a subcategory of 6 bits (Assigned Numbers, 2.6).
public struct Appearance: RawRepresentable, Hashable, Sendable {
    /// The category in the upper 10 bits, the subcategory in the lower 6.
    public var rawValue: UInt16

    /// Creates an appearance from its number, assigned or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates an appearance from the low 10 bits of `category` and the low 6 bits of `subcategory`.
    public init(category: UInt16, subcategory: UInt8 = 0) {
        rawValue = category << 6 | UInt16(subcategory & 0x3F)
    }

    /// The category, 10 bits.
    public var category: UInt16 { rawValue >> 6 }
    /// The subcategory, 6 bits; 0 for the generic category.
    public var subcategory: UInt8 { UInt8(rawValue & 0x3F) }

    /// The names of the category and the subcategory: `Heart Rate Sensor: Heart Rate Belt`.
    ///
    /// Nil for an unknown category. For an unknown subcategory only the name of the category.
    public var name: String? {
        guard let category = categoryName else { return nil }
        return subcategoryName.map { "\(category): \($0)" } ?? category
    }

    /// The name of the category; nil if unknown.
    public var categoryName: String? { AssignedNumbers.appearanceName(rawValue & ~0x3F) }

    /// The name of the subcategory; nil if unknown and for the generic category.
    public var subcategoryName: String? { subcategory == 0 ? nil : AssignedNumbers.appearanceName(rawValue) }

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    public static let unknown = Appearance(rawValue: 0x0000), phone = Appearance(rawValue: 0x0040),
        computer = Appearance(rawValue: 0x0080), watch = Appearance(rawValue: 0x00C0),
        thermometer = Appearance(rawValue: 0x0300), heartRateSensor = Appearance(rawValue: 0x0340),
        heartRateBelt = Appearance(rawValue: 0x0341), bloodPressure = Appearance(rawValue: 0x0380),
        keyboard = Appearance(rawValue: 0x03C1), mouse = Appearance(rawValue: 0x03C2),
        glucoseMeter = Appearance(rawValue: 0x0400), sensor = Appearance(rawValue: 0x0540),
        pulseOximeter = Appearance(rawValue: 0x0C40), weightScale = Appearance(rawValue: 0x0C80)
}

extension Appearance: CustomStringConvertible {
    /// The name with the number, `Watch (0x00C0)`, or only the number if unknown.
    public var description: String {
        let number = "0x" + [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)].hexText()
        return name.map { "\($0) (\(number))" } ?? number
    }
}
