/// What a device looks like to its user, a category of 10 bits and a subcategory of 6 (Assigned Numbers, 2.6).
public struct Appearance: RawRepresentable, Hashable, Sendable {
    /// The category above six bits of subcategory.
    public var rawValue: UInt16

    /// An appearance by its number, known or not.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An appearance from its parts: the low 10 bits of `category`, the low 6 of `subcategory`.
    public init(category: UInt16, subcategory: UInt8 = 0) {
        rawValue = category << 6 | UInt16(subcategory & 0x3F)
    }

    /// The upper ten bits.
    public var category: UInt16 { rawValue >> 6 }
    /// The lower six bits; 0 is the category in general.
    public var subcategory: UInt8 { UInt8(rawValue & 0x3F) }

    /// The name of the category and, where there is one, of the subcategory: `Heart Rate Sensor: Heart Rate Belt`.
    ///
    /// Nil for a category that the table lacks; a subcategory that it lacks leaves the name of the category.
    public var name: String? {
        guard let category = categoryName else { return nil }
        return subcategoryName.map { "\(category): \($0)" } ?? category
    }

    /// The name of the category, or nil where the table lacks it.
    public var categoryName: String? { AssignedNumbers.appearanceName(rawValue & ~0x3F) }

    /// The name of the subcategory; nil for the category in general and where the table lacks it.
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
    /// The name with the number, or the number alone: `Watch (0x00C0)`.
    public var description: String {
        let number = "0x" + [UInt8(rawValue >> 8), UInt8(rawValue & 0xFF)].hexText()
        return name.map { "\($0) (\(number))" } ?? number
    }
}
