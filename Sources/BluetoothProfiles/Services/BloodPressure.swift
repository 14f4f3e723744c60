import BluetoothModel

/// The status of a blood pressure measurement (Blood Pressure Service 1.1.1, 3.1.1.7).
public struct BloodPressureStatus: NamedBits {
    public var rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    public static let names = [
        "bodyMovementDetected", "cuffTooLoose", "irregularPulseDetected", "pulseRateExceedsUpperLimit",
        "pulseRateBelowLowerLimit", "improperMeasurementPosition",
    ]
    /// The names of the bits that are set. Bits 3 and 4 form one number, whose value 3 is reserved.
    public var setNames: [String] {
        let isReserved = rawValue & 0x18 == 0x18
        return Self.names.enumerated().filter { index, _ in
            rawValue >> UInt16(index) & 1 == 1 && !(isReserved && (index == 3 || index == 4))
        }.map(\.element)
    }
    /// The pulse was irregular.
    public static let irregularPulse = BloodPressureStatus(rawValue: 4)
}

/// The Blood Pressure Measurement characteristic (Blood Pressure Service 1.1.1, 3.1).
public struct BloodPressureMeasurement: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A35"
    /// The systolic pressure in mmHg or kPa.
    public var systolic: ProfileNumber = 0
    /// The diastolic pressure in mmHg or kPa.
    public var diastolic: ProfileNumber = 0
    /// The mean arterial pressure in mmHg or kPa.
    public var meanArterialPressure: ProfileNumber = 0
    /// True if the pressures are in kilopascals, false for millimetres of mercury.
    public var isKilopascals = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The pulse rate in beats per minute.
    public var pulseRate: ProfileNumber?
    /// The index of the user; 255 if the user is unknown.
    public var userID: UInt8?
    /// The measurement status.
    public var measurementStatus: BloodPressureStatus?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

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

/// The cuff pressure during inflation and deflation (Blood Pressure Service 1.1.1, 3.2).
public struct IntermediateCuffPressure: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A36"
    /// The pressure in mmHg or kPa.
    public var currentCuffPressure: ProfileNumber = 0
    /// The two unused fields, which hold NaN.
    public var unused: [ProfileNumber] = [.special(.notANumber), .special(.notANumber)]
    /// True if the pressure is in kilopascals, false for millimetres of mercury.
    public var isKilopascals = false
    /// The time of the measurement.
    public var timeStamp: DateTime?
    /// The pulse rate in beats per minute.
    public var pulseRate: ProfileNumber?
    /// The index of the user; 255 if the user is unknown.
    public var userID: UInt8?
    /// The measurement status.
    public var measurementStatus: BloodPressureStatus?
    /// The bits and bytes that are reserved for future use.
    public var reserved = ReservedPart()

    public init() {}

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

/// The features of a blood pressure monitor (Blood Pressure Service 1.1.1, 3.3).
public struct BloodPressureFeature: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A49"

    /// Feature bits.
    public struct Features: NamedBits {
        public var rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let names = [
            "bodyMovementDetection", "cuffFitDetection", "irregularPulseDetection", "pulseRateRangeDetection",
            "measurementPositionDetection", "multipleBonds", "e2eCRC", "userDataService", "userFacingTime",
        ]
    }

    /// The supported features.
    public var features: Features = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.bits("bloodPressureFeature", &features, .uint16)
    }
}
