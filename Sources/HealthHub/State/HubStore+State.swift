import BluetoothModel
import BluetoothProfiles
import Foundation
import GRDB
import JSON

extension HubStore {
    /// Returns the state of a person at `now`; nil for an unknown person.
    package func state(of id: Int64, now: Date = Date(), zone: TimeZone = .current) throws -> PersonState? {
        try database.read { db in
            guard let person = try Self.person(id, db) else { return nil }
            let latest = try latest(of: person, db)
            var summaries: [String: PersonState.Summary] = [:]
            for reading in latest {
                guard let kind = MeasurementKind.named(reading.kind), !kind.storedQuantities.isEmpty else { continue }
                summaries[reading.kind] = try summary(kind, of: person, latest: reading, now, zone, db)
            }
            let notices = try notices(of: person, now, zone, db)
            let counted = try counted(of: person, latest, db)
            return PersonState(
                person: String(id), name: person.name, timeZone: zone.identifier, latest: latest, summaries: summaries,
                continuousGlucose: try GlucoseStatistics.read(person, now: now, zone, db), notices: notices,
                targets: try targets(of: person, counted, db),
                waiting: try Self.waitingReadings(of: id, db), overdue: try overdue(person, counted, now, db))
        }
    }

    private func targets(
        of person: Person, _ counted: [PersonState.LatestReading], _ db: any StoreConnection
    ) throws -> [PersonState.TargetState] {
        try person.settings.targets.map { target in
            let value = try latestValue(for: target, of: person, counted, db)
            return PersonState.TargetState(
                quantity: target.quantity, unit: target.unit, text: target.text, min: target.min, max: target.max,
                value: value.map(Self.shown), outcome: value.map(target.outcome))
        }
    }

    /// Returns a value with one decimal if it was computed: an index of weight and height has many.
    private static func shown(_ value: Decimal) -> Decimal {
        guard value.exponent < -4 else { return value }
        var (value, rounded) = (value, Decimal())
        NSDecimalRound(&rounded, &value, 1, .plain)
        return rounded
    }

    func overdue(
        _ person: Person, _ counted: [PersonState.LatestReading], _ now: Date, _ db: any StoreConnection
    ) throws -> [PersonState.Overdue] {
        try person.settings.every.sorted { $0.key < $1.key }.compactMap { kind, days in
            var readings = counted.filter { $0.kind == kind }
            if kind == MeasurementKind.weight.name,
                let composition = try self.latest(.bodyComposition, of: person, condition: "AND v1 IS NOT NULL", db)
            {
                // It has a weight.
                readings.append(composition)
            }
            let last = readings.map(\.time).max()
            let due = last.flatMap(ReadingTime.date)?.addingTimeInterval(days * 86400)
            if let due, due > now { return nil }
            return PersonState.Overdue(kind: kind, everyDays: days, last: last, due: due?.formatted(.iso8601))
        }
    }

    /// Returns the latest reading of each kind. A reading without the main quantity of its kind, such as a height
    /// without a weight, is none: only a kind whose last reading is one needs a second query.
    func latest(of person: Person, _ db: any StoreConnection) throws -> [PersonState.LatestReading] {
        var found: [Int: PersonState.LatestReading] = [:]
        for row in try db.rows(Self.latestOfEachKind, [person.id]) { found[row["kind"]] = latest(row, of: person) }
        return try MeasurementKind.allCases.compactMap { kind in
            guard let reading = found[kind.rawValue], let main = kind.mainQuantity, reading.values[main.name] == nil
            else { return found[kind.rawValue] }
            return try latest(kind, of: person, condition: "AND \(main.column) IS NOT NULL", db)
        }
    }

    /// The query for the latest readings, with the person as its argument. A server takes a round trip for each query.
    private static let latestOfEachKind = MeasurementKind.allCases.map { kind in
        "SELECT * FROM (\(latestQuery("?1", "\(kind.rawValue)"))) AS \(kind.name)"
    }.joined(separator: " UNION ALL ")

    private static func latestQuery(_ person: String, _ kind: String, condition: String = "") -> String {
        """
        SELECT kind, id, taken, simulated, \(HealthMeasurement.columns) FROM reading
        WHERE person_id = \(person) AND kind = \(kind) AND retracted IS NULL \(condition)
        ORDER BY taken DESC, id DESC LIMIT 1
        """
    }

