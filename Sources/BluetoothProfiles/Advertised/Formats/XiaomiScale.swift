import BluetoothModel

/// Xiaomi's Mi Smart Scale.
public struct XiaomiScale: AdvertisedFormat {
    public static let kind = "xiaomi-scale", title = "Mi Smart Scale"
    public static let source = "openScale wiki, Xiaomi Bluetooth Mi Scale"
    public static let subject = AdvertisedSubject.person
    public static let places: [AdvertisedPlace] = [.service("181D")]
    public static let details = ["time"]
    public static let examples = [
        AdvertisedExample(
            "0D 16 1D18 22 9E43 E507 04 0B 10 1F 1B",
            "weight 86.550 kg, stable yes, removed no, time 2021-04-11T16:31:27")
    ]

    /// The unit of a weight.
    public enum Unit: Sendable, Hashable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case kilograms, pounds, catties
    }
    /// The flags as sent; see ``unit``, ``isStable`` and ``isRemoved``.
    public var flags: UInt8 = 0x22
    /// The weight in ``unit``.
    public var weight: ProfileNumber = 0
    /// The time of the weighing on the scale's clock.
    public var time = DateTime()
    public init() {}

    /// The unit of the weight: a bit each for pounds and catties.
    public var unit: Unit { flags & 0x01 != 0 ? .pounds : flags & 0x10 != 0 ? .catties : .kilograms }
    /// True if the weight does not change any more.
    public var isStable: Bool { flags & 0x20 != 0 }
    /// True if the load was removed.
    public var isRemoved: Bool { flags & 0x80 != 0 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        _ = try coder.wholeNumber("flags", &flags, .uint8)
        try unit.code(&coder, &weight)
        coder.describe("stable", .flag(isStable))
        coder.describe("removed", .flag(isRemoved))
        try coder.time("time", &time)
    }
}

/// Xiaomi's Mi Body Composition Scale.
public struct XiaomiBodyScale: AdvertisedFormat {
    public static let kind = "xiaomi-body-scale", title = "Mi Body Composition Scale"
    public static let source = "openScale wiki, Xiaomi Bluetooth Mi Scale"
    public static let subject = AdvertisedSubject.person
    public static let places: [AdvertisedPlace] = [.service("181B")]
    public static let details = ["time"]
    public static let examples = [
        AdvertisedExample(
            "10 16 1B18 02 A6 E707 07 1F 0F 38 04 BF01 DC46",
            "weight 90.700 kg, stable yes, removed yes, impedance 447 Ω, time 2023-07-31T15:56:04")
    ]

    /// The flags as sent, two bytes.
    public var flags: UInt16 = 0x2000
    /// The time of the weighing on the scale's clock.
    public var time = DateTime()
    /// The impedance of the body in ohms; it counts only if it was measured.
    public var impedance: UInt16 = 0
    /// The weight in ``unit``.
    public var weight: ProfileNumber = 0
    public init() {}

    /// The unit of the weight: a bit each for pounds and catties.
    public var unit: XiaomiScale.Unit { flags & 0x0001 != 0 ? .pounds : flags & 0x4000 != 0 ? .catties : .kilograms }
    /// True if the weight does not change any more.
    public var isStable: Bool { flags & 0x2000 != 0 }
    /// True if the load was removed.
    public var isRemoved: Bool { flags & 0x8000 != 0 }
    /// True if the impedance was measured.
    public var hasImpedance: Bool { flags & 0x0200 != 0 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        _ = try coder.wholeNumber("flags", &flags, .uint16)
        try coder.time("time", &time)
        let time = coder.fields
        coder.fields = []
        _ = try coder.wholeNumber("impedance", &impedance, .uint16)
        try unit.code(&coder, &weight)
        coder.describe("stable", .flag(isStable))
        coder.describe("removed", .flag(isRemoved))
        if hasImpedance { coder.describe("impedance", .integer(Int64(impedance)), .ohms) }
        coder.fields += time
    }
}

extension XiaomiScale.Unit {
    /// Codes a weight: multiples of 5 g, or hundredths of a pound or catty. A catty is 500 g.
    func code(_ coder: inout FieldCoder, _ weight: inout ProfileNumber) throws(ValueError) {
        switch self {
        case .kilograms:
            try coder.number(
                "weight", &weight, .multiple(.uint16, of: ExactDecimal(5, exponent: -3)), unit: .kilograms)
        case .pounds: try coder.number("weight", &weight, .decimal(.uint16, -2), unit: .pounds)
        case .catties: try coder.number("weight", &weight, .decimal(.uint16, -2), unit: .catties)
        }
    }
}
