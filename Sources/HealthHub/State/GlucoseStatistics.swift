import Foundation
import GRDB

/// Statistics of continuous glucose monitoring over 14 days.
enum GlucoseStatistics {
    /// The statistics require 14 days with at least 70 % of the values (Battelino et al., Diabetes Care 2019;42:1593).
    private static let days = 14
    private static let neededCoverage = 70.0
    /// The shortest and the longest interval of a monitor, in seconds.
    private static let intervals: ClosedRange<Int64> = 60...900

    /// The number of intervals of a day that show the usual one; those of other days are the usual ones of the monitor.
    private static let smallestDay = 12

    /// Returns the statistics of a person; nil if there is no value in the period. Values of a person who is not judged
    /// are not compared with the ranges; the statistics have the reason.
    static func read(
        _ person: Person, now: Date, _ zone: TimeZone, _ db: any StoreConnection
    ) throws -> PersonState.Glucose? {
        let end = Int64(now.timeIntervalSince1970)
        let rows = try db.rows(
            """
            SELECT device_id, taken, v1, unit FROM reading
            WHERE person_id = ? AND kind = ? AND taken > ? AND taken <= ? ORDER BY taken
            """, [person.id, MeasurementKind.continuousGlucose.rawValue, end - Int64(days) * 86400, end])
        // Values that do not count show the interval of the monitor, and end the time of the value before.
        let (values, times) = zip(rows, covered(rows.map { ($0["device_id"], $0["taken"]) }))
            .filter { $0.0["v1"] as Double? != nil }.reduce(into: ([Row](), [Int64]())) { all, next in
                all.0.append(next.0)
                all.1.append(next.1)
            }
        guard !values.isEmpty else { return nil }
        let covered = times.reduce(0, +)
        // In tenths of a percent, not rounded up: 69.96 % are not 70 %.
        let coverage = Double(min(1000, covered * 1000 / Int64(days * 86400))) / 10
        var glucose = PersonState.Glucose(days: days, count: values.count, coverage: coverage)
        if let reason = person.reasonNotToJudge(at: now, in: zone) {
            glucose.reason = reason
            return glucose
        }
        guard coverage >= neededCoverage else {
            glucose.reason = "14 days with at least 70 % of the values are required; there are \(coverage) %"
            return glucose
        }
        var (sum, squares) = (0.0, 0.0)
        var seconds = Dictionary(uniqueKeysWithValues: ranges.map { ($0, Int64(0)) })
        for (row, time) in zip(values, times) {
            // Each value counts for its time: monitors send values at different intervals.
            let value: Double = row["v1"]
            sum += value * Double(time)
            squares += value * value * Double(time)
            seconds[range(of: value, isInMillimoles: row["unit"] as Int? == 1), default: 0] += time
        }
        let mean = sum / Double(covered)
        glucose.mean = rounded(mean, 10)
        glucose.timeInRanges = seconds.mapValues { rounded(Double($0) / Double(covered) * 100, 10) }
        glucose.coefficientOfVariation = rounded(
            max(0, squares / Double(covered) - mean * mean).squareRoot() / mean * 100, 10)
        glucose.gmi = rounded(3.31 + 0.02392 * mean, 100)
        return glucose
    }

    private static let ranges = ["veryLow", "low", "inRange", "high", "veryHigh"]

    /// Returns the range of a value (Battelino et al., Diabetes Care 2019;42:1593).
    /// - Parameter value: in mg/dL; a value that was sent in mmol/L is compared with the borders of that unit.
    private static func range(of value: Double, isInMillimoles: Bool) -> String {
        let value = isInMillimoles ? rounded(MeasurementUnit["mmol/L"]?.number(value) ?? value, 10_000) : value
        let (veryLow, low, high, veryHigh) = isInMillimoles ? (3.0, 3.9, 10.0, 13.9) : (54.0, 70.0, 180.0, 250.0)
        if value < veryLow { return "veryLow" }
        if value < low { return "low" }
        if value <= high { return "inRange" }
        return value <= veryHigh ? "high" : "veryHigh"
    }

    /// Returns the seconds that each value covers: the usual interval of its monitor, or the time to the next value if
    /// that is earlier or about the same.
    ///
    /// The usual interval is the lower quartile of the intervals between the values of a day, because it can be
    /// changed. Lost values only make intervals longer: the median would be twice the interval of a monitor of which
    /// half of the values are lost.
    /// - Parameter values: device and time of each value, by time.
    static func covered(_ values: [(device: Int64, taken: Int64)]) -> [Int64] {
        struct DeviceDay: Hashable { let device, day: Int64 }
        var last: [Int64: Int64] = [:]
        var gaps: [Int64: [Int64]] = [:]
        var dailyGaps: [DeviceDay: [Int64]] = [:]
        for (device, taken) in values {
            if let earlier = last[device], taken > earlier {
                gaps[device, default: []].append(taken - earlier)
                dailyGaps[DeviceDay(device: device, day: taken / 86400), default: []].append(taken - earlier)
            }
            last[device] = taken
        }
        func usual(_ gaps: [Int64]) -> Int64 {
            min(max(gaps.sorted()[gaps.count / 4], intervals.lowerBound), intervals.upperBound)
        }
        let usualOfDevice = gaps.mapValues(usual)
        let usualOfDay = dailyGaps.filter { $0.value.count >= smallestDay }.mapValues(usual)
        return values.enumerated().map { index, value in
            // One value alone does not show an interval.
            let interval =
                usualOfDay[DeviceDay(device: value.device, day: value.taken / 86400)] ?? usualOfDevice[value.device]
                ?? 300
            let gap = index + 1 < values.count ? values[index + 1].taken - value.taken : interval
            return gap <= interval + interval / 2 ? gap : interval
        }
    }

    private static func rounded(_ value: Double, _ steps: Double) -> Double { (value * steps).rounded() / steps }
}
