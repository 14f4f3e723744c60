import BluetoothModel

/// A Tilt hydrometer, which floats in a fermenter and sends its reading in the numbers of an iBeacon.
public struct Tilt: AdvertisedFormat {
    public static let kind = "tilt", title = "Tilt hydrometer"
    public static let source = "Tilt Hydrometer, iBeacon data format (theengs/decoder, TILT_json.h)"
    public static let places: [AdvertisedPlace] = [.appleMessage(0x02)]
    public static let start: [UInt8] = [0xA4, 0x95, 0xBB]
    public static let details = ["power"]
    public static let examples = [
        AdvertisedExample(
            "1A FF 4C00 02 15 A495BB10C5B14B44B5121370F02D74DE 0044 03F8 C5",
            "colour red, temperature 68 °F, specific gravity 1.016, power -59 dBm"),
        AdvertisedExample(
            "1A FF 4C00 02 15 A495BB30C5B14B44B5121370F02D74DE 02A8 27B0 C5",
            "colour black, temperature 68.0 °F, specific gravity 1.0160, power -59 dBm"),
    ]

    /// The colour of the housing.
    public struct Colour: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0x10: "red", 0x20: "green", 0x30: "black", 0x40: "purple", 0x50: "orange", 0x60: "blue", 0x70: "yellow",
            0x80: "pink",
        ]
    }
    /// The colour of the housing.
    public var colour = Colour(rawValue: 0x10)
    /// The temperature in °F and 1000 times the specific gravity, each times ten from a Tilt Pro.
    public var temperature: UInt16 = 0, gravity: UInt16 = 1000
    /// The signal strength at one metre in dBm, or the weeks since the battery was changed.
    public var power: Int8 = 0
    public init() {}

    private static let rest: [UInt8] = [0xC5, 0xB1, 0x4B, 0x44, 0xB5, 0x12, 0x13, 0x70, 0xF0, 0x2D, 0x74, 0xDE]

    public static func matches(_ frame: AdvertisedFrame) -> Bool { frame.bytes.dropFirst(4).starts(with: rest) }

    /// True if temperature and gravity have another digit: no liquid has a specific gravity of 5.
    public var isPro: Bool { gravity >= 5000 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.code("colour", &colour)
        try coder.constant("uuid", Self.rest)
        _ = try coder.wholeNumber("temperature", &temperature, .uint16)
        _ = try coder.wholeNumber("specificGravity", &gravity, .uint16)
        let extra = isPro ? -1 : 0
        coder.describe(
            "temperature", .number(ProfileNumber(Int64(temperature), exponent: extra)), .fahrenheit)
        coder.describe("specificGravity", .number(ProfileNumber(Int64(gravity), exponent: extra - 3)))
        try coder.integer("power", &power, .int8, unit: .decibelMilliwatts)
    }
}
