import BluetoothModel
import BluetoothProfiles
import Foundation
import GRDB

extension HubStore {
    /// The number of readings that are searched for urgent values at once.
    private static let page = 500

    /// The age up to which an urgent value that arrives late gives a notice, in seconds. A stamp that is further before
    /// the reception is not believed.
    private static let longestDelay: Int64 = 31 * 86400

    /// Returns the current notices: urgent values that were measured or have arrived in the last day, and a rapid
    /// weight gain.
    func notices(
        of person: Person, _ now: Date, _ zone: TimeZone, _ db: any StoreConnection
    ) throws -> [PersonState.Notice] {
        var notices = try urgent(of: person, now, zone, db)
        if person.reasonNotToJudge(at: now, in: zone) == nil, let notice = try weightGain(person.id, now, zone, db) {
            notices.append(notice)
        }
        guard !notices.isEmpty else { return [] }
        let seen = try Self.acknowledgements(of: person.id, db)
        for index in notices.indices {
            notices[index].acknowledged = seen["\(notices[index].code) \(notices[index].time)"]
        }
        return notices
    }

    /// The time of reception of a reading, as its gateway told it.
    private static let reception = "coalesce(received / 1000000, arrived)"

    /// The condition of a reading whose stamp is far before its reception: its clock may have been reset.
    static let isUncertain = "taken < \(reception) - \(longestDelay)"

    /// The candidates for an urgent notice: readings of the last days by their times, and those of uncertain time by
    /// their reception, unless the device sent a value of these days right after them (the plus lets SQLite look at
    /// the next identifiers, and not at all readings of the device). Arguments: person, kind, the times after which and
    /// until which readings were taken, the time after which they are new, and that after which those of uncertain time
    /// were received.
    private static let candidates = """
        SELECT taken AS told, reading.* FROM reading
        WHERE person_id = ?1 AND kind = ?2 AND taken > ?3 AND taken <= ?4 AND (taken > ?5 OR arrived > ?5)
        UNION ALL SELECT \(reception) AS told, reading.* FROM reading
        WHERE person_id = ?1 AND kind = ?2 AND arrived > ?5 AND \(isUncertain) AND \(reception) > ?6
        AND NOT EXISTS(
            SELECT 1 FROM reading AS next WHERE next.id > reading.id AND next.id <= reading.id + 1000
            AND +next.device_id = reading.device_id
            AND next.taken >= coalesce(next.received / 1000000, next.arrived) - \(longestDelay)
            AND coalesce(next.received / 1000000, next.arrived)
                <= coalesce(reading.received / 1000000, reading.arrived) + 60)
        """

    /// Returns the latest urgent value of each range. A later value in range does not revoke it.
    private func urgent(
        of person: Person, _ now: Date, _ zone: TimeZone, _ db: any StoreConnection
    ) throws -> [PersonState.Notice] {
        let end = Int64(now.timeIntervalSince1970)
        var notices: [PersonState.Notice] = []
        for search in assessor.urgentSearches(for: person, at: now, in: zone) {
            var codes: Set<String> = []
            var start = 0
            // Of a monitor, a month has too many values to search.
            let isFrequent = search.kind.isStreamed || search.kind == .continuousGlucose
            while codes.count < search.ruleCount {
                let rows = try db.rows(
                    """
                    SELECT told, taken, arrived, device_time, clock_offset, device_id, \(HealthMeasurement.columns)
                    FROM (\(Self.candidates)) AS candidate
                    WHERE (\(search.condition)) AND retracted IS NULL ORDER BY told DESC, id DESC
                    LIMIT \(Self.page) OFFSET ?7
                    """,
                    [
                        person.id, search.kind.rawValue, end - (isFrequent ? 86400 : Self.longestDelay), end + 86400,
                        end - 86400, end - Self.longestDelay, start,
                    ] + search.arguments)
                for row in rows {
                    let time = row.date("told")
                    guard let measurement = HealthMeasurement(row),
                        case .judged(let rule, let sentence) = assessor.judge(measurement, of: person, at: time),
                        rule.isUrgent, codes.insert(rule.id).inserted
                    else { continue }
                    let isUncertain = row["told"] as Int64 != row["taken"]
                    let delay = Int(end - Int64(time.timeIntervalSince1970)) / 86400
                    let late: HubText? =
                        isUncertain || delay == 0
                        ? nil
                        : delay == 1
                            ? "Measured 1 day ago, received late" : "Measured \(delay) days ago, received late"
                    let isUnknown = isUncertain || measurement.hasUnknownTime(row)
                    let texts: [HubText?] = [
                        sentence, late,
                        try Self.isShared(row["device_id"], by: person.id, db) ? "If this is yours" : nil,
                        isUnknown ? "Its time is unknown: measure again now" : nil, rule.action,
                    ]
                    notices.append(
                        PersonState.Notice(
                            code: rule.code, sentence: .joined(texts.compactMap { $0 }, by: ". "),
                            time: time.formatted(.iso8601), source: rule.source,
                            urgent: true))
                }
                if rows.count < Self.page { break }
                start += rows.count
            }
        }
        return notices
    }

