import Foundation
import GRDB

extension Date {
    /// - Parameter seconds: the seconds since 1970, as the store has them.
    init(seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }
}

extension Row {
    func date(_ column: String) -> Date { Date(seconds: self[column]) }

    /// The time in a column (RFC 3339).
    func time(_ column: String) -> String { date(column).formatted(.iso8601) }
}
