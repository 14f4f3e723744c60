import Foundation

extension Date {
    /// The time in the format of RFC 3339, in UTC with milliseconds: "2026-11-22T05:01:44.250Z".
    var timestamp: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
