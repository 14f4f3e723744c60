import BluetoothModel

// Govee's thermometers. There is no document of the maker; the formats are those of the decoders of many people
// (theengs/decoder, docs/devices; Bluetooth-Devices/govee-ble).

/// Govee H5072 and H5075, with the company 0xEC88.
public struct GoveeH5075: AdvertisedFormat {
    public static let kind = "govee-h5075", title = "Govee H5075"
    public static let source = "theengs/decoder, H5072_json.h"
    public static let places: [AdvertisedPlace] = [.manufacturer(0xEC88)]
    public static let examples = [
        AdvertisedExample("09 FF 88EC 00 03215D 64 00", "temperature 20.5 °C, humidity 14.9 %, battery 100 %"),
        AdvertisedExample("09 FF 88EC 00 8003E9 E4 00", "(sensor: the thermometer reports an error)"),
    ]

    /// The measurement.
    public var reading = GoveeReading()
    public init() {}

    /// Other formats of the company have 7 and 9 bytes.
    public static func matches(_ frame: AdvertisedFrame) -> Bool { frame.bytes.count + frame.missing == 6 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.constant("format", [0], isChecked: false)
        try reading.code(&coder)
        try coder.constant("end", [0], isChecked: false)
    }
}

/// Govee H5100, H5101, H5102, H5104, H5105, H5110, H5174 and H5177, with a company identifier of another company; the
/// name of the device tells.
public struct GoveeH5101: AdvertisedFormat {
    public static let kind = "govee-h5101", title = "Govee H5101"
    public static let source = "theengs/decoder, H5102_json.h"
    public static let places: [AdvertisedPlace] = [.manufacturer(0x0001)]
    public static let examples = [
        AdvertisedExample(
            "0D 09 475648353130325F31323334 09 FF 0100 0101 0367DE 55",
            "temperature 22.3 °C, humidity 19.8 %, battery 85 %")
    ]
    private static let names = ["5100", "5101", "5102", "5103", "5104", "5105", "5108", "5110", "5174", "5177"]

    /// The measurement.
    public var reading = GoveeReading()
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool {
        guard let name = frame.name, name.hasPrefix("GVH") else { return false }
        return names.contains { name.dropFirst(3).hasPrefix($0) }
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.constant("format", [1, 1], isChecked: false)
        try reading.code(&coder)
    }
}

/// Govee H5106, which also measures particles.
public struct GoveeH5106: AdvertisedFormat {
    public static let kind = "govee-h5106", title = "Govee H5106"
    public static let source = "theengs/decoder, H5106_json.h"
    public static let places: [AdvertisedPlace] = [.manufacturer(0x0001)]
    public static let examples = [
        AdvertisedExample(
            "0D 09 475648353130365F31323334 09 FF 0100 0101 0CAA2F01",
            "temperature 21.2 °C, humidity 47.9 %, PM2.5 745 µg/m³")
    ]

    /// The temperature in tenths of °C, above -2147.
    public var temperature: Int32 = 0
    /// The relative humidity in tenths of a percent, and the concentration of particles in µg/m³, each up to 999.
    public var humidity: UInt32 = 0, pm25: UInt32 = 0
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool { frame.name?.hasPrefix("GVH5106") == true }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.constant("format", [1, 1], isChecked: false)
        let sum = temperature.magnitude * 1_000_000 + humidity * 1000 + pm25
        var packed = sum & 0x7FFF_FFFF | (temperature < 0 ? 1 << 31 : 0)
        _ = try coder.wholeNumber("temperature", &packed, .uint32)
        let magnitude = packed & 0x7FFF_FFFF
        temperature = Int32(magnitude / 1_000_000) * (packed >> 31 == 1 ? -1 : 1)
        (humidity, pm25) = (magnitude / 1000 % 1000, magnitude % 1000)
        coder.describe("temperature", .number(ProfileNumber(Int64(temperature), exponent: -1)), .celsius)
        coder.describe("humidity", .number(ProfileNumber(Int64(humidity), exponent: -1)), .percent)
        coder.describe("pm25", .integer(Int64(pm25)), .microgramsPerCubicMetre)
    }
}

