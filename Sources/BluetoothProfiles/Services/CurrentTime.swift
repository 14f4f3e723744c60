import BluetoothModel

/// Whether it is summer time (GATT Specification Supplement, 3.83).
public struct DSTOffset: NamedCode {
    /// The number.
    public var rawValue: UInt8
    /// A value from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What the numbers stand for.
    public static let names: [UInt8: String] = [
        0: "standard time", 2: "half an hour daylight time", 4: "daylight time", 8: "double daylight time",
        255: "unknown",
    ]
    /// It is not.
    public static let standard = DSTOffset(rawValue: 0)
    /// It is.
    public static let daylight = DSTOffset(rawValue: 4)
    /// Nobody knows.
    public static let unknown = DSTOffset(rawValue: 255)
}

/// A day of the week.
public struct Weekday: NamedCode {
    /// The number.
    public var rawValue: UInt8
    /// A value from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What the numbers stand for.
    public static let names: [UInt8: String] = [
        0: "unknown", 1: "Monday", 2: "Tuesday", 3: "Wednesday", 4: "Thursday", 5: "Friday", 6: "Saturday", 7: "Sunday",
    ]
    /// The day of a date of the Gregorian calendar; unknown where the date is.
    public init(of date: DateTime) {
        guard date.isComplete else {
            self.init(rawValue: 0)
            return
        }
        // Zeller's congruence: January and February belong to the year before; Saturday is 0.
        let month = Int(date.month) < 3 ? Int(date.month) + 12 : Int(date.month)
        let year = Int(date.month) < 3 ? Int(date.year) - 1 : Int(date.year)
        let number = (Int(date.day) + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7
        self.init(rawValue: UInt8((number + 5) % 7 + 1))
    }
}

/// The time of a clock (Current Time Service 1.1, 3.1).
public struct CurrentTime: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A2B"

    /// Why the clock was set.
    public struct AdjustReason: NamedBits {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the bits stand for, from the lowest.
        public static let names = [
            "manualTimeUpdate", "externalReferenceTimeUpdate", "changeOfTimeZone", "changeOfDST",
        ]
        /// By a better clock.
        public static let externalReference = AdjustReason(rawValue: 2)
    }

    /// The date and the time of day.
    public var time = DateTime()
    /// The day of the week.
    public var dayOfWeek = Weekday(rawValue: 0)
    /// 1/256 s.
    public var fractions256: UInt8 = 0
    /// Why the clock was set.
    public var adjustReason: AdjustReason = []

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.time("exactTime256", &time)
        try coder.code("dayOfWeek", &dayOfWeek)
        try coder.integer("fractions256", &fractions256, .uint8) { .real(Double($0) / 256) }
        try coder.bits("adjustReason", &adjustReason, .uint8)
    }
}

/// Where a clock is (Current Time Service 1.1, 3.2).
public struct LocalTimeInformation: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A0F"
    /// Quarters of an hour from UTC; -128 where it is not known.
    public var timeZone: Int8 = -128
    /// Whether it is summer time.
    public var dstOffset = DSTOffset.unknown
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.timeZone("timeZone", &timeZone)
        try coder.code("dstOffset", &dstOffset)
    }
}

/// How good a clock is (Current Time Service 1.1, 3.3).
public struct ReferenceTimeInformation: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A14"

    /// A better clock.
    public struct Source: NamedCode {
        /// The number.
        public var rawValue: UInt8
        /// A value from its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the numbers stand for.
        public static let names: [UInt8: String] = [
            0: "unknown", 1: "network time protocol", 2: "GPS", 3: "radio time signal", 4: "manual", 5: "atomic clock",
            6: "cellular network", 7: "not synchronized",
        ]
    }

    /// The better clock.
    public var source = Source(rawValue: 0)
    /// The error at most, in 1/8 s; 254 for more than 31.5 s, 255 where it is not known.
    public var accuracy: UInt8 = 255
    /// Days since the clock was set; 255 for at least so many.
    public var daysSinceUpdate: UInt8 = 255
    /// Hours since then beyond the days; 255 where the days are.
    public var hoursSinceUpdate: UInt8 = 255

    /// Nothing is set yet.
    public init() {}

    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) {
        try coder.code("timeSource", &source)
        try coder.integer(
            "timeAccuracy", &accuracy, .uint8, unit: .seconds, specials: [254: .overrun, 255: .unknown]
        ) { .real(Double($0) / 8) }
        try coder.integer("daysSinceUpdate", &daysSinceUpdate, .uint8, specials: [255: .overrun])
        // Only with 255 days are 255 hours allowed (GATT Specification Supplement, 3.116).
        let isLongAgo = daysSinceUpdate == 255
        try coder.integer("hoursSinceUpdate", &hoursSinceUpdate, .uint8, specials: isLongAgo ? [255: .overrun] : [:]) {
            (0...23).contains($0) ? .integer($0) : .number(.special(.reserved))
        }
    }
}

/// The time of a clock, without more (GATT Specification Supplement, 3.70).
public struct DateTimeValue: CharacteristicType {
    /// The characteristic that holds it.
    public static let uuid: BluetoothUUID = "2A08"
    /// The time.
    public var time = DateTime()
    /// Nothing is set yet.
    public init() {}
    /// Names the fields.
    public mutating func code(_ coder: inout FieldCoder) throws(ValueError) { try coder.time("dateTime", &time) }
}