    /// Returns true if another person uses the device: by an assignment, or because a reading was moved or excluded.
    private static func isShared(_ device: Int64, by person: Int64, _ db: any StoreConnection) throws -> Bool {
        try db.isTrue(
            """
            SELECT EXISTS(SELECT 1 FROM assignment WHERE device_id = ? AND person_id <> ?) OR EXISTS(
                SELECT 1 FROM decision JOIN reading ON reading.id = reading_id
                WHERE device_id = ? AND state <> 'accepted')
            """, [device, person, device])
    }

    /// Detects that the last weight, of the last 3 days, is more than 2 kg above one at most 3 calendar days before it,
    /// a warning sign of heart failure. People weigh themselves each morning, not at the same second.
    private func weightGain(
        _ person: Int64, _ now: Date, _ zone: TimeZone, _ db: any StoreConnection
    ) throws -> PersonState.Notice? {
        let end = Int64(now.timeIntervalSince1970)
        let rows = try db.rows(
            """
            SELECT taken, v1, \(HealthMeasurement.columns) FROM reading
            WHERE person_id = ? AND kind IN (?, ?) AND taken > ? AND taken <= ?
            AND v1 IS NOT NULL ORDER BY taken, id
            """,
            [
                person, MeasurementKind.weight.rawValue, MeasurementKind.bodyComposition.rawValue, end - 7 * 86400, end,
            ])
        let weights = rows.map { row in
            let taken: Int64 = row["taken"]
            let offset = zone.secondsFromGMT(for: Date(seconds: taken))
            return (taken: taken, day: (taken + Int64(offset)) / 86400, value: row["v1"] as Double)
        }
        guard let latest = weights.last, latest.taken > end - 3 * 86400 else { return nil }
        let last = latest.value
        let least = weights.filter { $0.day >= latest.day - 3 }.map(\.value).min() ?? last
        // In steps of 0.1 g: the difference of the doubles 64.9 and 62.9 is above 2.
        guard ((last - least) * 10_000).rounded() > 20_000 else { return nil }
        // A gain above the limit is not shown as the limit.
        let gain = max(2.01, ((last - least) * 100).rounded() / 100)
        var text: HubText = "\(gain) kg"
        let isInPounds = rows.last.flatMap { HealthMeasurement($0)?["weight"]?.unit } == "lb"
        if isInPounds, let pounds = Quantity("weight", Decimal(last - least), unit: "kg").text(in: "lb") {
            text = "\(digits: pounds) lb (\(text))"
        }
        let taken = Date(seconds: latest.taken)
        return PersonState.Notice(
            code: "weight-gain", sentence: "Weight: \(text) more within 3 days", time: taken.formatted(.iso8601),
            source: "McDonagh et al., 2021 ESC Guidelines for heart failure, Eur Heart J 2021;42:3599, table 9",
            urgent: false)
    }
}

extension HealthMeasurement {
    /// Returns true if the measurement has a time on the device's clock which the hub ignores.
    fileprivate func hasUnknownTime(_ row: Row) -> Bool {
        guard let device: String = row["device_time"], !device.contains("?") else { return isClockUnset }
        return isClockUnset || !ReadingTime.isClockUsed(row)
    }
}
