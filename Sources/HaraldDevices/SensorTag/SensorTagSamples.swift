import BluetoothModel
import BluetoothProfiles

/// Three numbers, one for each axis.
public struct Axes: Hashable, Sendable {
    /// Along the short side, the long side and through the board.
    public var x: Double, y: Double, z: Double

    /// Three numbers.
    public init(_ x: Double = 0, _ y: Double = 0, _ z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }

    /// The difference, axis by axis.
    public static func - (left: Axes, right: Axes) -> Axes {
        Axes(left.x - right.x, left.y - right.y, left.z - right.z)
    }
    /// All three times the same.
    public static func * (left: Axes, right: Double) -> Axes { Axes(left.x * right, left.y * right, left.z * right) }
}

/// Two numbers of 16 bits as a sensor sends them, in its order.
public struct RawPair: GATTValue {
    /// The first, with its sign where the sensor has one.
    public var first: UInt16 = 0
    /// The second.
    public var second: UInt16 = 0
    /// Nothing is set yet.
    public init() {}
    /// Two numbers.
    public init(_ first: UInt16, _ second: UInt16) { (self.first, self.second) = (first, second) }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("first", &first, .uint16)
        try coder.integer("second", &second, .uint16)
    }
    var signed: (first: Int16, second: Int16) { (Int16(bitPattern: first), Int16(bitPattern: second)) }
}

/// Three signed numbers of 8 bits: the CC2541's accelerometer.
public struct RawAxes8: GATTValue {
    /// The axes.
    public var x: Int8 = 0, y: Int8 = 0, z: Int8 = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("x", &x, .int8)
        try coder.integer("y", &y, .int8)
        try coder.integer("z", &z, .int8)
    }
    /// All three as they are.
    public var axes: Axes { Axes(Double(x), Double(y), Double(z)) }
}

/// Three signed numbers of 16 bits: the CC2541's magnetometer and gyroscope.
public struct RawAxes16: GATTValue {
    /// The axes.
    public var x: Int16 = 0, y: Int16 = 0, z: Int16 = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("x", &x, .int16)
        try coder.integer("y", &y, .int16)
        try coder.integer("z", &z, .int16)
    }
    /// All three as they are.
    public var axes: Axes { Axes(Double(x), Double(y), Double(z)) }
}

/// Gyroscope, accelerometer and magnetometer of the CC2650 in one.
public struct RawMovement: GATTValue {
    /// Degrees per second, times 65536/500.
    public var gyroscope = RawAxes16()
    /// Parts of the range, times 32768.
    public var accelerometer = RawAxes16()
    /// Microteslas.
    public var magnetometer = RawAxes16()
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.group("gyroscope", &gyroscope)
        try coder.group("accelerometer", &accelerometer)
        try coder.group("magnetometer", &magnetometer)
    }
}

/// Temperature and pressure of the CC2650's barometer, both in hundredths, of a degree and of a hectopascal.
public struct RawBarometer: GATTValue {
    /// Hundredths of a degree Celsius.
    public var temperature: Int32 = 0
    /// Hundredths of a hectopascal.
    public var pressure: UInt32 = 0
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("temperature", &temperature, .int24)
        try coder.integer("pressure", &pressure, .uint24)
    }
}

/// One number of 16 bits.
public struct RawWord: GATTValue {
    /// The number.
    public var value: UInt16 = 0
    /// Nothing is set yet.
    public init() {}
    /// A number.
    public init(_ value: UInt16) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("value", &value, .uint16)
    }
}

/// One number of 8 bits: what a sensor is configured with.
public struct RawOctet: GATTValue, ExpressibleByIntegerLiteral {
    /// The number.
    public var value: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// A number.
    public init(integerLiteral value: UInt8) { self.value = value }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("value", &value, .uint8)
    }
}

/// How often a sensor measures.
public struct SensorPeriod: GATTValue {
    /// Hundredths of a second, 10 to 255.
    public var hundredths: UInt8 = 100
    /// Nothing is set yet.
    public init() {}
    /// The period nearest to `duration` that the tag takes: 0.1 to 2.55 s.
    public init(_ duration: Duration) {
        hundredths = UInt8(min(max((duration / .milliseconds(10)).rounded(), 10), 255))
    }
    /// The period.
    public var duration: Duration { .milliseconds(Int(hundredths) * 10) }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("period", &hundredths, .uint8)
    }
}

/// Which keys are pressed.
public struct SensorTagKeys: GATTValue, CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "FFE1"
    /// The keys as bits: right 0, left 1, and the reed relay 2, which a magnet closes.
    public var bits: UInt8 = 0
    /// Nothing is set yet.
    public init() {}
    /// The right key.
    public var right: Bool { bits & 1 != 0 }
    /// The left key.
    public var left: Bool { bits & 2 != 0 }
    /// The reed relay.
    public var reed: Bool { bits & 4 != 0 }
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.integer("keys", &bits, .uint8)
    }
}

/// What the CC2541's barometer was calibrated with in the factory: eight numbers.
public struct BarometerCalibration: GATTValue {
    /// The numbers without a sign, c1 to c4.
    public var unsigned: [UInt16] = [0, 0, 0, 0]
    /// The numbers with a sign, c5 to c8.
    public var signed: [Int16] = [0, 0, 0, 0]
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        for index in 0..<4 { try coder.integer("c\(index + 1)", &unsigned[index], .uint16) }
        for index in 0..<4 { try coder.integer("c\(index + 5)", &signed[index], .int16) }
    }
}
