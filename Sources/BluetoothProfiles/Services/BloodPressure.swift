import BluetoothModel

/// What is to be said about a blood pressure measurement (Blood Pressure Service 1.1.1, 3.1.1.7).
public struct BloodPressureStatus: NamedBits {
    /// The number.
    public var rawValue: UInt16
    /// A value from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// What the bits stand for, from the lowest.
    public static let names = [
        "bodyMovementDetected", "cuffTooLoose", "irregularPulseDetected", "pulseRateExceedsUpperLimit",
        "pulseRateBelowLowerLimit", "improperMeasurementPosition",
    ]
    /// The names of the bits that are set; bits 3 and 4 are one number, of which 3 is kept for later.
    public var setNames: [String] {
        let isReserved = rawValue & 0x18 == 0x18
        return Self.names.enumerated().filter { index, _ in
            rawValue >> UInt16(index) & 1 == 1 && !(isReserved && (index == 3 || index == 4))
        }.map(\.element)
    }
    /// The pulse was irregular.
    public static let irregularPulse = BloodPressureStatus(rawValue: 4)
}

/// A blood pressure (Blood Pressure Service 1.1.1, 3.1).
public struct BloodPressureMeasurement: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A35"
    /// When the heart beats, in mmHg or kPa.
    public var systolic: ProfileNumber = 0
    /// Between beats, in mmHg or kPa.
    public var diastolic: ProfileNumber = 0
    /// On average, in mmHg or kPa.
    public var meanArterialPressure: ProfileNumber = 0
    /// Whether the pressures are in kilopascals and not in millimetres of mercury.
    public var isKilopascals = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Beats per minute.
    public var pulseRate: ProfileNumber?
    /// Whose it is; 255 for a user who is not known.
    public var userID: UInt8?
    /// What is to be said about it.
    public var measurementStatus: BloodPressureStatus?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        isKilopascals = coder.flag(0, when: isKilopascals)
        let unit = isKilopascals ? GATTUnit.kilopascals : .mmHg
        try coder.number("systolic", &systolic, .sfloat, unit: unit)
        try coder.number("diastolic", &diastolic, .sfloat, unit: unit)
        try coder.number("meanArterialPressure", &meanArterialPressure, .sfloat, unit: unit)
        try coder.time("timeStamp", &timeStamp, bit: 1)
        try coder.number("pulseRate", &pulseRate, .sfloat, unit: .beatsPerMinute, bit: 2)
        try coder.integer("userID", &userID, .uint8, specials: UserIndex.specials, bit: 3)
        try coder.bits("measurementStatus", &measurementStatus, .uint16, bit: 4)
        coder.rest(&reserved)
    }
}

/// The pressure in the cuff while it is pumped up or let down (Blood Pressure Service 1.1.1, 3.2).
public struct IntermediateCuffPressure: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A36"
    /// The pressure, in mmHg or kPa.
    public var currentCuffPressure: ProfileNumber = 0
    /// Two numbers that are not used, and are not numbers.
    public var unused: [ProfileNumber] = [.special(.notANumber), .special(.notANumber)]
    /// Whether the pressure is in kilopascals.
    public var isKilopascals = false
    /// When it was taken.
    public var timeStamp: DateTime?
    /// Beats per minute.
    public var pulseRate: ProfileNumber?
    /// Whose it is; 255 for a user who is not known.
    public var userID: UInt8?
    /// What is to be said about it.
    public var measurementStatus: BloodPressureStatus?
    /// What the specification keeps for later.
    public var reserved = ReservedPart()

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.flags(.uint8, known: 0x1F, &reserved)
        isKilopascals = coder.flag(0, when: isKilopascals)
        let unit = isKilopascals ? GATTUnit.kilopascals : .mmHg
        try coder.number("currentCuffPressure", &currentCuffPressure, .sfloat, unit: unit)
        var (first, second) = (unused.first ?? 0, unused.last ?? 0)
        try coder.hiddenNumber("unused", &first, .sfloat)
        try coder.hiddenNumber("unused", &second, .sfloat)
        unused = [first, second]
        try coder.time("timeStamp", &timeStamp, bit: 1)
        try coder.number("pulseRate", &pulseRate, .sfloat, unit: .beatsPerMinute, bit: 2)
        try coder.integer("userID", &userID, .uint8, specials: UserIndex.specials, bit: 3)
        try coder.bits("measurementStatus", &measurementStatus, .uint16, bit: 4)
        coder.rest(&reserved)
    }
}

/// What a blood pressure monitor can do (Blood Pressure Service 1.1.1, 3.3).
public struct BloodPressureFeature: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A49"

    /// Abilities.
    public struct Features: NamedBits {
        /// The number.
        public var rawValue: UInt16
        /// A value from its number.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "bodyMovementDetection", "cuffFitDetection", "irregularPulseDetection", "pulseRateRangeDetection",
            "measurementPositionDetection", "multipleBonds", "e2eCRC", "userDataService", "userFacingTime",
        ]
    }

    /// What it can do.
    public var features: Features = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("bloodPressureFeature", &features, .uint16)
    }
}
