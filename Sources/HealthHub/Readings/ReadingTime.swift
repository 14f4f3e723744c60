import BluetoothProfiles
import Foundation
import GRDB

struct ReadingTime {
    /// The time of the measurement, in true time.
    var taken: Date
    /// The time on the device's clock, as sent.
    var device: DateTime?
    /// The time of reception as sent, in microseconds since 1970; nil if it was not sent.
    private(set) var received: Int64?
    /// True if ``taken`` follows from the device's clock; false if there is none, or the hub ignores it.
    private(set) var isClockUsed = false
    /// True if the hub may have ignored the clock when the reading was sent before: it was more than a day ahead.
    private(set) var mayHaveBeenAhead = false

    /// The time by which the clocks of a gateway and of the hub may differ, in seconds.
    static let tolerance = 300.0
    /// 1900-01-01, before which there are no readings.
    static let earliest = Date(timeIntervalSince1970: -2_208_988_800)

    /// Converts the device's time to true time.
    ///
    /// With the offset of the device's clock, true time is the device's time, read as UTC, minus the offset. Without
    /// it, and if that time would be after the reception, the device's clock is assumed to show the hub's wall time. A
    /// time more than a day in the future or before 2000, and a date that does not exist, indicate a clock that was
    /// never set: the time of reception replaces it. A time of reception in the future is replaced by the time of
    /// arrival: the state at the arrival includes every reading. A reading is not later than its reception: in the hour
    /// that is repeated when summer time ends, it has the last of the two times that is not, and if the device's clock
    /// is ahead, the time of reception. The time of reception is ignored if it is more than a day before the device's
    /// time.
    ///
    /// - Throws: ``ReadingProblem`` for a time or an offset that is invalid.
    init(_ reading: SubmittedReading, _ measurement: HealthMeasurement, arrived: Date, zone: TimeZone)
        throws(ReadingProblem)
    {
        var received = arrived
        if let text = reading.time {
            guard let time = Self.date(text) else {
                throw ReadingProblem("time is not an RFC 3339 time: '\(text.prefix(64))'")
            }
            guard time >= Self.earliest else {
                throw ReadingProblem("time is before 1900: '\(text.prefix(64))'")
            }
            received = min(time, arrived)
            self.received = Self.microseconds(time, fraction: Self.fraction(of: text))
        }
        device = measurement.deviceTime
        if device?.isComplete != true, let text = reading.deviceTime {
            guard let time = DateTime(text: text) else {
                throw ReadingProblem("deviceTime is not a time such as 2026-11-21T08:00:00: '\(text.prefix(64))'")
            }
            device = time
        }
        // 200 years, which includes clocks that start in 1900 or in 2000.
        if let offset = reading.clockOffset, !(abs(offset) < 6_400_000_000) {
            throw ReadingProblem("clockOffset is not a valid clock offset in seconds: \(offset)")
        }
        taken = received
        guard !measurement.isClockUnset, let device,
            let mapped = Self.time(of: device, clockOffset: reading.clockOffset, zone, received, arrived: arrived)
        else { return }
        isClockUsed = true
        mayHaveBeenAhead = reading.time == nil || mapped.timeIntervalSince(received) > 86400 - Self.tolerance
        // The clock of a gateway that is more than a day behind was never set.
        taken = min(mapped, mapped.timeIntervalSince(received) > 86400 ? arrived : received)
    }

    /// Returns the true time of a time on a device's clock; nil for a clock that was never set.
    /// - Parameter received: the time of reception, not after that of arrival.
    static func time(
        of device: DateTime, clockOffset: Double?, _ zone: TimeZone, _ received: Date, arrived: Date
    ) -> Date? {
        guard let wall = wall(device) else { return nil }
        func isSet(_ time: Date) -> Bool {
            time > Date(timeIntervalSince1970: 946_684_800) && time < arrived.addingTimeInterval(86400)
        }
        let plain = Self.time(ofWall: wall, in: zone, notAfter: received)
        guard let clockOffset else { return isSet(plain) ? plain : nil }
        let mapped = Date(timeIntervalSince1970: wall - clockOffset)
        let latest = received.addingTimeInterval(tolerance)
        // A record of the time before a change of the battery, when the clock had another offset, would be later than
        // its reception.
        if !isSet(mapped) || mapped > latest, isSet(plain), plain <= latest { return plain }
        return isSet(mapped) ? mapped : nil
    }

    /// Returns true if the time of a stored reading follows from the device's clock; false if it has none, or the hub
    /// ignored it. The device may also report that the clock was not set.
    static func isClockUsed(_ row: Row) -> Bool {
        guard let device = (row["device_time"] as String?).flatMap(DateTime.init(text:)) else { return false }
        let arrived = row.date("arrived")
        return time(of: device, clockOffset: row["clock_offset"], .current, arrived, arrived: arrived) != nil
    }

