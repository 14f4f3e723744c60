#if Programs
import Foundation

/// A person whose readings are kept.
package struct Person: Sendable, Equatable, Encodable {
    /// Identifier; never used again after a deletion.
    package var id: Int64
    /// Name.
    package var name: String
    /// Date of birth, "1961-04-30".
    package var born: String
    /// Guideline by which blood pressure is classified.
    package var guideline: Rule.Guideline
    /// Where blood pressure is measured.
    package var setting: Rule.Setting
    /// The person is pregnant.
    package var pregnant: Bool
    /// Targets and intervals.
    package var settings = PersonSettings()

    /// The reason why no reading of the person at `time` is judged; nil where readings are judged.
    package func reasonNotToJudge(at time: Date) -> String? {
        if pregnant { return "readings in pregnancy are not judged" }
        guard let age = age(at: time) else { return "the date of birth is not known" }
        return age < 18 ? "readings of people under 18 are not judged" : nil
    }

    /// Completed years at `time`, by the Gregorian calendar in UTC.
    package func age(at time: Date) -> Int? {
        guard let birth = Self.date(born) else { return nil }
        return Self.calendar.dateComponents([.year], from: birth, to: time).year
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// The day "1961-04-30"; nil for text that is no date.
    package static func date(_ text: String) -> Date? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, parts[0].count == 4, let year = Int(parts[0]),
            let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        let components = DateComponents(year: year, month: month, day: day)
        guard let date = calendar.date(from: components),
            calendar.dateComponents([.year, .month, .day], from: date) == components
        else { return nil }
        return date
    }
}
#endif
