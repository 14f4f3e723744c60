import Foundation

/// Reads the dates of a file of comma-separated values. One value is used for a file: an expression is compiled at its
/// first use.
struct CSVDates {
    private let date = /([0-9]{1,4})[-.\/]([0-9]{1,2})[-.\/]([0-9]{2,4})(?:[T ,]+(.+))?/
    private let clock =
        /([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)? ?([AaPp])?\.?(?:[Mm]\.?)?(Z|[-+][0-9]{2}:?[0-9]{2})?(?: Uhr)?/
    private let named = /(?:([0-9]{1,2})\.? )?(\p{L}{3,9})\.? (?:([0-9]{1,2}),? )?([0-9]{4})(.*)/

    /// The beginnings of the names of months, English and German.
    private static let months = [
        "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
        "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
    ]

    /// Returns the order of the numbers of dates; nil if all begin with the year.
    func order(of texts: some Sequence<String>) throws(HubProblem) -> CSVImport.DateOrder? {
        var example: String?
        for text in texts {
            guard let match = text.wholeMatch(of: date), match.1.count < 4, let first = Int(match.1),
                let second = Int(match.2)
            else { continue }
            // Dates with points begin with the day.
            if first > 12 || text.contains(".") { return .dmy }
            if second > 12 { return .mdy }
            example = text
        }
        guard let example else { return nil }
        throw HubProblem(
            .invalid, "it is not clear whether '\(example)' begins with the day or the month; use --dates dmy or mdy")
    }

    /// Returns a text as date and time of ISO 8601; nil for another text.
    func moment(_ text: String, _ order: CSVImport.DateOrder?) -> String? {
        guard let match = withMonthAsNumber(text).wholeMatch(of: date) else { return nil }
        var (year, month, day) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
        if match.1.count < 4 {
            guard let order else { return nil }
            (year, month, day) = order == .dmy ? (day, month, year) : (day, year, month)
            if year < 100 { year += 2000 }
        }
        let parts = match.4.map { $0.wholeMatch(of: clock) } ?? nil
        if match.4 != nil, parts == nil { return nil }
        var hour = parts.flatMap { Int($0.1) } ?? 12
        if let half = parts?.4?.lowercased() {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (half == "p" ? 12 : 0)
        }
        let minute = parts.flatMap { Int($0.2) } ?? 0
        let second = parts?.3.flatMap { Int($0) } ?? 0
        let numbers = [month, day, hour, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }
        var zone = parts?.5.map(String.init) ?? ""
        if zone.count == 5 { zone.insert(":", at: zone.index(zone.startIndex, offsetBy: 3)) }
        let moment = "\(year)-\(numbers[0])-\(numbers[1])T\(numbers[2]):\(numbers[3]):\(numbers[4])"
        guard ReadingTime.date(moment + "Z") != nil else { return nil }
        return moment + zone
    }

    /// Returns a text such as "Nov 3, 2026 07:41" or "3. November 2026" with the date in the form of ISO 8601; other
    /// texts as they are.
    private func withMonthAsNumber(_ text: String) -> String {
        guard let match = text.wholeMatch(of: named), let month = Self.months[match.2.prefix(3).lowercased()],
            let day = match.1 ?? match.3, match.1 == nil || match.3 == nil
        else { return text }
        return "\(match.4)-\(month)-\(day.count < 2 ? "0" : "")\(day)\(match.5)"
    }
}
