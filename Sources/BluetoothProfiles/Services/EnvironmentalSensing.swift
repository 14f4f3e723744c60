import BluetoothModel

// Quantities of the Environmental Sensing Service 1.0.1, each with the resolution of the GATT Specification Supplement.

/// A temperature, in hundredths of a degree Celsius.
public struct Temperature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A6E"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("temperature", &value, .decimal(.int16, -2, unknown: -32768), unit: .celsius)
    }
}

/// The relative humidity, in hundredths of a percent.
public struct Humidity: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A6F"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("humidity", &value, .decimal(.uint16, -2, unknown: 0xFFFF), unit: .percent)
    }
}

/// A pressure, in tenths of a pascal.
public struct Pressure: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A6D"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("pressure", &value, .decimal(.uint32, -1), unit: .pascals)
    }
}

/// A height above the sea, in centimetres.
public struct Elevation: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A6C"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("elevation", &value, .decimal(.int24, -2), unit: .metres)
    }
}

/// The speed of the wind over ground.
public struct TrueWindSpeed: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A70"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("trueWindSpeed", &value, .decimal(.uint16, -2), unit: .metresPerSecond)
    }
}

/// Where the wind comes from, clockwise from true north.
public struct TrueWindDirection: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A71"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("trueWindDirection", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// The speed of the wind past the device.
public struct ApparentWindSpeed: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A72"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("apparentWindSpeed", &value, .decimal(.uint16, -2), unit: .metresPerSecond)
    }
}

/// Where the wind past the device comes from, clockwise from its heading.
public struct ApparentWindDirection: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A73"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("apparentWindDirection", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// How much stronger gusts are than the wind.
public struct GustFactor: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A74"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("gustFactor", &value, .decimal(.uint8, -1))
    }
}

/// Pollen in the air.
public struct PollenConcentration: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A75"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("pollenConcentration", &value, .decimal(.uint24, 0), unit: .perCubicMetre)
    }
}

/// The power of light.
public struct Irradiance: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A77"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("irradiance", &value, .decimal(.uint16, -1), unit: .wattsPerSquareMetre)
    }
}

/// How much rain fell.
public struct Rainfall: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A78"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("rainfall", &value, .decimal(.uint16, 0), unit: .millimetres)
    }
}

/// The angle between magnetic and true north, clockwise.
public struct MagneticDeclination: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A2C"
    /// The number.
    public var value: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: ProfileNumber) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("magneticDeclination", &value, .decimal(.uint16, -2), unit: .degrees)
    }
}

/// How strong the ultraviolet light is.
public struct UVIndex: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A76"
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("uvIndex", &value, .uint8)
    }
}

/// How cold the wind makes it feel.
public struct WindChill: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A79"
    /// The number.
    public var value: Int8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: Int8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("windChill", &value, .int8, unit: .celsius)
    }
}

/// How hot the humidity makes it feel.
public struct HeatIndex: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A7A"
    /// The number.
    public var value: Int8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: Int8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("heatIndex", &value, .int8, unit: .celsius)
    }
}

/// Where dew begins.
public struct DewPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A7B"
    /// The number.
    public var value: Int8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A value.
    public init(_ value: Int8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("dewPoint", &value, .int8, unit: .celsius)
    }
}

/// How the pressure of the air changes.
public struct BarometricPressureTrend: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA3"
    /// A trend.
    public struct Trend: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0: "unknown", 1: "continuously falling", 2: "continuously rising", 3: "falling, then steady",
            4: "rising, then steady", 5: "falling before a lesser rise", 6: "falling before a greater rise",
            7: "rising before a greater fall", 8: "rising before a lesser fall", 9: "steady",
        ]
    }
    /// The trend.
    public var trend = Trend(rawValue: 0)
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("barometricPressureTrend", &trend)
    }
}

/// A magnetic field in a plane, in tenths of a microtesla.
public struct MagneticFluxDensity2D: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA0"
    /// The two axes.
    public var x: ProfileNumber = 0, y: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("xAxis", &x, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("yAxis", &y, .decimal(.int16, -1), unit: .microteslas)
    }
}

/// A magnetic field in space, in tenths of a microtesla.
public struct MagneticFluxDensity3D: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2AA1"
    /// The three axes.
    public var x: ProfileNumber = 0, y: ProfileNumber = 0, z: ProfileNumber = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.number("xAxis", &x, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("yAxis", &y, .decimal(.int16, -1), unit: .microteslas)
        try coder.number("zAxis", &z, .decimal(.int16, -1), unit: .microteslas)
    }
}

/// Who changed a descriptor of a sensor, and which (Environmental Sensing Service 1.0.1, 3.2).
public struct DescriptorValueChanged: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A7D"
    /// Who, and what.
    public struct Changes: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "sourceOfChangeIsServer", "triggerSettings", "configuration", "measurement", "userDescription",
        ]
    }
    /// Who, and what.
    public var changes: Changes = []
    /// The UUID of the characteristic, as it was sent: 2 or 16 bytes.
    public var characteristic: [UInt8] = []
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("flags", &changes, .uint16)
        try coder.bytes("characteristicUUID", &characteristic)
    }
}
