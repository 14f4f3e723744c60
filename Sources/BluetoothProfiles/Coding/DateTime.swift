/// A date and time of day on a device's clock, in an unspecified time zone (GATT Specification Supplement, 3.70).
public struct DateTime: Hashable, Sendable {
    /// The year, 1582 to 9999; 0 if unknown.
    public var year: UInt16 = 0
    /// The month, 1 to 12; 0 if unknown.
    public var month: UInt8 = 0
    /// The day of the month, 1 to 31; 0 if unknown.
    public var day: UInt8 = 0
    /// The hour, 0 to 23.
    public var hours: UInt8 = 0
    /// The minute, 0 to 59.
    public var minutes: UInt8 = 0
    /// The second, 0 to 59.
    public var seconds: UInt8 = 0

    /// Creates midnight of an unknown date.
    public init() {}

    /// Creates a date and time of day.
    public init(
        _ year: UInt16, _ month: UInt8, _ day: UInt8, _ hours: UInt8 = 0, _ minutes: UInt8 = 0, _ seconds: UInt8 = 0
    ) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hours, self.minutes, self.seconds) = (hours, minutes, seconds)
    }

    /// The number of bytes of an encoded date and time.
    static let byteCount = 7

    /// True if year, month and day are known.
    public var isComplete: Bool { year != 0 && month != 0 && day != 0 }

    mutating func code(_ coder: inout FieldCoder, name: String) throws(ValueError) {
        try codeDate(&coder, name: name)
        try coder.integer("\(name).hours", &hours, .uint8, in: 0...23)
        try coder.integer("\(name).minutes", &minutes, .uint8, in: 0...59)
        try coder.integer("\(name).seconds", &seconds, .uint8, in: 0...59)
    }

    mutating func codeDate(_ coder: inout FieldCoder, name: String) throws(ValueError) {
        try coder.integer("\(name).year", &year, .uint16, in: 0...9999)
        try coder.integer("\(name).month", &month, .uint8, in: 0...12)
        try coder.integer("\(name).day", &day, .uint8, in: 0...31)
    }
}

extension DateTime: CustomStringConvertible, Comparable {
    /// ISO 8601 without a time zone, "2026-11-21T05:36:00". Unknown parts are question marks.
    public var description: String {
        var octets = dateOctets
        for (separator, number) in [("T", hours), (":", minutes), (":", seconds)] as [(Unicode.Scalar, UInt8)] {
            octets.append(UInt8(ascii: separator))
            Self.append(Int(number), digits: 2, to: &octets)
        }
        return String(decoding: octets, as: UTF8.self)
    }

    var dateText: String { String(decoding: dateOctets, as: UTF8.self) }

    private var dateOctets: [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(19)
        for (number, digits) in [(Int(year), 4), (Int(month), 2), (Int(day), 2)] {
            if !octets.isEmpty { octets.append(UInt8(ascii: "-")) }
            if number == 0 {
                octets += repeatElement(UInt8(ascii: "?"), count: digits)
            } else {
                Self.append(number, digits: digits, to: &octets)
            }
        }
        return octets
    }

    /// Appends a number with at least this number of digits.
    private static func append(_ number: Int, digits: Int, to octets: inout [UInt8]) {
        if number >= 10 || digits > 1 { append(number / 10, digits: digits - 1, to: &octets) }
        octets.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// Compares two times on one clock.
    public static func < (left: DateTime, right: DateTime) -> Bool {
        (left.year, UInt(left.month), UInt(left.day), left.secondOfDay)
            < (right.year, UInt(right.month), UInt(right.day), right.secondOfDay)
    }

    private var secondOfDay: Int { (Int(hours) * 60 + Int(minutes)) * 60 + Int(seconds) }
}
