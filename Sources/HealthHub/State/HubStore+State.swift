#if Programs
import BluetoothModel
import BluetoothProfiles
import Foundation
import GRDB

extension HubStore {
    /// Returns the state of a person at `now`; nil for an unknown person.
    /// - Throws: `DatabaseError`.
    package func state(of id: Int64, now: Date = Date(), zone: TimeZone = .current) throws -> PersonState? {
        try database.read { db in
            guard let person = try Self.person(id, db) else { return nil }
            let latest = try latest(of: person, db)
            var summaries: [String: PersonState.Summary] = [:]
            for reading in latest {
                guard let kind = ReadingKind(name: reading.kind), !kind.storedQuantities.isEmpty else { continue }
                summaries[reading.kind] = try summary(kind, of: person, latest: reading, now, zone, db)
            }
            let notices = try notices(of: person, now, db)
            let counted = try counted(of: person, latest, db)
            return PersonState(
                person: String(id), name: person.name, latest: latest, summaries: summaries,
                continuousGlucose: try GlucoseStatistics.read(person, now: now, db), notices: notices,
                targets: Self.targets(of: person, counted), overdue: Self.overdue(person, counted, now))
        }
    }

    private static func targets(
        of person: Person, _ counted: [PersonState.LatestReading]
    ) -> [PersonState.TargetState] {
        person.settings.targets.map { target in
            let values = counted.sorted { $0.time > $1.time }.compactMap { $0.values[target.quantity] }
            let value = values.first { $0.unit == target.unit && $0.value != nil }?.value
            return PersonState.TargetState(
                quantity: target.quantity, text: target.text, value: value, outcome: value.map(target.outcome))
        }
    }

    private static func overdue(
        _ person: Person, _ counted: [PersonState.LatestReading], _ now: Date
    ) -> [PersonState.Overdue] {
        person.settings.every.sorted { $0.key < $1.key }.compactMap { kind, days in
            let last = counted.first { $0.kind == kind }?.time
            let due = last.flatMap(ReadingTime.date)?.addingTimeInterval(days * 86400)
            if let due, due > now { return nil }
            return PersonState.Overdue(kind: kind, everyDays: days, last: last, due: due?.formatted(.iso8601))
        }
    }

    /// Returns the latest reading of each kind. A reading without the main quantity of its kind, such as a height
    /// without a weight, is none: only a kind whose last reading is one needs a second query.
    private func latest(of person: Person, _ db: any StoreConnection) throws -> [PersonState.LatestReading] {
        try ReadingKind.allCases.compactMap { kind in
            let reading = try latest(kind, of: person, db)
            guard let values = reading?.values, let main = kind.mainQuantity, values[main.name] == nil else {
                return reading
            }
            return try latest(kind, of: person, condition: "AND \(main.column) IS NOT NULL", db)
        }
    }

    /// Returns the latest reading of each kind that counts and whose main quantity is a number. Only a kind whose
    /// latest reading is no such reading needs a query.
    private func counted(
        of person: Person, _ latest: [PersonState.LatestReading], _ db: any StoreConnection
    ) throws -> [PersonState.LatestReading] {
        guard !person.settings.targets.isEmpty || !person.settings.every.isEmpty else { return [] }
        return try latest.compactMap { reading -> PersonState.LatestReading? in
            guard let main = ReadingKind(name: reading.kind)?.mainQuantity else {
                return reading.counted ? reading : nil
            }
            if reading.counted, reading.values[main.name]?.value != nil { return reading }
            // Readings that do not count have no values for statistics.
            let earlier = try self.latest(main.kind, of: person, condition: "AND \(main.column) IS NOT NULL", db)
            return earlier?.counted == true ? earlier : nil
        }
    }

    /// Returns the latest reading of a kind that meets a condition; nil if there is none.
    private func latest(
        _ kind: ReadingKind, of person: Person, condition: String = "", _ db: any StoreConnection
    ) throws -> PersonState.LatestReading? {
        let row = try db.row(
            """
            SELECT id, taken, simulated, \(HealthMeasurement.columns) FROM reading
            WHERE person_id = ? AND kind = ? \(condition) ORDER BY taken DESC, id DESC LIMIT 1
            """, [person.id, kind.rawValue])
        guard let row, let measurement = HealthMeasurement(row) else { return nil }
        let taken = Date(timeIntervalSince1970: Double(row["taken"] as Int64))
        var values: [String: PersonState.StateQuantity] = [:]
        for quantity in measurement.quantities {
            values[quantity.name] = PersonState.StateQuantity(
                value: quantity.value, special: quantity.value == nil ? quantity.text : nil, unit: quantity.unit)
        }
        return PersonState.LatestReading(
            id: String(row["id"] as Int64), kind: kind.name, time: taken.formatted(.iso8601),
            text: measurement.text, values: values, simulated: row["simulated"],
            judgement: assessor.judge(measurement, of: person, at: taken), counted: measurement.isCounted)
    }

