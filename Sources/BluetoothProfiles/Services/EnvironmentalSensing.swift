import BluetoothModel

// The quantities of the Environmental Sensing Service 1.0.1, with the resolutions of the GATT Specification Supplement.

/// A temperature, with a resolution of 0.01 °C.
public struct Temperature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A6E"
    /// The temperature in degrees Celsius; ``ProfileNumber/Special/unknown`` if unknown.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a temperature in degrees Celsius.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("temperature", &value, .decimal(.int16, -2, unknown: -32768), unit: .celsius)
    }
}

/// A relative humidity, with a resolution of 0.01 percent.
public struct Humidity: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A6F"
    /// The humidity in percent; ``ProfileNumber/Special/unknown`` if unknown.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a humidity in percent.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("humidity", &value, .decimal(.uint16, -2, unknown: 0xFFFF), unit: .percent)
    }
}

/// A pressure, with a resolution of 0.1 Pa.
public struct Pressure: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A6D"
    /// The pressure in pascals.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a pressure in pascals.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("pressure", &value, .decimal(.uint32, -1), unit: .pascals)
    }
}

/// An elevation above sea level, with a resolution of 0.01 m.
public struct Elevation: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A6C"
    /// The elevation in metres.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates an elevation in metres.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("elevation", &value, .decimal(.int24, -2), unit: .metres)
    }
}

/// The wind speed over ground, with a resolution of 0.01 m/s.
public struct TrueWindSpeed: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A70"
    /// The speed in metres per second.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a speed in metres per second.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("trueWindSpeed", &value, .decimal(.uint16, -2), unit: .metresPerSecond)
    }
}

/// The direction that the wind comes from, clockwise from true north, with a resolution of 0.01°.
public struct TrueWindDirection: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A71"
    /// The direction in degrees.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a direction in degrees.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("trueWindDirection", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// The wind speed relative to the device, with a resolution of 0.01 m/s.
public struct ApparentWindSpeed: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A72"
    /// The speed in metres per second.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a speed in metres per second.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("apparentWindSpeed", &value, .decimal(.uint16, -2), unit: .metresPerSecond)
    }
}

/// The direction that the apparent wind comes from, clockwise from the heading of the device, with a resolution of
/// 0.01°.
public struct ApparentWindDirection: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A73"
    /// The direction in degrees.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a direction in degrees.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("apparentWindDirection", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// The ratio of the speed of gusts to the wind speed, with a resolution of 0.1.
public struct GustFactor: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A74"
    /// The factor.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a factor.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("gustFactor", &value, .decimal(.uint8, -1))
    }
}

/// The concentration of pollen in the air.
public struct PollenConcentration: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A75"
    /// The count per cubic metre.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a concentration in counts per cubic metre.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("pollenConcentration", &value, .decimal(.uint24, 0), unit: .perCubicMetre)
    }
}

/// The irradiance, with a resolution of 0.1 W/m².
public struct Irradiance: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A77"
    /// The irradiance in watts per square metre.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates an irradiance in watts per square metre.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("irradiance", &value, .decimal(.uint16, -1), unit: .wattsPerSquareMetre)
    }
}

/// The amount of rain.
public struct Rainfall: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A78"
    /// The rainfall in millimetres.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates a rainfall in millimetres.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("rainfall", &value, .decimal(.uint16, 0), unit: .millimetres)
    }
}

/// The angle from true to magnetic north, clockwise, with a resolution of 0.01°.
public struct MagneticDeclination: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A2C"
    /// The angle in degrees.
    public var value: ProfileNumber = 0
    public init() {}
    /// Creates an angle in degrees.
    public init(_ value: ProfileNumber) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("magneticDeclination", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// The UV index.
public struct UVIndex: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A76"
    public static let forms: [String: FieldForm] = ["uvIndex": FieldForm("UV index")]
    /// The index.
    public var value: UInt8 = 0
    public init() {}
    /// Creates an index.
    public init(_ value: UInt8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("uvIndex", &value, .uint8)
    }
}

/// The wind chill temperature.
public struct WindChill: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A79"
    /// The temperature in degrees Celsius.
    public var value: Int8 = 0
    public init() {}
    /// Creates a temperature in degrees Celsius.
    public init(_ value: Int8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("windChill", &value, .int8, unit: .celsius)
    }
}

/// The heat index temperature.
public struct HeatIndex: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A7A"
    /// The temperature in degrees Celsius.
    public var value: Int8 = 0
    public init() {}
    /// Creates a temperature in degrees Celsius.
    public init(_ value: Int8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("heatIndex", &value, .int8, unit: .celsius)
    }
}

/// The dew point.
public struct DewPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A7B"
    /// The temperature in degrees Celsius.
    public var value: Int8 = 0
    public init() {}
    /// Creates a temperature in degrees Celsius.
    public init(_ value: Int8) { self.value = value }
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("dewPoint", &value, .int8, unit: .celsius)
    }
}

/// The trend of the barometric pressure.
public struct BarometricPressureTrend: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA3"
    /// A trend.
    public struct Trend: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "unknown", 1: "continuously falling", 2: "continuously rising", 3: "falling, then steady",
            4: "rising, then steady", 5: "falling before a lesser rise", 6: "falling before a greater rise",
            7: "rising before a greater fall", 8: "rising before a lesser fall", 9: "steady",
        ]
    }
    /// The trend.
    public var trend = Trend(rawValue: 0)
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("barometricPressureTrend", &trend)
    }
}

/// The magnetic flux density along two axes, with a resolution of 0.1 µT.
public struct MagneticFluxDensity2D: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA0"
    /// The values in microteslas.
    public var x: ProfileNumber = 0, y: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("xAxis", &x, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("yAxis", &y, .decimal(.int16, -1), unit: .microteslas)
    }
}

/// The magnetic flux density along three axes, with a resolution of 0.1 µT.
public struct MagneticFluxDensity3D: CharacteristicType {
    public static let uuid: BluetoothUUID = "2AA1"
    /// The values in microteslas.
    public var x: ProfileNumber = 0, y: ProfileNumber = 0, z: ProfileNumber = 0
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("xAxis", &x, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("yAxis", &y, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("zAxis", &z, .decimal(.int16, -1), unit: .microteslas)
    }
}

/// The notification of a change to a descriptor of a characteristic (Environmental Sensing Service 1.0.1, 3.2).
public struct DescriptorValueChanged: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A7D"
    /// The source of the change and the changed descriptors.
    public struct Changes: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = [
            "sourceOfChangeIsServer", "triggerSettings", "configuration", "measurement", "userDescription",
        ]
    }
    /// The source of the change and the changed descriptors.
    public var changes: Changes = []
    /// The UUID of the characteristic that has the descriptor, as sent: 2 or 16 bytes, little-endian.
    public var characteristic: [UInt8] = []
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("flags", &changes, .uint16)
        try coder.bytes("characteristicUUID", &characteristic)
    }
}
