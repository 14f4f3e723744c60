import BluetoothModel

/// The daylight saving time offset (GATT Specification Supplement, 3.83).
public struct DSTOffset: NamedCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let names: [UInt8: String] = [
        0: "standard time", 2: "half an hour daylight time", 4: "daylight time", 8: "double daylight time",
        255: "unknown",
    ]
    /// Standard time.
    public static let standard = DSTOffset(rawValue: 0)
    /// Daylight time, one hour ahead.
    public static let daylight = DSTOffset(rawValue: 4)
    /// The offset is unknown.
    public static let unknown = DSTOffset(rawValue: 255)
}

/// A day of the week.
public struct Weekday: NamedCode {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let names: [UInt8: String] = [
        0: "unknown", 1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday", 7: "Sunday",
    ]
    /// Creates the day of the week of a Gregorian date; 0 (unknown) if the date is incomplete.
    public init(of date: DateTime) {
        guard date.isComplete else {
            self.init(rawValue: 0)
            return
        }
        // Zeller's congruence: January and February count as months 13 and 14 of the previous year; Saturday is 0.
        let month = Int(date.month) < 3 ? Int(date.month) + 12 : Int(date.month)
        let year = Int(date.month) < 3 ? Int(date.year) - 1 : Int(date.year)
        let number = (Int(date.day) + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7
        self.init(rawValue: UInt8((number + 5) % 7 + 1))
    }
}

/// The date and time of a clock (Current Time Service 1.1, 3.1).
public struct CurrentTime: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A2B"

    /// The reasons for the last adjustment of the clock.
    public struct AdjustReason: NamedBits {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names = [
            "manualTimeUpdate", "externalReferenceTimeUpdate", "changeOfTimeZone", "changeOfDST",
        ]
        /// The clock was set from an external reference.
        public static let externalReference = AdjustReason(rawValue: 2)
    }

    /// The date and time of day.
    public var time = DateTime()
    /// The day of the week.
    public var dayOfWeek = Weekday(rawValue: 0)
    /// The fraction of the second in units of 1/256 s.
    public var fractions256: UInt8 = 0
    /// The reasons for the last adjustment of the clock.
    public var adjustReason: AdjustReason = []

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.time("exactTime256", &time)
        try coder.code("dayOfWeek", &dayOfWeek)
        try coder.integer("fractions256", &fractions256, .uint8) { .real(Double($0) / 256) }
        try coder.bits("adjustReason", &adjustReason, .uint8)
    }
}

/// The time zone and daylight saving time of a clock (Current Time Service 1.1, 3.2).
public struct LocalTimeInformation: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A0F"
    public static let forms: [String: FieldForm] = ["dstOffset": FieldForm("DST offset")]
    /// The offset from UTC in quarters of an hour; -128 if unknown.
    public var timeZone: Int8 = -128
    /// The daylight saving time offset.
    public var dstOffset = DSTOffset.unknown
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.timeZone("timeZone", &timeZone)
        try coder.code("dstOffset", &dstOffset)
    }
}

/// The source and accuracy of a clock (Current Time Service 1.1, 3.3).
public struct ReferenceTimeInformation: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A14"

    /// A reference time source.
    public struct Source: NamedCode {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        public static let names: [UInt8: String] = [
            0: "unknown", 1: "network time protocol", 2: "GPS", 3: "radio time signal", 4: "manual", 5: "atomic clock",
            6: "cellular network", 7: "not synchronized",
        ]
    }

    /// The reference time source.
    public var source = Source(rawValue: 0)
    /// The accuracy in 1/8 s; 254 if the error exceeds 31.5 s, 255 if unknown.
    public var accuracy: UInt8 = 255
    /// The days since the last update from the reference; 255 for 255 or more.
    public var daysSinceUpdate: UInt8 = 255
    /// The hours since the last update in addition to the days; 255 if ``daysSinceUpdate`` is 255.
    public var hoursSinceUpdate: UInt8 = 255

    public init() {}

    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("timeSource", &source)
        try coder.integer(
            "timeAccuracy", &accuracy, .uint8, unit: .seconds, specials: [254: .overrun, 255: .unknown]
        ) { .real(Double($0) / 8) }
        try coder.integer("daysSinceUpdate", &daysSinceUpdate, .uint8, specials: [255: .overrun])
        // 255 hours are allowed only together with 255 days (GATT Specification Supplement, 3.116).
        let isLongAgo = daysSinceUpdate == 255
        try coder.integer("hoursSinceUpdate", &hoursSinceUpdate, .uint8, specials: isLongAgo ? [255: .overrun] : [:]) {
            (0...23).contains($0) ? .integer($0) : .number(.special(.reserved))
        }
    }
}

/// A date and time (GATT Specification Supplement, 3.70).
public struct DateTimeValue: CharacteristicType {
    public static let uuid: BluetoothUUID = "2A08"
    /// The date and time.
    public var time = DateTime()
    public init() {}
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.time("dateTime", &time) }
}
