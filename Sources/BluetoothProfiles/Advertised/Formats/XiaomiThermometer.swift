import BluetoothModel

// The formats of two firmwares for Xiaomi's thermometers, in service data of 181A.

/// The format of pvvx's firmware.
public struct PVVXThermometer: AdvertisedFormat {
    public static let kind = "pvvx", title = "pvvx thermometer"
    public static let source = "pvvx/ATC_MiThermometer, README, Custom format"
    public static let places: [AdvertisedPlace] = [.service("181A")]
    public static let details = ["address", "batteryVoltage", "counter", "flags"]
    public static let examples = [
        AdvertisedExample(
            "12 16 1A18 563412 38C1A4 CA09 BF13 AE0B 55 2A 05",
            "address A4 C1 38 12 34 56, temperature 25.06 °C, humidity 50.55 %, battery voltage 2.990 V, "
                + "battery 85 %, counter 42, flags reed switch + temperature trigger")
    ]

    /// The address, the most significant byte first.
    public var address = [UInt8](repeating: 0, count: 6)
    /// The temperature in °C and the relative humidity in percent, in steps of 0.01.
    public var temperature: ProfileNumber = 0, humidity: ProfileNumber = 0
    /// The voltage of the battery in volts.
    public var batteryVoltage: ProfileNumber = 0
    /// The charge of the battery in percent.
    public var battery: UInt8 = 100
    /// The number of measurements, modulo 256.
    public var counter: UInt8 = 0
    /// The states of the thermometer's pins and triggers.
    public struct Flags: NamedBits {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names = [
            "reed switch", "trigger output", "temperature trigger", "temperature trigger event",
            "humidity trigger event",
        ]
    }
    /// The states of the thermometer's pins and triggers.
    public var flags: Flags = []
    public init() {}

    /// The two formats differ in their lengths: 15 bytes, or 13.
    public static func matches(_ frame: AdvertisedFrame) -> Bool { frame.bytes.count + frame.missing >= 15 }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        var reversed = [UInt8](address.reversed())
        try coder.hiddenBytes("address", &reversed, count: 6)
        address = reversed.reversed()
        coder.describe("address", .bytes(reversed.reversed()))
        try coder.number("temperature", &temperature, .decimal(.int16, -2), unit: .celsius)
        try coder.number("humidity", &humidity, .decimal(.uint16, -2), unit: .percent)
        try coder.number("batteryVoltage", &batteryVoltage, .decimal(.uint16, -3), unit: .volts)
        try coder.integer("battery", &battery, .uint8, unit: .percent)
        try coder.integer("counter", &counter, .uint8)
        try coder.bits("flags", &flags, .uint8)
    }
}

/// The format of atc1441's firmware. Numbers have the most significant byte first.
public struct ATCThermometer: AdvertisedFormat {
    public static let kind = "atc", title = "ATC thermometer"
    public static let source = "pvvx/ATC_MiThermometer, README, atc1441 format"
    public static let places: [AdvertisedPlace] = [.service("181A")]
    public static let details = ["address", "batteryVoltage", "counter"]
    public static let examples = [
        AdvertisedExample(
            "10 16 1A18 A4C138123456 00FB 32 55 0BAE 2A",
            "address A4 C1 38 12 34 56, temperature 25.1 °C, humidity 50 %, battery 85 %, battery voltage 2.990 V, "
                + "counter 42")
    ]

    /// The address, the most significant byte first.
    public var address = [UInt8](repeating: 0, count: 6)
    /// The temperature in °C, in steps of 0.1.
    public var temperature: ProfileNumber = 0
    /// The relative humidity and the charge of the battery in percent.
    public var humidity: UInt8 = 0, battery: UInt8 = 100
    /// The voltage of the battery in volts.
    public var batteryVoltage: ProfileNumber = 0
    /// The number of measurements, modulo 256.
    public var counter: UInt8 = 0
    public init() {}

    public static func matches(_ frame: AdvertisedFrame) -> Bool {
        (13..<15).contains(frame.bytes.count + frame.missing)
    }

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        coder.isBigEndian = true
        try coder.bytes("address", &address, count: 6)
        try coder.number("temperature", &temperature, .decimal(.int16, -1), unit: .celsius)
        try coder.integer("humidity", &humidity, .uint8, unit: .percent)
        try coder.integer("battery", &battery, .uint8, unit: .percent)
        try coder.number("batteryVoltage", &batteryVoltage, .decimal(.uint16, -3), unit: .volts)
        try coder.integer("counter", &counter, .uint8)
    }
}
