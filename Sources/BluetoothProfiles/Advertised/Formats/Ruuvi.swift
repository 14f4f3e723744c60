import BluetoothModel

// The formats of RuuviTags and Ruuvi Air (https://docs.ruuvi.com/communication/bluetooth-advertisements). Numbers have
// the most significant byte first. The largest unsigned and the smallest signed integer stand for "not available".

/// Ruuvi's data format 5, RAWv2.
public struct Ruuvi5: AdvertisedFormat {
    public static let kind = "ruuvi-5", title = "Ruuvi 5"
    public static let source = "docs.ruuvi.com, Data format 5 (RAWv2)"
    public static let places: [AdvertisedPlace] = [.manufacturer(.ruuvi)]
    public static let start: [UInt8] = [5]
    public static let details = [
        "accelerationX", "accelerationY", "accelerationZ", "txPower", "movements", "sequence", "address",
    ]
    public static let examples = [
        AdvertisedExample(
            "1B FF 9904 0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F",
            "temperature 24.300 °C, humidity 53.4900 %, pressure 100044 Pa, acceleration X 0.004 g, "
                + "acceleration Y -0.004 g, acceleration Z 1.036 g, battery 2.977 V, TX power 4 dBm, movements 66, "
                + "sequence 205, address CB B8 33 4C 88 4F"),
        AdvertisedExample(
            "1B FF 9904 057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F",
            "temperature 163.835 °C, humidity 163.8350 %, pressure 115534 Pa, acceleration X 32.767 g, "
                + "acceleration Y 32.767 g, acceleration Z 32.767 g, battery 3.646 V, TX power 20 dBm, "
                + "movements 254, sequence 65534, address CB B8 33 4C 88 4F"),
        AdvertisedExample(
            "1B FF 9904 058001000000008001800180010000000000CBB8334C884F",
            "temperature -163.835 °C, humidity 0.0000 %, pressure 50000 Pa, acceleration X -32.767 g, "
                + "acceleration Y -32.767 g, acceleration Z -32.767 g, battery 1.600 V, TX power -40 dBm, "
                + "movements 0, sequence 0, address CB B8 33 4C 88 4F"),
        AdvertisedExample(
            "1B FF 9904 058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF",
            "temperature unknown, humidity unknown, pressure unknown, acceleration X unknown, "
                + "acceleration Y unknown, acceleration Z unknown, battery unknown, TX power unknown, "
                + "movements unknown, sequence unknown, address FF FF FF FF FF FF"),
    ]

    /// The temperature in °C, in steps of 0.005.
    public var temperature: ProfileNumber = .special(.unknown)
    /// The relative humidity in percent, in steps of 0.0025.
    public var humidity: ProfileNumber = .special(.unknown)
    /// The atmospheric pressure in pascals.
    public var pressure: ProfileNumber = .special(.unknown)
    /// The acceleration in g.
    public var accelerationX: ProfileNumber = .special(.unknown), accelerationY: ProfileNumber = .special(.unknown),
        accelerationZ: ProfileNumber = .special(.unknown)
    /// The voltage of the battery in volts.
    public var battery: ProfileNumber = .special(.unknown)
    /// The transmit power in dBm, in steps of 2.
    public var txPower: ProfileNumber = .special(.unknown)
    /// The number of movements, up to 254, and of measurements, up to 65534.
    public var movements: ProfileNumber = .special(.unknown), sequence: ProfileNumber = .special(.unknown)
    /// The address of the tag.
    public var address = [UInt8](repeating: 0xFF, count: 6)
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try Ruuvi.climate(&coder, &temperature, &humidity, &pressure)
        let acceleration = NumberLayout.decimal(.int16, -3, unknown: -32768)
        try coder.number("accelerationX", &accelerationX, acceleration, unit: .standardGravity)
        try coder.number("accelerationY", &accelerationY, acceleration, unit: .standardGravity)
        try coder.number("accelerationZ", &accelerationZ, acceleration, unit: .standardGravity)
        try coder.bitFields("power", .uint16) { bits throws(ValueError) in
            try bits.number(
                "battery", &battery, bits: 11, of: ExactDecimal(1, exponent: -3), offset: 1600, unknown: 2047,
                unit: .volts)
            try bits.number(
                "txPower", &txPower, bits: 5, of: 2, offset: -20, unknown: 31, unit: .decibelMilliwatts)
        }
        try coder.number("movements", &movements, .decimal(.uint8, 0, unknown: 255))
        try coder.number("sequence", &sequence, .decimal(.uint16, 0, unknown: 65535))
        try coder.bytes("address", &address, count: 6)
    }
}

