import Foundation
import GRDB

/// The latest values for the targets of a person.
extension HubStore {
    /// The number of the latest readings of a kind in which the value for a target is searched.
    private static let searchedReadings = 2000
    /// The number of these that are decoded.
    private static let decodedReadings = 100

    /// Returns the latest value in the unit of a target; nil if there is none. Values are not converted, because limits
    /// are not.
    /// - Parameter counted: the latest reading of each kind that counts.
    func latestValue(
        for target: PersonSettings.Target, of person: Person, _ counted: [PersonState.LatestReading],
        _ db: any StoreConnection
    ) throws -> Decimal? {
        let kinds = counted.sorted { $0.time > $1.time }.compactMap { reading in
            MeasurementKind.named(reading.kind).flatMap { kind in
                kind.condition(of: target, height: person.settings.height).map {
                    (kind: kind, condition: $0, reading: reading)
                }
            }
        }
        if let quantity = kinds.first?.reading.values[target.quantity], quantity.unit == target.unit,
            let value = quantity.value, !Quantity(target.quantity, value, unit: target.unit).isUnknown
        {
            return value
        }
        // The latest reading has another unit, or lacks the quantity.
        var latest: (taken: Int64, value: Decimal)?
        for (kind, condition, _) in kinds {
            let rows = try db.rows(
                """
                SELECT * FROM (SELECT id, taken, v1, v2, v3, unit, \(HealthMeasurement.columns) FROM reading
                    WHERE person_id = ? AND kind = ? AND retracted IS NULL ORDER BY taken DESC, id DESC LIMIT ?)
                AS latest WHERE \(condition) ORDER BY taken DESC, id DESC LIMIT ?
                """, [person.id, kind.rawValue, Self.searchedReadings, Self.decodedReadings])
            for row in rows {
                let taken: Int64 = row["taken"]
                if let latest, latest.taken >= taken { break }
                guard let measurement = HealthMeasurement(row)?.withBodyMassIndex(height: person.settings.height),
                    measurement.isCounted, let quantity = measurement[target.quantity], quantity.unit == target.unit,
                    !quantity.isUnknown,
                    let value = quantity.value
                else { continue }
                latest = (taken, value)
                break
            }
        }
        return latest?.value
    }
}

extension MeasurementKind {
    /// Returns the SQL condition of the readings of the kind that may have a value for a target; nil if the kind does
    /// not have the quantity.
    /// - Parameter height: the height of the person, from which a body mass index is computed.
    fileprivate func condition(of target: PersonSettings.Target, height: Decimal?) -> String? {
        guard let column = column(of: target.quantity), let quantity = QuantityKind[target.quantity] else { return nil }
        let isPresent = "\(column) IS NOT NULL"
        if target.quantity == "bmi", self == .weight, height != nil { return "(v1 IS NOT NULL OR \(isPresent))" }
        guard quantity.recordsUnit else { return isPresent }
        return isPresent + " AND coalesce(unit, 0) = \(target.unit == quantity.canonicalUnit ? 0 : 1)"
    }
}