    /// Returns the latest reading of each kind that counts and whose main quantity is a number. Only a kind whose
    /// latest reading is no such reading needs a query.
    func counted(
        of person: Person, _ latest: [PersonState.LatestReading], _ db: any StoreConnection
    ) throws -> [PersonState.LatestReading] {
        guard !person.settings.targets.isEmpty || !person.settings.every.isEmpty else { return [] }
        return try latest.compactMap { reading -> PersonState.LatestReading? in
            guard let main = MeasurementKind.named(reading.kind)?.mainQuantity else {
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
        _ kind: MeasurementKind, of person: Person, condition: String, _ db: any StoreConnection
    ) throws -> PersonState.LatestReading? {
        try db.row(Self.latestQuery("?", "?", condition: condition), [person.id, kind.rawValue])
            .flatMap { latest($0, of: person) }
    }

    /// Returns the reading of a row of ``latestQuery(_:_:condition:)``; nil if it cannot be decoded.
    private func latest(_ row: Row, of person: Person) -> PersonState.LatestReading? {
        guard let kind = MeasurementKind.stored(row["kind"]), let measurement = HealthMeasurement(row) else {
            return nil
        }
        let taken = row.date("taken")
        return PersonState.LatestReading(
            id: String(row["id"] as Int64), kind: kind.name, time: taken.formatted(.iso8601),
            text: measurement.words, values: measurement.stateValues, simulated: row["simulated"],
            judgement: assessor.judge(measurement, of: person, at: taken), counted: measurement.isCounted,
            glucoseContext: measurement.isGlucoseContext)
    }

    // MARK: Means

    private func summary(
        _ kind: MeasurementKind, of person: Person, latest: PersonState.LatestReading, _ now: Date, _ zone: TimeZone,
        _ db: any StoreConnection
    ) throws -> PersonState.Summary {
        let wall = Self.wallTime(in: zone, from: now - 90 * 86400, to: now)
        let query = PeriodQuery(kind, wall: wall)
        let periods = try query.read(of: person.id, now, db)
        let days = periods.prefix(PeriodQuery.days.count)
        var summary = PersonState.Summary(unit: kind.unit, periods: Array(days))
        if kind == .bloodPressure {
            (summary.mean, summary.verdict) = try verdict(periods[0], of: person, latest: latest, now, wall, db)
            let parts = zip(PeriodQuery.timesOfDay.map(\.name), periods[days.endIndex...])
            summary.byTimeOfDay = Dictionary(uniqueKeysWithValues: parts.filter { $0.1.count > 0 })
        }
        return summary
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

    /// Returns the mean of complete readings as text, and the verdict on it. A verdict requires readings on at least
    /// three days (ESC 2024, section 5.2: home blood pressure).
    private func verdict(
        _ period: PersonState.Period, of person: Person, latest: PersonState.LatestReading, _ now: Date, _ wall: String,
        _ db: any StoreConnection
    ) throws -> (mean: HubText?, Judgement) {
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
            """, [person.id, MeasurementKind.bloodPressure.rawValue, start, end])
        guard let row, let systolic: Double = row["systolic"], let diastolic: Double = row["diastolic"] else {
            return (nil, .notJudged(reason: "diastolic is missing in all readings of the last \(period.days) days"))
        }
        let mean = HealthMeasurement(
            kind: .bloodPressure,
            quantities: [("systolic", systolic), ("diastolic", diastolic)].map { name, mean in
                Self.rounded(mean, name, isInKilopascals: (row["unit"] as Int?) == 1)
            })
        if let reason = person.reasonNotToJudge(at: now) { return (mean.words, .notJudged(reason: reason)) }
        let days: Int = row["days"]
        guard days >= 3 else {
            let reason: HubText = "an assessment requires readings on 3 days of the last 7; there are \(days)"
            return (mean.words, .notJudged(reason: reason))
        }
        guard case .judged(let rule, let sentence) = assessor.judge(mean, of: person, at: now) else {
            return (mean.words, assessor.judge(mean, of: person, at: now))
        }
        return (mean.words, .judged(rule, sentence: "mean of 7 days \(sentence)"))
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
        let kilopascals = MeasurementUnit["kPa"]?.number(mean) ?? 0
        let tenths = Int((kilopascals * 10 + 1e-9).rounded())
        return Quantity(
            name, Decimal(sign: .plus, exponent: -1, significand: Decimal(tenths)),
            text: "\(tenths / 10).\(tenths % 10)", unit: "kPa")
    }
}

extension MeasurementKind {
    /// The quantity that a reading of the kind must have to be its latest value, with its column; nil for a kind
    /// without columns.
    fileprivate var mainQuantity: (name: String, kind: MeasurementKind, column: String)? {
        guard let name = mainQuantities.first, let column = column(of: name) else { return nil }
        return (name, self, column)
    }
}

extension HealthMeasurement {
    /// The quantities by name.
    var stateValues: [String: PersonState.StateQuantity] {
        Dictionary(
            quantities.map { quantity in
                let special = quantity.value == nil ? quantity.text : nil
                return (quantity.name, .init(value: quantity.value, special: special, unit: quantity.unit))
            }
        ) { $1 }
    }

    /// The columns of a reading from which its measurement is decoded.
    static let columns = "characteristic, raw, fields, sequence"

    /// Decodes the measurement of a stored reading from ``columns``, with the digits of the device.
    init?(_ row: Row) {
        var reading = SubmittedReading()
        reading.characteristic = row["characteristic"]
        if let raw: Data = row["raw"] { reading.hex = raw.hexText() }
        if let text: String = row["fields"] {
            if case .object(let fields)? = try? JSONValue(parsing: Array(text.utf8)) { reading.fields = fields }
        }
        let sequence: Int? = row["sequence"]
        guard let all = try? HealthMeasurement.decode(reading, isStored: true),
            let one = all.count == 1 ? all.first : all.first(where: { $0.sequenceNumber == sequence })
        else { return nil }
        self = one
    }
}