/// Ruuvi's data format 3, RAWv1, of older tags.
public struct Ruuvi3: AdvertisedFormat {
    public static let kind = "ruuvi-3", title = "Ruuvi 3"
    public static let source = "docs.ruuvi.com, Data format 3 (RAWv1)"
    public static let places: [AdvertisedPlace] = [.manufacturer(.ruuvi)]
    public static let start: [UInt8] = [3]
    public static let details = ["accelerationX", "accelerationY", "accelerationZ"]
    public static let examples = [
        AdvertisedExample(
            "11 FF 9904 03291A1ECE1EFC18F94202CA0B53",
            "humidity 20.5 %, temperature 26.30 °C, pressure 102766 Pa, acceleration X -1.000 g, "
                + "acceleration Y -1.726 g, acceleration Z 0.714 g, battery 2.899 V"),
        AdvertisedExample(
            "11 FF 9904 03FF7F63FFFF7FFF7FFF7FFFFFFF",
            "humidity 127.5 %, temperature 127.99 °C, pressure 115535 Pa, acceleration X 32.767 g, "
                + "acceleration Y 32.767 g, acceleration Z 32.767 g, battery 65.535 V"),
        AdvertisedExample(
            "11 FF 9904 0300FF6300008001800180010000",
            "humidity 0.0 %, temperature -127.99 °C, pressure 50000 Pa, acceleration X -32.767 g, "
                + "acceleration Y -32.767 g, acceleration Z -32.767 g, battery 0.000 V"),
    ]

    /// The relative humidity in percent, in steps of 0.5.
    public var humidity: ProfileNumber = 0
    /// The temperature in hundredths of °C, -12799 to 12799.
    public var temperature: Int16 = 0
    /// The atmospheric pressure in pascals, from 50,000 on.
    public var pressure: ProfileNumber = 50_000
    /// The acceleration in g.
    public var accelerationX: ProfileNumber = 0, accelerationY: ProfileNumber = 0, accelerationZ: ProfileNumber = 0
    /// The voltage of the battery in volts.
    public var battery: ProfileNumber = 0
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.number("humidity", &humidity, .multiple(.uint8, of: ExactDecimal(5, exponent: -1)), unit: .percent)
        try codeTemperature(&coder)
        try coder.number("pressure", &pressure, .multiple(.uint16, of: 1, offset: 50_000), unit: .pascals)
        let acceleration = NumberLayout.decimal(.int16, -3)
        try coder.number("accelerationX", &accelerationX, acceleration, unit: .standardGravity)
        try coder.number("accelerationY", &accelerationY, acceleration, unit: .standardGravity)
        try coder.number("accelerationZ", &accelerationZ, acceleration, unit: .standardGravity)
        try coder.number("battery", &battery, .decimal(.uint16, -3), unit: .volts)
    }

    /// A sign and the degrees, then the hundredths.
    private mutating func codeTemperature(_ coder: inout FieldCoder) throws(ValueError) {
        var degrees = UInt8(temperature.magnitude / 100 & 0x7F) | (temperature < 0 ? 0x80 : 0)
        var hundredths = UInt8(temperature.magnitude % 100)
        _ = try coder.wholeNumber("temperature", &degrees, .uint8)
        _ = try coder.wholeNumber("temperature", &hundredths, .uint8, in: 0...99)
        let magnitude = Int16(degrees & 0x7F) * 100 + Int16(hundredths)
        temperature = degrees & 0x80 == 0 ? magnitude : -magnitude
        let shown = ProfileNumber(Int64(temperature), exponent: -2)
        coder.describe("temperature", .number(shown), .celsius)
    }
}

/// Ruuvi's data format 6, of Ruuvi Air.
public struct Ruuvi6: AdvertisedFormat {
    public static let kind = "ruuvi-6", title = "Ruuvi 6"
    public static let source = "docs.ruuvi.com, Data format 6"
    public static let places: [AdvertisedPlace] = [.manufacturer(.ruuvi)]
    public static let start: [UInt8] = [6]
    public static let details = ["sequence", "calibrating", "address"]
    public static let examples = [
        AdvertisedExample(
            "17 FF 9904 06170C5668C79E007000C90501D9FFCD004C884F",
            "temperature 29.500 °C, humidity 55.3000 %, pressure 101102 Pa, PM2.5 11.2 µg/m³, CO2 201 ppm, VOC 10, "
                + "NOx 2, illuminance 13026.67 lx, sequence 205, calibrating no, address 4C 88 4F"),
        AdvertisedExample(
            "17 FF 9904 068000FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
            "temperature unknown, humidity unknown, pressure unknown, PM2.5 unknown, CO2 unknown, VOC unknown, "
                + "NOx unknown, illuminance unknown, sequence 255, calibrating yes, address FF FF FF"),
    ]