    /// Returns the seconds from 1970 to a wall time, read as UTC; nil for a date that does not exist.
    private static func wall(_ time: DateTime) -> Double? {
        // The seconds from 1970 to 2000.
        time.isValid ? time.secondsSince2000.map { Double($0) + 946_684_800 } : nil
    }

    /// Returns a wall time of the past, as text, in true time; nil for one that does not exist.
    static func time(ofPast text: String, in zone: TimeZone) -> Date? {
        DateTime(text: text).flatMap(wall).map { time(ofWall: $0, in: zone, notAfter: Date()) }
    }

    /// Returns the time that has a wall time, in seconds since 1970. When summer time ends two times have it: the
    /// second one is returned, unless it is after `received` by more than the tolerance. A wall time that is skipped
    /// when summer time begins is read with the offset before it.
    private static func time(ofWall wall: Double, in zone: TimeZone, notAfter received: Date) -> Date {
        let day = 86400.0
        let (before, after) = (wall - day, wall + day)
        let offsets = [before, after].map { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0)) }
        let times = offsets.map { Date(timeIntervalSince1970: wall - Double($0)) }
        let latest = received.addingTimeInterval(tolerance)
        let isSecond = zone.secondsFromGMT(for: times[1]) == offsets[1]
        let isFirst = zone.secondsFromGMT(for: times[0]) == offsets[0]
        return isSecond && (!isFirst || times[1] <= latest) ? times[1] : times[0]
    }

    /// Parses an RFC 3339 time, with or without fractions of a second; nil for a time that does not exist.
    static func date(_ text: String) -> Date? {
        if isValid(text), let date = parsed(text) { return date }
        // RFC 3339, 5.6: `t` and `z` may be lower case, and a space may separate date and time.
        var normal = text.trimmingCharacters(in: .whitespaces).uppercased()
        if let space = normal.firstIndex(of: " ") { normal.replaceSubrange(space...space, with: "T") }
        return normal != text && isValid(normal) ? parsed(normal) : nil
    }

    /// Returns false for a day, hour or minute that does not exist, which Foundation reads as a later one. A leap
    /// second is valid (RFC 3339, 5.7).
    private static func isValid(_ text: String) -> Bool {
        guard text.utf8.count >= 19, let year = UInt16(text.prefix(4)) else { return false }
        let seconds = text.dropFirst(17).prefix(2)
        // The calendar repeats after 400 years, and a Date Time begins in 1582.
        let time = "\(2000 + year % 400)\(text.dropFirst(4).prefix(13))\(seconds == "60" ? "59" : seconds)"
        guard DateTime(text: time) != nil else { return false }
        // The offset of the time zone: +09:00.
        guard let sign = text.dropFirst(19).lastIndex(where: { "+-".contains($0) }) else { return true }
        let parts = text[text.index(after: sign)...].split(separator: ":").compactMap { UInt8($0) }
        return parts.count == 2 && parts[0] < 24 && parts[1] < 60
    }

    private static func parsed(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }

    /// Returns the one form that all texts of an instant have: in UTC, with a fraction only if it is not 0.
    static func normalised(_ text: String) -> String {
        guard let date = date(text) else { return text }
        return Self.text(Int64(date.timeIntervalSince1970.rounded(.down)), fraction: fraction(of: text))
    }

    private static func text(_ seconds: Int64, fraction: Substring) -> String {
        let second = Date(seconds: seconds).formatted(.iso8601)
        return fraction.isEmpty ? second : second.dropLast() + ".\(fraction)Z"
    }

    /// Returns the digits of the fraction of a second, six at most as in the store, without trailing zeros.
    private static func fraction(of text: String) -> Substring {
        guard let point = text.firstIndex(of: ".") else { return "" }
        return trimmed(text[text.index(after: point)...].prefix { $0.isNumber }.prefix(6))
    }

    private static func trimmed(_ fraction: Substring) -> Substring {
        fraction.lastIndex { $0 != "0" }.map { fraction[...$0] } ?? ""
    }

    private static func microseconds(_ date: Date, fraction: Substring) -> Int64? {
        guard fraction.count <= 6, let digits = Int64("0" + fraction) else { return nil }
        let scale = (0..<6 - fraction.count).reduce(Int64(1)) { scale, _ in scale * 10 }
        return Int64(date.timeIntervalSince1970.rounded(.down)) * 1_000_000 + digits * scale
    }

    /// Returns the normalised text of a time in microseconds since 1970.
    static func text(microseconds: Int64) -> String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let floor = rest < 0 ? seconds - 1 : seconds
        let digits = String(microseconds - floor * 1_000_000 + 1_000_000).dropFirst()
        return text(floor, fraction: trimmed(digits))
    }
}
