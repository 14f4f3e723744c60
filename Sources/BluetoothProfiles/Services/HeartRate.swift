import BluetoothModel

/// The Heart Rate Measurement characteristic (Heart Rate Service 1.0, 3.1).
public struct HeartRateMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A37"
    public static let forms: [String: FieldForm] = [
        "heartRateMeasurementValue": FieldForm("heart rate"), "rrInterval": FieldForm(units: [.milliseconds: .seconds]),
    ]

    /// The contact of the sensor with the skin.
    public struct SensorContact: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "not supported", 1: "not supported", 2: "not detected", 3: "detected",
        ]
        /// The sensor does not detect contact.
        public static let notSupported = SensorContact(rawValue: 0)
        /// No contact, or poor contact.
        public static let notDetected = SensorContact(rawValue: 2)
        /// The sensor has contact.
        public static let detected = SensorContact(rawValue: 3)
    }

    /// The heart rate in beats per minute.
    public var rate: UInt16 = 0
    /// The contact of the sensor with the skin.
    public var sensorContact = SensorContact.notSupported
    /// The energy in kilojoules since the last reset; saturates at 65535.
    public var energyExpended: UInt16?
    /// The RR intervals since the last measurement, oldest first, in units of 1/1024 s.
    public var rrIntervals: [UInt16] = []
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

    /// The RR intervals in seconds.
    public var rrSeconds: [Double] { rrIntervals.map { Double($0) / 1024 } }

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
            // If reserved flags announce more fields, the end of the intervals is unknown and the rest is read as
            // intervals.
            try coder.counts("rrInterval", &rrIntervals, times: 1000.0 / 1024, unit: .milliseconds)
        }
        coder.rest(&reserved)
    }
}

/// The location of a heart rate sensor (Heart Rate Service 1.0, 3.2).
public struct BodySensorLocation: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A38"

    /// A body location.
    public struct Location: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "other", 1: "chest", 2: "wrist", 3: "finger", 4: "hand", 5: "ear lobe", 6: "foot",
        ]
        /// The chest.
        public static let chest = Location(rawValue: 1)
        /// The wrist.
        public static let wrist = Location(rawValue: 2)
    }

    /// The location.
    public var location = Location(rawValue: 0)

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("bodySensorLocation", &location)
    }
}

/// The control point of a heart rate sensor (Heart Rate Service 1.0, 3.3).
public struct HeartRateControlPoint: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A39"

    /// A command.
    public struct Command: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [1: "reset energy expended"]
        /// Resets the expended energy to zero.
        public static let resetEnergyExpended = Command(rawValue: 1)
    }

    /// The command.
    public var command = Command.resetEnergyExpended

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("heartRateControlPoint", &command)
    }
}
