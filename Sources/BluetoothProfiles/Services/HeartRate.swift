import BluetoothModel

/// A heart rate (Heart Rate Service 1.0, 3.1).
public struct HeartRateMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A37"

    /// Whether the sensor touches the skin.
    public struct SensorContact: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0: "not supported", 1: "not supported", 2: "not detected", 3: "detected",
        ]
        /// The sensor cannot tell.
        public static let notSupported = SensorContact(rawValue: 0)
        /// It does not, or not well.
        public static let notDetected = SensorContact(rawValue: 2)
        /// It does.
        public static let detected = SensorContact(rawValue: 3)
    }

    /// Beats per minute.
    public var rate: UInt16 = 0
    /// Whether the sensor touches the skin.
    public var sensorContact = SensorContact.notSupported
    /// Since the last reset, in kilojoules; stays at 65535.
    public var energyExpended: UInt16?
    /// The times between beats since the last measurement, the oldest first, in 1/1024 s.
    public var rrIntervals: [UInt16] = []
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// The times between beats in seconds.
    public var rrSeconds: [Double] { rrIntervals.map { Double($0) / 1024 } }

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        let isWide = coder.flag(0, when: rate > 255)
        try coder.integer("heartRateMeasurementValue", &rate, isWide ? .uint16 : .uint8, unit: .beatsPerMinute)
        coder.flags(1..<3, &sensorContact.rawValue)
        if sensorContact.rawValue > 1 {
            coder.describe("sensorContactStatus", .code(Int64(sensorContact.rawValue), sensorContact.name))
        }
        try coder.integer("energyExpended", &energyExpended, .uint16, unit: .kilojoules, bit: 3)
        if coder.flag(4, when: !rrIntervals.isEmpty) {
            // A flag without a meaning yet may announce what follows; then nobody knows where the intervals end.
            try coder.counts("rrInterval", &rrIntervals, times: 1000.0 / 1024, unit: .milliseconds)
        }
        coder.rest(&reserved)
    }
}

/// Where a heart rate is measured (Heart Rate Service 1.0, 3.2).
public struct BodySensorLocation: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A38"

    /// A place.
    public struct Location: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0: "other", 1: "chest", 2: "wrist", 3: "finger", 4: "hand", 5: "ear lobe", 6: "foot",
        ]
        /// The chest.
        public static let chest = Location(rawValue: 1)
        /// The wrist.
        public static let wrist = Location(rawValue: 2)
    }

    /// The place.
    public var location = Location(rawValue: 0)

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("bodySensorLocation", &location)
    }
}

/// What a heart rate sensor is told (Heart Rate Service 1.0, 3.3).
public struct HeartRateControlPoint: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A39"

    /// A command.
    public struct Command: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [1: "reset energy expended"]
        /// Counts the energy from zero again.
        public static let resetEnergyExpended = Command(rawValue: 1)
    }

    /// The command.
    public var command = Command.resetEnergyExpended

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("heartRateControlPoint", &command)
    }
}
