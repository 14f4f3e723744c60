import Foundation
import GRDB

extension HubStore {
    /// Computes the values for statistics of stored readings again, by the present rules: readings that are not judged
    /// have none, units are converted, and the unit of a pressure or a glucose value is recorded.
    static func updateStatistics(_ db: any StoreConnection) throws {
        let kinds = MeasurementKind.allCases.filter { !$0.storedQuantities.isEmpty }
        var changes: [StoreArguments] = []
        // A value of a kind without a status can only be changed by its fields.
        try db.forEachRow(
            """
            SELECT id, kind, \(HealthMeasurement.columns), v1, v2, v3, unit FROM reading
            WHERE kind IN (\(kinds.map { String($0.rawValue) }.joined(separator: ",")))
            AND (v1 IS NOT NULL OR v2 IS NOT NULL OR v3 IS NOT NULL)
            """, []
        ) { row in
            guard let measurement = HealthMeasurement(row) else { return }
            let stored: [Double?] = [row["v1"], row["v2"], row["v3"], row["unit"]]
            let values = measurement.statisticsColumns
            let unit: Int64? = measurement.isInSIUnits ? 1 : nil
            guard zip(stored, values + [unit.map(Double.init)]).contains(where: { !isEqual($0, $1) }) else { return }
            changes.append([values[0], values[1], values[2], unit, row["id"] as Int64])
        }
        try db.runAll("UPDATE reading SET v1 = ?, v2 = ?, v3 = ?, unit = ? WHERE id = ?", changes)
    }

    private static func isEqual(_ first: Double?, _ second: Double?) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return abs(first - second) <= abs(first) * 1e-9
    }
}

extension HealthMeasurement {
    /// The values of the columns `v1` to `v3`: those of a reading that does not count are nil.
    var statisticsColumns: [Double?] {
        let values = isCounted ? statistics : []
        return values + Array(repeating: nil, count: 3 - values.count)
    }
}