/// Govee H5074, H5051, H5052 and H5071, with the company 0xEC88.
public struct GoveeH5074: AdvertisedFormat {
    public static let kind = "govee-h5074", title = "Govee H5074"
    public static let source = "theengs/decoder, H5074_json.h"
    public static let places: [AdvertisedPlace] = [.manufacturer(0xEC88)]
    public static let examples = [
        AdvertisedExample(
            "0A FF 88EC 00 CA09 BF13 64 02", "temperature 25.06 °C, humidity 50.55 %, battery 100 %, extra 02")
    ]

    /// The temperature in °C and the relative humidity in percent, in steps of 0.01.
    public var temperature: ProfileNumber = 0, humidity: ProfileNumber = 0
    /// The charge of the battery in percent.
    public var battery: UInt8 = 100
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool { [7, 9].contains(frame.bytes.count + frame.missing) }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.constant("format", [0], isChecked: false)
        try Govee.code(&coder, &temperature, &humidity, &battery)
    }
}

/// Govee H5179, with the company 0x8801.
public struct GoveeH5179: AdvertisedFormat {
    public static let kind = "govee-h5179", title = "Govee H5179"
    public static let source = "theengs/decoder, H5179_json.h"
    public static let places: [AdvertisedPlace] = [.manufacturer(0x8801)]
    public static let start: [UInt8] = [0xEC]
    public static let examples = [
        AdvertisedExample(
            "0C FF 0188 EC 00 0101 A608 B914 64", "temperature 22.14 °C, humidity 53.05 %, battery 100 %")
    ]

    /// The temperature in °C and the relative humidity in percent, in steps of 0.01.
    public var temperature: ProfileNumber = 0, humidity: ProfileNumber = 0
    /// The charge of the battery in percent.
    public var battery: UInt8 = 100
    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.constant("format", [0, 1, 1], isChecked: false)
        try Govee.code(&coder, &temperature, &humidity, &battery)
    }
}

enum Govee {
    static func code(
        _ coder: inout FieldCoder, _ temperature: inout ProfileNumber, _ humidity: inout ProfileNumber,
        _ battery: inout UInt8
    ) throws(ValueError) {
        try coder.number("temperature", &temperature, .decimal(.int16, -2), unit: .celsius)
        try coder.number("humidity", &humidity, .decimal(.uint16, -2), unit: .percent)
        try coder.integer("battery", &battery, .uint8, unit: .percent)
    }
}

/// Temperature and humidity in three bytes, and the battery.
public struct GoveeReading: FieldGroup {
    /// The temperature in tenths of °C, above -838.8.
    public var temperature: Int32 = 0
    /// The relative humidity in tenths of a percent, up to 999.
    public var humidity: UInt32 = 0
    /// The charge of the battery in percent.
    public var battery: UInt8 = 100
    public init() {}

    /// The first bit is the sign of the temperature; the others are 1000 times its magnitude, plus the humidity. The
    /// highest bit of the battery is set if the sensor failed.
    /// - Throws: ``ValueError`` that names the field, or the sensor if it failed.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        var packed = (temperature.magnitude * 1000 + humidity) & 0x7F_FFFF | (temperature < 0 ? 0x80_0000 : 0)
        _ = try coder.wholeNumber("temperature", &packed, .uint24)
        let magnitude = packed & 0x7F_FFFF
        temperature = Int32(magnitude / 1000) * (packed & 0x80_0000 == 0 ? 1 : -1)
        humidity = magnitude % 1000
        coder.describe("temperature", .number(ProfileNumber(Int64(temperature), exponent: -1)), .celsius)
        coder.describe("humidity", .number(ProfileNumber(Int64(humidity), exponent: -1)), .percent)
        try coder.integer("battery", &battery, .uint8, unit: .percent)
        guard battery & 0x80 == 0 else {
            throw ValueError(field: "sensor", reason: "the thermometer reports an error")
        }
    }
}
