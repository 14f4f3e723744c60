import BluetoothModel

/// SwitchBot's Meter and Meter Plus.
public struct SwitchBotMeter: AdvertisedFormat {
    public static let kind = "switchbot-meter", title = "SwitchBot Meter"
    public static let source = "OpenWonderLabs/SwitchBotAPI-BLE, devicetypes/meter.md"
    public static let places: [AdvertisedPlace] = [.service("FD3D"), .service("000D")]
    public static let details = ["model", "scale"]
    public static let examples = [
        AdvertisedExample(
            "09 16 3DFD 54 00 64 05 99 32",
            "model T, battery 100 %, temperature 25.5 °C, scale celsius, humidity 50 %")
    ]

    /// The model: 0x54 for the Meter, 0x69 for the Meter Plus; the highest bit is that of the pairing mode.
    public var model: UInt8 = 0x54
    /// The second byte, and the upper bits of the next two: groups and alerts.
    public var status: UInt8 = 0, batteryStatus: UInt8 = 0, alerts: UInt8 = 0
    /// The charge of the battery in percent, up to 127.
    public var battery: UInt8 = 100
    /// The temperature in tenths of °C, -1279 to 1279.
    public var temperature: Int16 = 0
    /// True if the display shows degrees Fahrenheit.
    public var showsFahrenheit = false
    /// The relative humidity in percent, up to 127.
    public var humidity: UInt8 = 0
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool {
        [0x54, 0x69].contains((frame.bytes.first ?? 0) & 0x7F)
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("model", &model, .uint8) { .code($0, $0 & 0x7F == 0x54 ? "T" : "i") }
        _ = try coder.wholeNumber("status", &status, .uint8)
        try coder.bitFields("battery", .uint8) { bits throws(ValueError) in
            try bits.integer("batteryStatus", &batteryStatus, bits: 1, shown: { _ in nil })
            try bits.integer("battery", &battery, bits: 7, unit: .percent)
        }
        var tenths = UInt8(temperature.magnitude % 10)
        var degrees = UInt8(truncatingIfNeeded: temperature.magnitude / 10)
        var isPositive = temperature >= 0
        try coder.bitFields("temperature", .uint8) { bits throws(ValueError) in
            try bits.integer("alerts", &alerts, bits: 4, shown: { _ in nil })
            try bits.integer("temperature", &tenths, bits: 4, shown: { _ in nil })
        }
        guard tenths < 10 else { throw ValueError(field: "temperature", reason: "\(tenths) tenths of a degree") }
        try coder.bitFields("temperature", .uint8) { bits throws(ValueError) in
            try bits.hiddenFlag(&isPositive)
            try bits.integer("temperature", &degrees, bits: 7, shown: { _ in nil })
        }
        temperature = (Int16(degrees) * 10 + Int16(tenths)) * (isPositive ? 1 : -1)
        coder.describe("temperature", .number(ProfileNumber(Int64(temperature), exponent: -1)), .celsius)
        try coder.bitFields("humidity", .uint8) { bits throws(ValueError) in
            try bits.hiddenFlag(&showsFahrenheit)
            try bits.integer("humidity", &humidity, bits: 7, shown: { _ in nil })
        }
        coder.describe("scale", .code(showsFahrenheit ? 1 : 0, showsFahrenheit ? "fahrenheit" : "celsius"))
        coder.describe("humidity", .integer(Int64(humidity)), .percent)
    }
}
