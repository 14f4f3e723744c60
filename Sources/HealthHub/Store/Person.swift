import BluetoothProfiles
import Foundation

/// A person with readings in the store.
package struct Person: Sendable, Equatable, Encodable {
    /// The people for whom limits differ.
    package enum Group: String, Sendable, CaseIterable, Codable {
        case adult
        /// Under 18 years.
        case minor
        /// Under three months.
        case infant
        /// Pregnant, or in the weeks after birth.
        case pregnant
    }

    /// The identifier; never reused after a deletion.
    package var id: Int64
    package var name: String
    /// The date of birth, "1961-04-30".
    package var born: String
    /// The guideline for the classification of blood pressure.
    package var guideline: Rule.Guideline
    /// The setting in which blood pressure is measured.
    package var setting: Rule.Setting
    /// True if the person is pregnant, or has given birth in the last six weeks.
    package var pregnant: Bool
    /// Targets and intervals.
    package var settings = PersonSettings()
    /// A random number in hexadecimal that identifies the person among those of all hubs; nil only for a person who is
    /// not in a store.
    package var identity: String?
    /// The length of an identity, more than that of any identifier.
    static let identityLength = 16

    /// Returns the reason why readings of the person at `time` are not judged; nil if they are.
    /// - Parameter zone: the hub's time zone.
    package func reasonNotToJudge(at time: Date, in zone: TimeZone = .current) -> HubText? {
        if pregnant { return "readings in pregnancy are not assessed" }
        guard var age = age(at: time, in: .gmt) else { return "the date of birth is not known" }
        // Days of other zones differ by one at most. The offset of a zone takes longer than the rest.
        if (17...18).contains(age) { age = self.age(at: time, in: zone) ?? age }
        return age < 18 ? "readings of people under 18 are not assessed" : nil
    }

    package func group(at time: Date, in zone: TimeZone = .current) -> Group {
        if pregnant { return .pregnant }
        guard reasonNotToJudge(at: time, in: zone) != nil, let birth = Self.date(born) else { return .adult }
        let end = Self.calendar.date(byAdding: .month, value: 3, to: birth) ?? birth
        return time < end ? .infant : .minor
    }

    /// Returns the completed years at `time`, by the Gregorian calendar in a time zone.
    package func age(at time: Date, in zone: TimeZone = .current) -> Int? {
        // The seconds from 1970 to 2000.
        let seconds =
            (time.timeIntervalSince1970 - 946_684_800).rounded(.down) + Double(zone.secondsFromGMT(for: time))
        guard abs(seconds) < 1e11, let birth = Self.day(born) else { return nil }
        let day = DateTime(2000, 1, 1).adding(seconds: Int64(seconds))
        let isBeforeBirthday = (Int(day.month), Int(day.day)) < (birth.month, birth.day)
        return Int(day.year) - birth.year - (isBeforeBirthday ? 1 : 0)
    }

    /// The Gregorian calendar in UTC.
    static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Parses a date such as "1961-04-30"; nil for an invalid date.
    package static func date(_ text: String) -> Date? {
        guard let (year, month, day) = day(text) else { return nil }
        let components = DateComponents(year: year, month: month, day: day)
        guard let date = calendar.date(from: components),
            calendar.dateComponents([.year, .month, .day], from: date) == components
        else { return nil }
        return date
    }

    /// Returns year, month and day of a text in the form "1961-04-30".
    private static func day(_ text: String) -> (year: Int, month: Int, day: Int)? {
        let octets = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            octets[range].reduce(0) { number, octet in
                guard let number, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) else { return nil }
                return number * 10 + Int(octet - UInt8(ascii: "0"))
            }
        }
        guard octets.count == 10, octets[4] == UInt8(ascii: "-"), octets[7] == octets[4], let year = number(0..<4),
            let month = number(5..<7), let day = number(8..<10)
        else { return nil }
        return (year, month, day)
    }
}