    // MARK: Means

    private func summary(
        _ kind: ReadingKind, of person: Person, latest: PersonState.LatestReading, _ now: Date, _ zone: TimeZone,
        _ db: any StoreConnection
    ) throws -> PersonState.Summary {
        let wall = Self.wallTime(in: zone, from: now - 90 * 86400, to: now)
        let periods = try [7, 30, 90].map { days in try Self.period(kind, person.id, days: days, now, wall, db) }
        var summary = PersonState.Summary(unit: Self.unit(of: kind), periods: periods)
        if kind == .bloodPressure {
            (summary.mean, summary.verdict) = try verdict(periods[0], of: person, latest: latest, now, wall, db)
            var parts: [String: PersonState.Period] = [:]
            for (name, hours) in [("morning", 4..<12), ("afternoon", 12..<18), ("evening", 18..<24), ("night", 0..<4)] {
                let part = try Self.period(kind, person.id, days: 30, now, wall, db, hours: hours)
                if part.count > 0 { parts[name] = part }
            }
            summary.byTimeOfDay = parts
        }
        return summary
    }

    private static func unit(of kind: ReadingKind) -> String {
        switch kind {
        case .bloodPressure: "mmHg"
        case .glucose, .continuousGlucose: "mg/dL"
        case .weight, .bodyComposition: "kg"
        case .temperature: "°C"
        case .oxygenSaturation: "%"
        case .heartRate: "bpm"
        case .other: ""
        }
    }

    /// Returns an SQL expression for the wall time of a reading, in seconds, which follows changes of summer time.
    private static func wallTime(in zone: TimeZone, from start: Date, to end: Date) -> String {
        var (cases, time) = ("", start)
        while let next = zone.nextDaylightSavingTimeTransition(after: time), next > time, next < end {
            cases += " WHEN taken < \(Int64(next.timeIntervalSince1970)) THEN \(zone.secondsFromGMT(for: time))"
            time = next
        }
        let last = zone.secondsFromGMT(for: time)
        return cases.isEmpty ? "(taken + \(last))" : "(taken + CASE\(cases) ELSE \(last) END)"
    }

    private static func period(
        _ kind: ReadingKind, _ person: Int64, days: Int, _ now: Date, _ wall: String, _ db: any StoreConnection,
        hours: Range<Int>? = nil
    ) throws -> PersonState.Period {
        let end = Int64(now.timeIntervalSince1970)
        let condition = hours == nil ? "" : "AND \(wall) % 86400 >= ?5 AND \(wall) % 86400 < ?6"
        // Days are counted from the start of the period, which keeps the sums of squares exact.
        let day = "(CAST(taken - ?3 AS DOUBLE PRECISION) / 86400)"
        let start = end - Int64(days) * 86400
        var arguments: StoreArguments = [person, kind.rawValue, start, end]
        if let hours { arguments = arguments + [hours.lowerBound * 3600, hours.upperBound * 3600] }
        let row = try db.row(
            """
            SELECT count(v1) AS n, avg(v1) AS m1, avg(v2) AS m2, avg(v3) AS m3,
            count(DISTINCT \(wall) / 86400) AS days, min(taken) AS first, max(taken) AS last,
            coalesce(sum(\(day)), 0.0) AS sx, coalesce(sum(v1), 0.0) AS sy,
            coalesce(sum(\(day) * v1), 0.0) AS sxy, coalesce(sum(\(day) * \(day)), 0.0) AS sxx
            FROM reading WHERE person_id = ?1 AND kind = ?2 AND taken > ?3 AND taken <= ?4
            AND v1 IS NOT NULL \(condition)
            """, arguments)
        guard let row else { return PersonState.Period(days: days, count: 0, daysWithReadings: 0, mean: [:]) }
        let count: Int = row["n"]
        var period = PersonState.Period(days: days, count: count, daysWithReadings: row["days"], mean: [:])
        for (name, column) in zip(kind.storedQuantities, ["m1", "m2", "m3"]) {
            if let mean: Double = row[column] { period.mean[name] = (mean * 100).rounded() / 100 }
        }
        if let first: Int64 = row["first"], let last: Int64 = row["last"], last - first >= 2 * 86400 {
            let (n, sx, sy): (Double, Double, Double) = (Double(count), row["sx"], row["sy"])
            let spread = n * (row["sxx"] as Double) - sx * sx
            if spread > 0 {
                period.trendPerDay = ((n * (row["sxy"] as Double) - sx * sy) / spread * 1000).rounded() / 1000
            }
        }
        if count > 1 {
            let ends = try db.row(
                """
                SELECT (SELECT v1 FROM reading WHERE person_id = ?1 AND kind = ?2 AND taken > ?3
                AND taken <= ?4 AND v1 IS NOT NULL ORDER BY taken, id LIMIT 1) AS first,
                (SELECT v1 FROM reading WHERE person_id = ?1 AND kind = ?2 AND taken > ?3
                AND taken <= ?4 AND v1 IS NOT NULL ORDER BY taken DESC, id DESC LIMIT 1) AS last
                """, [person, kind.rawValue, start, end])
            if hours == nil, let first: Double = ends?["first"], let last: Double = ends?["last"] {
                period.change = ((last - first) * 100).rounded() / 100
            }
        }
        return period
    }

