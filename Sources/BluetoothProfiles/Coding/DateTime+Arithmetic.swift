extension DateTime {
    /// Creates a time from the seconds since 2000-01-01T00:00:00. The year is limited to 0 to 65535.
    public init(secondsSince2000 seconds: Int64) {
        let (days, remainder) = seconds.quotientAndRemainder(dividingBy: 86400)
        let (day, rest) = remainder < 0 ? (days - 1, remainder + 86400) : (days, remainder)
        // Days since 0000-03-01, so that a leap day is the last day of its year.
        let shifted = day + 730_425
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        self.init(
            UInt16(clamping: year), UInt8(month < 10 ? month + 3 : month - 9),
            UInt8(dayOfYear - (153 * month + 2) / 5 + 1), UInt8(rest / 3600), UInt8(rest / 60 % 60), UInt8(rest % 60))
    }

    /// The seconds since 2000-01-01T00:00:00; nil if the date is incomplete.
    public var secondsSince2000: Int64? {
        guard isComplete, month <= 12 else { return nil }
        let year = Int64(year) - (month <= 2 ? 1 : 0)
        let era = year / 400
        let yearOfEra = year - era * 400
        let shifted = Int64(month) + (month > 2 ? -3 : 9)
        let dayOfYear = (153 * shifted + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 730_425
        return days * 86400 + Int64(hours) * 3600 + Int64(minutes) * 60 + Int64(seconds)
    }

    /// True for a complete time that exists, in the years of the Date Time characteristic (GATT Specification
    /// Supplement, 3.70).
    package var isValid: Bool {
        // A day that the month does not have is one of the next month.
        guard (1582...9999).contains(year), let seconds = secondsSince2000 else { return false }
        return DateTime(secondsSince2000: seconds) == self
    }

    /// Returns the time `seconds` later; the same time if the date is incomplete.
    public func adding(seconds: Int64) -> DateTime {
        guard let start = secondsSince2000 else { return self }
        let (sum, isOverflow) = start.addingReportingOverflow(seconds)
        return DateTime(secondsSince2000: isOverflow ? seconds < 0 ? .min : .max : sum)
    }
}
