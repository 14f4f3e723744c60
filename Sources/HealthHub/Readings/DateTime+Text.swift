#if Programs
import BluetoothProfiles
import Foundation

extension DateTime {
    /// Parses a time on a device's clock, such as "2026-11-21T08:00:00", "2026-11-21 08:00:00.000" or
    /// "2026-11-21T08:00"; a fraction and a time zone are ignored. Nil for a date that does not exist, and for years
    /// outside 1582 to 9999, the range of the Date Time characteristic (2A08).
    package init?(text: String) {
        guard let (time, _) = Self.parsed(text) else { return nil }
        self = time
    }

    /// Returns true for a time that is followed by a time zone, or by another text, and so is not the time on a
    /// device's clock.
    static func hasZone(_ text: String) -> Bool { parsed(text).map { !$0.rest.isEmpty } ?? false }

    /// Returns the time at the beginning of a text, and the text after it and its fraction; nil for no valid time.
    private static func parsed(_ text: String) -> (time: DateTime, rest: Substring)? {
        let text = text.trimmingCharacters(in: .whitespaces)
        func split(_ length: Int) -> [Substring] {
            text.prefix(length).split(whereSeparator: { "-Tt: ".contains($0) })
        }
        var parts = split(16)
        // Without seconds, a time zone may follow.
        let hasSeconds = parts.count != 5 || text.dropFirst(16).first.map { !"Zz+-".contains($0) } ?? false
        parts = hasSeconds ? split(19) : parts + ["0"]
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = UInt16(parts[0]), let month = UInt8(parts[1]), let day = UInt8(parts[2]),
            let hour = UInt8(parts[3]), let minute = UInt8(parts[4]), let second = UInt8(parts[5]),
            (1582...9999).contains(year), (1...12).contains(month), day > 0, hour < 24, minute < 60, second < 60
        else { return nil }
        let time = DateTime(year, month, day, hour, minute, second)
        // A day that the month does not have would be one of the next month.
        guard let seconds = time.secondsSince2000, DateTime(secondsSince2000: seconds) == time else { return nil }
        var rest = text.dropFirst(hasSeconds ? 19 : 16)
        if let point = rest.first, ".,".contains(point) { rest = rest.dropFirst().drop { $0.isASCII && $0.isNumber } }
        return (time, rest)
    }
}
#endif