    /// The temperature in °C, in steps of 0.005.
    public var temperature: ProfileNumber = .special(.unknown)
    /// The relative humidity in percent, in steps of 0.0025.
    public var humidity: ProfileNumber = .special(.unknown)
    /// The atmospheric pressure in pascals.
    public var pressure: ProfileNumber = .special(.unknown)
    /// The concentration of particles up to 2.5 µm in µg/m³, and of carbon dioxide in ppm.
    public var pm25: ProfileNumber = .special(.unknown), co2: ProfileNumber = .special(.unknown)
    /// The indexes of volatile organic compounds and nitrogen oxides, 0 to 500; 511 if unknown.
    public var voc: UInt16 = 511, nox: UInt16 = 511
    /// The logarithm of the illuminance, 0 to 254; 255 if unknown.
    public var illuminance: UInt8 = 255
    /// The number of measurements, modulo 256.
    public var sequence: UInt8 = 0
    /// The flags, without the bits of ``voc`` and ``nox``; bit 0 is set while the sensors are calibrated.
    public var flags: UInt8 = 0
    /// The lowest three bytes of the address.
    public var address = [UInt8](repeating: 0xFF, count: 3)
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try Ruuvi.climate(&coder, &temperature, &humidity, &pressure)
        try coder.number("pm25", &pm25, .decimal(.uint16, -1, unknown: 65535), unit: .microgramsPerCubicMetre)
        try coder.number("co2", &co2, .decimal(.uint16, 0, unknown: 65535), unit: .partsPerMillion)
        // The lowest bits of both indexes are in the flags.
        var (high, highest) = (UInt8(truncatingIfNeeded: voc >> 1), UInt8(truncatingIfNeeded: nox >> 1))
        _ = try coder.wholeNumber("voc", &high, .uint8)
        _ = try coder.wholeNumber("nox", &highest, .uint8)
        // The order of the description is that of the document.
        let position = coder.fields.count
        try coder.integer(
            "illuminance", &illuminance, .uint8, unit: .lux, specials: [255: .unknown], shown: Self.lux)
        try coder.constant("reserved", [0xFF], isChecked: false)
        try coder.integer("sequence", &sequence, .uint8)
        var all = flags & 0x3F | UInt8(voc & 1) << 6 | UInt8(nox & 1) << 7
        _ = try coder.wholeNumber("flags", &all, .uint8)
        (voc, nox) = (UInt16(high) << 1 | UInt16(all >> 6 & 1), UInt16(highest) << 1 | UInt16(all >> 7))
        flags = all & 0x3F
        coder.describe("calibrating", .flag(flags & 1 != 0))
        coder.describe("voc", Self.index(voc), at: position)
        coder.describe("nox", Self.index(nox), at: position + 1)
        try coder.bytes("address", &address, count: 3)
    }

    private static func index(_ raw: UInt16) -> FieldValue {
        raw == 511 ? .number(.special(.unknown)) : .integer(Int64(raw))
    }

    /// A code c stands for e^(c ln(65536) / 254) - 1 lx, to a hundredth.
    private static func lux(_ code: Int64) -> FieldValue {
        var (result, base, rest) = (1.0, 1.0446300614125956, code)
        while rest > 0 {
            if rest & 1 == 1 { result *= base }
            base *= base
            rest >>= 1
        }
        return .number(ProfileNumber(result - 1, decimals: 2))
    }
}

enum Ruuvi {
    /// The fields that the formats 5 and 6 begin with.
    static func climate(
        _ coder: inout FieldCoder, _ temperature: inout ProfileNumber, _ humidity: inout ProfileNumber,
        _ pressure: inout ProfileNumber
    ) throws(ValueError) {
        try coder.number(
            "temperature", &temperature, .multiple(.int16, of: ExactDecimal(5, exponent: -3), unknown: -32768),
            unit: .celsius)
        try coder.number(
            "humidity", &humidity, .multiple(.uint16, of: ExactDecimal(25, exponent: -4), unknown: 65535),
            unit: .percent)
        try coder.number(
            "pressure", &pressure, .multiple(.uint16, of: 1, offset: 50_000, unknown: 65535), unit: .pascals)
    }
}
