#if Programs
import Foundation
import GRDB

/// Statistics of continuous glucose monitoring over 14 days.
enum GlucoseStatistics {
    /// The statistics require 14 days with at least 70 % of the values (Battelino et al., Diabetes Care 2019;42:1593).
    private static let days = 14
    private static let neededCoverage = 70.0
    /// The shortest and the longest interval of a monitor, in seconds.
    private static let intervals: ClosedRange<Int64> = 60...900

    /// Returns the statistics of a person; nil if there is no value in the period. Values of a person who is not judged
    /// are not compared with the ranges; the statistics have the reason.
    static func read(_ person: Person, now: Date, _ db: any StoreConnection) throws -> PersonState.Glucose? {
        let end = Int64(now.timeIntervalSince1970)
        // `v1` is in mg/dL; a value that was sent in mmol/L is compared with the borders of that unit.
        let value = "CASE WHEN unit = 1 THEN round(CAST(v1 / 18.016 AS NUMERIC), 4) ELSE v1 END"
        func border(_ milligrams: String, _ millimoles: String) -> String {
            "CASE WHEN unit = 1 THEN \(millimoles) ELSE \(milligrams) END"
        }
        let row = try db.row(
            """
            SELECT count(*) AS n, avg(v1) AS mean, avg(v1 * v1) AS squares,
            count(*) FILTER (WHERE \(value) < \(border("54", "3.0"))) AS veryLow,
            count(*) FILTER (WHERE \(value) < \(border("70", "3.9"))) AS low,
            count(*) FILTER (WHERE \(value) > \(border("180", "10.0"))) AS high,
            count(*) FILTER (WHERE \(value) > \(border("250", "13.9"))) AS veryHigh
            FROM reading WHERE person_id = ? AND kind = ? AND taken > ? AND taken <= ? AND v1 IS NOT NULL
            """, [person.id, ReadingKind.continuousGlucose.rawValue, end - Int64(days) * 86400, end])
        guard let row, let count: Int = row["n"], count > 0, let mean: Double = row["mean"],
            let squares: Double = row["squares"]
        else { return nil }
        let times = try db.rows(
            """
            SELECT device_id, taken FROM reading
            WHERE person_id = ? AND kind = ? AND taken > ? AND taken <= ? AND v1 IS NOT NULL ORDER BY taken
            """, [person.id, ReadingKind.continuousGlucose.rawValue, end - Int64(days) * 86400, end])
        let covered = covered(times.map { ($0["device_id"], $0["taken"]) })
        // In tenths of a percent, not rounded up: 69.96 % are not 70 %.
        let coverage = Double(min(1000, covered * 1000 / Int64(days * 86400))) / 10
        var glucose = PersonState.Glucose(days: days, count: count, coverage: coverage)
        if let reason = person.reasonNotToJudge(at: now) {
            glucose.reason = reason
            return glucose
        }
        guard coverage >= neededCoverage else {
            glucose.reason = "14 days with at least 70 % of the values are required; there are \(coverage) %"
            return glucose
        }
        let share = { (count: Double) in rounded(count / Double(row["n"] as Int) * 100, 10) }
        let (veryLow, low): (Double, Double) = (row["veryLow"], row["low"])
        let (high, veryHigh): (Double, Double) = (row["high"], row["veryHigh"])
        glucose.mean = rounded(mean, 10)
        glucose.timeInRanges = [
            "veryLow": share(veryLow), "low": share(low - veryLow), "inRange": share(Double(count) - low - high),
            "high": share(high - veryHigh), "veryHigh": share(veryHigh),
        ]
        glucose.coefficientOfVariation = rounded(max(0, squares - mean * mean).squareRoot() / mean * 100, 10)
        glucose.gmi = rounded(3.31 + 0.02392 * mean, 100)
        return glucose
    }

    /// Returns the seconds that values cover. A value covers the usual interval of its monitor, which is the median of
    /// the intervals between its values, or the time to the next value if that is earlier or about the same.
    /// - Parameter values: device and time of each value, by time.
    static func covered(_ values: [(device: Int64, taken: Int64)]) -> Int64 {
        var last: [Int64: Int64] = [:]
        var gaps: [Int64: [Int64]] = [:]
        for (device, taken) in values {
            if let earlier = last[device], taken > earlier { gaps[device, default: []].append(taken - earlier) }
            last[device] = taken
        }
        let usual = gaps.mapValues { gaps in
            min(max(gaps.sorted()[gaps.count / 2], intervals.lowerBound), intervals.upperBound)
        }
        var sum: Int64 = 0
        for (index, value) in values.enumerated() {
            // One value alone does not show an interval.
            let interval = usual[value.device] ?? 300
            let gap = index + 1 < values.count ? values[index + 1].taken - value.taken : interval
            sum += gap <= interval + interval / 2 ? gap : interval
        }
        return sum
    }

    private static func rounded(_ value: Double, _ steps: Double) -> Double { (value * steps).rounded() / steps }
}
#endif
