import BluetoothProfiles
import Foundation

extension DateTime {
    /// Parses a time on a device's clock, such as "2026-11-21T08:00:00", "2026-11-21 08:00:00.000" or
    /// "2026-11-21T08:00"; a fraction and a time zone are ignored. Nil for a date that does not exist, and for years
    /// outside 1582 to 9999, the range of the Date Time characteristic (2A08).
    package init?(text: String) {
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
            let hour = UInt8(parts[3]), let minute = UInt8(parts[4]), let second = UInt8(parts[5])
        else { return nil }
        self.init(year, month, day, hour, minute, second)
        guard isValid else { return nil }
    }
}