    /// Returns the mean of complete readings as text, and the verdict on it. A verdict requires readings on at least
    /// three days (ESC 2024, section 5.2: home blood pressure).
    private func verdict(
        _ period: PersonState.Period, of person: Person, latest: PersonState.LatestReading, _ now: Date, _ wall: String,
        _ db: any StoreConnection
    ) throws -> (mean: String?, Judgement) {
        let end = Int64(now.timeIntervalSince1970)
        let start = end - Int64(period.days) * 86400
        guard period.count > 0 else {
            let time = ReadingTime.date(latest.time).map { Int64($0.timeIntervalSince1970) } ?? 0
            guard time > start, time <= end, case .notJudged(let reason) = latest.judgement else {
                return (nil, .notJudged(reason: "no reading in the last \(period.days) days"))
            }
            return (nil, .notJudged(reason: "no reading of the last \(period.days) days counts; the latest: \(reason)"))
        }
        let row = try db.row(
            """
            SELECT avg(v1) AS systolic, avg(v2) AS diastolic, count(DISTINCT \(wall) / 86400) AS days,
            min(coalesce(unit, 0)) AS unit FROM reading
            WHERE person_id = ? AND kind = ? AND taken > ? AND taken <= ? AND v1 IS NOT NULL AND v2 IS NOT NULL
            """, [person.id, ReadingKind.bloodPressure.rawValue, start, end])
        guard let row, let systolic: Double = row["systolic"], let diastolic: Double = row["diastolic"] else {
            return (nil, .notJudged(reason: "diastolic is missing in all readings of the last \(period.days) days"))
        }
        let mean = HealthMeasurement(
            kind: .bloodPressure,
            quantities: [("systolic", systolic), ("diastolic", diastolic)].map { name, mean in
                Self.rounded(mean, name, isInKilopascals: (row["unit"] as Int?) == 1)
            })
        if let reason = person.reasonNotToJudge(at: now) { return (mean.text, .notJudged(reason: reason)) }
        let days: Int = row["days"]
        guard days >= 3 else {
            let reason = "an assessment requires readings on 3 days of the last 7; there are \(days)"
            return (mean.text, .notJudged(reason: reason))
        }
        guard case .judged(let rule, let sentence) = assessor.judge(mean, of: person, at: now) else {
            return (mean.text, assessor.judge(mean, of: person, at: now))
        }
        return (mean.text, .judged(rule, sentence: "mean of 7 days " + sentence))
    }

    /// Returns a mean pressure, rounded once to the digits of the limits: guidelines classify whole millimetres of
    /// mercury, and the limits in kPa have one decimal.
    /// - Parameters:
    ///   - mean: in mmHg.
    ///   - isInKilopascals: true if all readings were sent in kPa.
    private static func rounded(_ mean: Double, _ name: String, isInKilopascals: Bool) -> Quantity {
        guard isInKilopascals else {
            return Quantity(name, Decimal(mean.rounded()), text: "\(Int(mean.rounded()))", unit: "mmHg")
        }
        // The conversion to mmHg and back leaves a difference in the last binary digits.
        let tenths = Int((mean / Quantity.millimetresPerKilopascal * 10 + 1e-9).rounded())
        return Quantity(
            name, Decimal(sign: .plus, exponent: -1, significand: Decimal(tenths)),
            text: "\(tenths / 10).\(tenths % 10)", unit: "kPa")
    }
}

extension ReadingKind {
    /// The quantity that a reading of the kind must have to be its latest value, with its column; nil for a kind
    /// without columns.
    fileprivate var mainQuantity: (name: String, kind: ReadingKind, column: String)? {
        guard let name = mainQuantities.first, let index = storedQuantities.firstIndex(of: name) else { return nil }
        return (name, self, "v\(index + 1)")
    }
}

extension HealthMeasurement {
    /// The columns of a reading from which its measurement is decoded.
    static let columns = "characteristic, raw, fields, sequence"

    /// Decodes the measurement of a stored reading from ``columns``, with the digits of the device.
    init?(_ row: Row) {
        var reading = SubmittedReading()
        reading.characteristic = row["characteristic"]
        if let raw: Data = row["raw"] { reading.hex = raw.hexText() }
        if let text: String = row["fields"] {
            reading.fields = try? JSONDecoder().decode([String: FieldNode].self, from: Data(text.utf8))
        }
        let sequence: Int? = row["sequence"]
        guard let all = try? HealthMeasurement.decode(reading, isStored: true),
            let one = all.count == 1 ? all.first : all.first(where: { $0.sequenceNumber == sequence })
        else { return nil }
        self = one
    }
}
#endif
