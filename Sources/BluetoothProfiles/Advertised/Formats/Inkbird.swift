import BluetoothModel

// Inkbird's thermometers, which send values in place of the company identifier; the name of the device tells
// (theengs/decoder, docs/devices).

/// Inkbird IBS-TH1, IBS-TH2, IBS-P01B and ITH-12S.
public struct InkbirdThermometer: AdvertisedFormat {
    public static let kind = "inkbird-th", title = "Inkbird thermometer"
    public static let source = "theengs/decoder, IBS_THBP01B_json.h"
    public static let places: [AdvertisedPlace] = [.anyManufacturer]
    public static let details = ["probe"]
    public static let examples = [
        AdvertisedExample(
            "04 09 737073 0A FF CA09 BF13 00 1234 64 06",
            "temperature 25.06 °C, humidity 50.55 %, probe internal, battery 100 %")
    ]

    /// The temperature in °C, in steps of 0.01.
    public var temperature: ProfileNumber = 0
    /// The relative humidity in percent, in steps of 0.01; unknown if the thermometer does not measure it.
    public var humidity: ProfileNumber = .special(.unknown)
    /// 0 for the sensor inside, others for a probe.
    public var probe: UInt8 = 0
    /// A checksum that is not verified.
    public var checksum: UInt16 = 0
    /// The charge of the battery in percent.
    public var battery: UInt8 = 100
    /// A byte of unknown meaning.
    public var last: UInt8 = 0
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool {
        (frame.name == "sps" || frame.name == "tps") && frame.bytes.count + frame.missing == 9
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("temperature", &temperature, .decimal(.int16, -2), unit: .celsius)
        try coder.number("humidity", &humidity, .decimal(.uint16, -2, unknown: 0xFFFF), unit: .percent)
        try coder.integer("probe", &probe, .uint8) { .code($0, $0 == 0 ? "internal" : "external") }
        _ = try coder.wholeNumber("checksum", &checksum, .uint16)
        try coder.integer("battery", &battery, .uint8, unit: .percent)
        _ = try coder.wholeNumber("last", &last, .uint8)
    }
}

/// Inkbird IBT-2X, IBT-4XS and IBT-6XS, with several probes for grilling.
public struct InkbirdGrill: AdvertisedFormat {
    public static let kind = "inkbird-bbq", title = "Inkbird grill thermometer"
    public static let source = "theengs/decoder, IBT_2X_json.h, IBT_4XS_json.h"
    public static let places: [AdvertisedPlace] = [.anyManufacturer]
    public static let examples = [
        AdvertisedExample("05 09 69424251 0F FF 00000000 010203040506 E600 F6FF", "23.0 unknown °C")
    ]

    /// The bytes before the temperatures, with the address: 10.
    public var header = [UInt8](repeating: 0, count: 10)
    /// The temperature of each probe in °C, in steps of 0.1; unknown for one that is not plugged in.
    public var temperatures: [ProfileNumber] = []
    public init() {}

    /// The upper byte is 0xFF if the probe is not plugged in.
    private static let layout = NumberLayout.scaled(
        .int16, ExactDecimal(1, exponent: -1),
        specials: Dictionary(uniqueKeysWithValues: (-256...(-1)).map { ($0, .unknown) }))

    public static func matches(_ frame: AdvertisedFrame) -> Bool {
        guard let name = frame.name?.lowercased() else { return false }
        return (name.contains("ibbq") || name.contains("xbbq")) && frame.bytes.count + frame.missing >= 12
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.hiddenBytes("header", &header, count: 10)
        if coder.isDecoding { temperatures = [] }
        var index = 0
        while coder.isDecoding ? coder.bytesLeft > 0 : index < temperatures.count {
            var temperature: ProfileNumber = coder.isDecoding ? 0 : temperatures[index]
            try coder.number("temperature", &temperature, Self.layout, unit: .celsius)
            if coder.isDecoding { temperatures.append(temperature) }
            index += 1
        }
    }
}
