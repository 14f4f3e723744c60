import Foundation
import GRDB

/// Finds readings of a device without a clock that two gateways heard.
///
/// Nothing that the device sent tells such readings apart. Equal values that two gateways received within half a minute
/// are one; equal values of one gateway are two measurements.
struct ReadingTwins {
    private struct Planned {
        let key: Data
        let device, gateway, taken: Int64
        let value: [DatabaseValue]
    }

    /// The greatest difference of the times of reception, in seconds.
    private static let tolerance: Int64 = 30
    private let db: any StoreConnection
    private var planned: [Planned] = []

    init(_ db: any StoreConnection) { self.db = db }

    mutating func removePlanned() { planned = [] }

    /// Notes that a record will be written.
    mutating func plan(_ key: Data, _ record: PreparedReading.Record, device: Int64, gateway: Int64) {
        guard record.isWithoutClock else { return }
        planned.append(
            Planned(key: key, device: device, gateway: gateway, taken: record.seconds, value: record.value))
    }

    /// Returns the key of the same reading from another gateway; nil if there is none.
    func key(of record: PreparedReading.Record, device: Int64, owner: Int64?, gateway: Int64) throws -> Data? {
        guard record.isWithoutClock else { return nil }
        let (value, taken) = (record.value, record.seconds)
        let twin = planned.first {
            $0.device == device && $0.gateway != gateway && $0.value == value && abs($0.taken - taken) <= Self.tolerance
        }
        if let twin { return twin.key }
        return try db.value(
            """
            SELECT key FROM reading WHERE person_id \(owner == nil ? "IS NULL" : "= \(owner ?? 0)") AND kind = ?
            AND taken BETWEEN ? AND ? AND device_id = ? AND gateway_id <> ? AND device_time IS NULL
            AND coalesce(user_index, -1) = ? AND \(value[2].isNull ? "fields" : "raw") = ? ORDER BY id LIMIT 1
            """,
            [
                value[0], taken - Self.tolerance, taken + Self.tolerance, device, gateway,
                value[1].isNull ? (-1).databaseValue : value[1], value[2].isNull ? value[3] : value[2],
            ])
    }
}

extension PreparedReading.Record {
    /// The time of the measurement in the store.
    fileprivate var seconds: Int64 { Int64(taken.timeIntervalSince1970.rounded(.down)) }
    /// Kind, user index, octets and fields (``columnNames``).
    fileprivate var value: [DatabaseValue] { [0, 1, 8, 9].map { columns.values[$0] } }
}
