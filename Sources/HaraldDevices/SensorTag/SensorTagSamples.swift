import BluetoothModel
import BluetoothProfiles

/// A value for each of three axes.
public struct Axes: Hashable, Sendable {
    /// The axes along the short side, along the long side and through the board.
    public var x: Double, y: Double, z: Double

    /// Creates a vector.
    public init(_ x: Double = 0, _ y: Double = 0, _ z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }

    /// Returns the difference of each axis.
    public static func - (left: Axes, right: Axes) -> Axes {
        Axes(left.x - right.x, left.y - right.y, left.z - right.z)
    }
    /// Returns each axis multiplied by a number.
    public static func * (left: Axes, right: Double) -> Axes { Axes(left.x * right, left.y * right, left.z * right) }
}

/// Two raw 16-bit values, in the order in which the sensor sends them.
public struct RawUInt16Pair: GATTValue {
    /// The first value; the bit pattern of a signed integer if the sensor's value is signed.
    public var first: UInt16 = 0
    /// The second value, likewise.
    public var second: UInt16 = 0
    /// Creates a pair of zeros.
    public init() {}
    /// Creates a pair.
    public init(_ first: UInt16, _ second: UInt16) { (self.first, self.second) = (first, second) }
    /// Encodes or decodes the fields, little-endian.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("first", &first, .uint16)
        try coder.integer("second", &second, .uint16)
    }
    var signed: (first: Int16, second: Int16) { (Int16(bitPattern: first), Int16(bitPattern: second)) }
}

/// Three signed 8-bit values: the data of the CC2541's accelerometer.
public struct RawAxes8: GATTValue {
    /// The axes.
    public var x: Int8 = 0, y: Int8 = 0, z: Int8 = 0
    /// Creates a value of zeros.
    public init() {}
    /// Encodes or decodes the fields.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("x", &x, .int8)
        try coder.integer("y", &y, .int8)
        try coder.integer("z", &z, .int8)
    }
    /// The raw values, not scaled.
    public var axes: Axes { Axes(Double(x), Double(y), Double(z)) }
}

/// Three signed 16-bit values: the data of the CC2541's magnetometer and gyroscope.
public struct RawAxes16: GATTValue {
    /// The axes.
    public var x: Int16 = 0, y: Int16 = 0, z: Int16 = 0
    /// Creates a value of zeros.
    public init() {}
    /// Encodes or decodes the fields, little-endian.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("x", &x, .int16)
        try coder.integer("y", &y, .int16)
        try coder.integer("z", &z, .int16)
    }
    /// The raw values, not scaled.
    public var axes: Axes { Axes(Double(x), Double(y), Double(z)) }
}

/// The data of the CC2650's movement sensor.
public struct RawMovement: GATTValue {
    /// The rotation in units of 500/65536 degrees per second.
    public var gyroscope = RawAxes16()
    /// The acceleration in units of 1/32768 of the range.
    public var accelerometer = RawAxes16()
    /// The magnetic field in microteslas.
    public var magnetometer = RawAxes16()
    /// Creates a value of zeros.
    public init() {}
    /// Encodes or decodes the fields.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.group("gyroscope", &gyroscope)
        try coder.group("accelerometer", &accelerometer)
        try coder.group("magnetometer", &magnetometer)
    }
}

/// The data of the CC2650's barometer.
public struct RawBarometer: GATTValue {
    /// The temperature in hundredths of a degree Celsius.
    public var temperature: Int32 = 0
    /// The pressure in hundredths of a hectopascal.
    public var pressure: UInt32 = 0
    /// Creates a value of zeros.
    public init() {}
    /// Encodes or decodes the fields, 24 bits each, little-endian.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("temperature", &temperature, .int24)
        try coder.integer("pressure", &pressure, .uint24)
    }
}

/// A raw 16-bit value.
public struct RawUInt16: GATTValue {
    /// The value.
    public var value: UInt16 = 0
    /// Creates a value of zero.
    public init() {}
    /// Creates a value.
    public init(_ value: UInt16) { self.value = value }
    /// Encodes or decodes the value, little-endian.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("value", &value, .uint16)
    }
}

/// A raw 8-bit value, such as the configuration of a sensor.
public struct RawUInt8: GATTValue, ExpressibleByIntegerLiteral {
    /// The value.
    public var value: UInt8 = 0
    /// Creates a value of zero.
    public init() {}
    /// Creates a value.
    public init(integerLiteral value: UInt8) { self.value = value }
    /// Encodes or decodes the value.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("value", &value, .uint8)
    }
}

/// The measurement period of a sensor.
public struct SensorPeriod: GATTValue {
    /// The period in hundredths of a second, 10 to 255.
    public var hundredths: UInt8 = 100
    /// Creates a period of 1 s.
    public init() {}
    /// Creates the supported period that is nearest to `duration`: 0.1 to 2.55 s.
    public init(_ duration: Duration) {
        hundredths = UInt8(min(max((duration / .milliseconds(10)).rounded(), 10), 255))
    }
    /// The period.
    public var duration: Duration { .milliseconds(Int(hundredths) * 10) }
    /// Encodes or decodes the period.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("period", &hundredths, .uint8)
    }
}

/// The pressed keys.
public struct SensorTagKeys: GATTValue, CharacteristicType {
    /// The UUID of the characteristic.
    public static let uuid: BluetoothUUID = "FFE1"
    /// Bit 0 is the right key, bit 1 the left key, bit 2 the reed relay, which a magnet closes.
    public var bits: UInt8 = 0
    /// Creates a value with no key pressed.
    public init() {}
    /// True if the right key is pressed.
    public var right: Bool { bits & 1 != 0 }
    /// True if the left key is pressed.
    public var left: Bool { bits & 2 != 0 }
    /// True if the reed relay is closed.
    public var reed: Bool { bits & 4 != 0 }
    /// Encodes or decodes the bits.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("keys", &bits, .uint8)
    }
}

/// The factory calibration of the CC2541's barometer: eight coefficients.
public struct BarometerCalibration: GATTValue {
    /// The unsigned coefficients, c1 to c4.
    public var unsigned: [UInt16] = [0, 0, 0, 0]
    /// The signed coefficients, c5 to c8.
    public var signed: [Int16] = [0, 0, 0, 0]
    /// Creates a value of zeros.
    public init() {}
    /// Encodes or decodes the coefficients, little-endian.
    /// - Throws: ``ValueError`` that names the field.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        for index in 0..<4 { try coder.integer("c\(index + 1)", &unsigned[index], .uint16) }
        for index in 0..<4 { try coder.integer("c\(index + 5)", &signed[index], .int16) }
    }
}
