import Foundation
import GRDB

/// The query for the means of a kind of reading in the periods that end now, and of blood pressure by time of day. It
/// is one statement, because a server takes a round trip for each.
struct PeriodQuery {
    static let days = [7, 30, 90]
    /// The times of day of the last 30 days, with their hours.
    static let timesOfDay =
        [("morning", 4..<12), ("afternoon", 12..<18), ("evening", 18..<24), ("night", 0..<4)]
        as [(name: String, hours: Range<Int>)]

    /// The index in ``days`` of the period that ``timesOfDay`` divide.
    private static let dividedPeriod = 1

    private let kind: MeasurementKind
    private let sql: String

    /// - Parameter wall: an SQL expression for the wall time of a reading, in seconds.
    init(_ kind: MeasurementKind, wall: String) {
        self.kind = kind
        var selects = Self.days.indices.map { Self.select(kind, wall, period: $0, condition: "", hasEnds: true) }
        if kind == .bloodPressure {
            selects += Self.timesOfDay.map { _, hours in
                let (start, end) = (hours.lowerBound * 3600, hours.upperBound * 3600)
                let condition = "AND \(wall) % 86400 >= \(start) AND \(wall) % 86400 < \(end)"
                return Self.select(kind, wall, period: Self.dividedPeriod, condition: condition, hasEnds: false)
            }
        }
        sql = selects.enumerated().map { "SELECT \($0) AS number, \($1)" }.joined(separator: " UNION ALL ")
    }

    /// The rest of a SELECT of one period. Its arguments are the person, the kind, the end, and the starts of ``days``.
    private static func select(
        _ kind: MeasurementKind, _ wall: String, period: Int, condition: String, hasEnds: Bool
    ) -> String {
        let start = "?\(4 + period)"
        // A body composition has a fat content, and perhaps a weight, of which trend and change are.
        let isComposition = kind == .bodyComposition
        let hasValue = isComposition ? "(v1 IS NOT NULL OR v3 IS NOT NULL)" : "v1 IS NOT NULL"
        let ofWeights = isComposition ? " FILTER (WHERE v1 IS NOT NULL)" : ""
        let readings = """
            FROM reading WHERE person_id = ?1 AND kind = ?2 AND taken > \(start) AND taken <= ?3
            AND \(hasValue) \(condition)
            """
        // Days are counted from the start of the period, which keeps the sums of squares exact.
        let day = "(CAST(taken - \(start) AS DOUBLE PRECISION) / 86400)"
        let ends = ["taken, id", "taken DESC, id DESC"].map { order in
            hasEnds ? "(SELECT v1 \(readings) AND v1 IS NOT NULL ORDER BY \(order) LIMIT 1)" : "NULL"
        }
        return """
            count(*) AS n, count(v1) AS n1, count(v2) AS n2, count(v3) AS n3,
            avg(v1) AS m1, avg(v2) AS m2, avg(v3) AS m3,
            count(DISTINCT \(wall) / 86400) AS days, min(taken)\(ofWeights) AS first, max(taken)\(ofWeights) AS last,
            coalesce(sum(\(day))\(ofWeights), 0.0) AS sx, coalesce(sum(v1), 0.0) AS sy,
            coalesce(sum(\(day) * v1), 0.0) AS sxy, coalesce(sum(\(day) * \(day))\(ofWeights), 0.0) AS sxx,
            \(ends[0]) AS first_value, \(ends[1]) AS last_value \(readings)
            """
    }

    /// Returns the periods of ``days``, and for blood pressure those of ``timesOfDay``.
    func read(of person: Int64, _ now: Date, _ db: any StoreConnection) throws -> [PersonState.Period] {
        let end = Int64(now.timeIntervalSince1970)
        let starts = Self.days.map { end - Int64($0) * 86400 }
        let rows = try db.rows(sql, [person, kind.rawValue, end] + StoreArguments(starts))
        // SQL does not promise the order of the parts of a union.
        return rows.sorted { ($0["number"] as Int) < $1["number"] }.enumerated().map { index, row in
            period(row, days: Self.days[index < Self.days.count ? index : Self.dividedPeriod])
        }
    }

    private func period(_ row: Row, days: Int) -> PersonState.Period {
        let count: Int = row["n"]
        var period = PersonState.Period(days: days, count: count, daysWithReadings: row["days"], mean: [:])
        for (name, (column, number)) in zip(kind.storedQuantities, [("m1", "n1"), ("m2", "n2"), ("m3", "n3")]) {
            guard let mean: Double = row[column] else { continue }
            period.mean[name] = (mean * 100).rounded() / 100
            period.counts[name] = row[number] as Int
        }
        let mains: Int = row["n1"]
        if let first: Int64 = row["first"], let last: Int64 = row["last"], last - first >= 2 * 86400 {
            let (n, sx, sy): (Double, Double, Double) = (Double(mains), row["sx"], row["sy"])
            let spread = n * (row["sxx"] as Double) - sx * sx
            if spread > 0 {
                period.trendPerDay = ((n * (row["sxy"] as Double) - sx * sy) / spread * 1000).rounded() / 1000
            }
        }
        if mains > 1, let first: Double = row["first_value"], let last: Double = row["last_value"] {
            period.change = ((last - first) * 100).rounded() / 100
        }
        return period
    }
}
