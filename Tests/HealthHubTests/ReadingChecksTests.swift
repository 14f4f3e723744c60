import BluetoothModel
import Foundation
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Units, values and statuses that a reading can have, and the statistics that follow from them.
@Suite("Checks of readings", .blocksThread, .timeLimit(.minutes(5)))
struct ReadingChecksTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func fields(_ fields: [String: JSONValue], serial: String = "D-1", ago: Double = 3600) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: serial)
        reading.fields = fields
        reading.time = now.addingTimeInterval(-ago).formatted(.iso8601)
        return reading
    }

    private func value(_ digits: String, _ unit: String) -> JSONValue {
        .object(["value": .string(digits), "unit": .string(unit)])
    }

    private func octets(_ characteristic: String, _ hex: String, ago: Double = 3600) -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "D-1")
        (reading.characteristic, reading.hex) = (characteristic, hex)
        reading.time = now.addingTimeInterval(-ago).formatted(.iso8601)
        return reading
    }

    /// 2A35 with a status: systolic/80 mmHg.
    private func cuff(_ systolic: UInt8, status: UInt8, ago: Double) -> SubmittedReading {
        octets("2A35", "10" + [systolic, 0, 80, 0, 100, 0, status, 0].hexText(), ago: ago)
    }

    private func numbers(_ store: HubStore) throws -> [Double?] {
        try store.database.read { try $0.rows("SELECT v1 FROM reading ORDER BY id").map { $0["v1"] } }
    }

    @Test("Readings with a poor status count neither in means nor among the three days", arguments: StoreKind.all)
    func poorMeasurements(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        _ = try store.store(
            [
                cuff(142, status: 0, ago: 3600), cuff(142, status: 4, ago: 90_000),
                cuff(220, status: 1, ago: 180_000),
            ], gateway: "g", arrived: now)
        let state = try #require(try store.state(of: anna.id, now: now))
        let summary = try #require(state.summaries["bloodPressure"])
        // The irregular pulse is noted, and the reading counts.
        #expect(summary.periods[0].count == 2 && summary.periods[0].mean["systolic"] == 142)
        #expect(summary.verdict?.code == nil && summary.periods[0].daysWithReadings == 2)
        let list = try #require(try store.readings(of: anna.id, kind: nil, since: now - 7 * 86400)).readings
        #expect(list.map(\.counted) == [true, true, false])
    }

    @Test("Octets that cannot be decoded are refused, and the other readings stored", arguments: StoreKind.all)
    func undecodable(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        var short = octets("2A35", "1E8E00")
        // As sent by the monitor for a value that it cannot decode.
        short.fields = [:]
        let results = try temporary.store.store([short, cuff(128, status: 0, ago: 60)], gateway: "g", arrived: now)
            .results
        #expect(results.map(\.status) == [.refused, .stored])
        #expect(results[0].problem?.hasPrefix("hex: ") == true, "\(results[0].problem?.description ?? "")")
    }

    @Test(
        "Statuses of each device prevent a judgement, in octets and in fields",
        arguments: [
            ("2A35", "107800500060002000", true), ("2A35", "107800500060000400", false),
            ("2A18", "0A0100EA070B1508000078B0110200", true), ("2A18", "0A0100EA070B1508000078B0110100", false),
            ("2AA7", "07806400050004", true), ("2AA7", "07402D00010010", true), ("2AA7", "07402D00010020", true),
            ("2AA7", "07402D00010008", false), ("2A5E", "02620048000080", true),
            ("2A5E", "02620048000001", false), ("2A5E", "0462004800020000", true), ("2A9D", "00FFFF", true),
            ("2A9C", "0000FFFF", true),
        ])
    func statuses(characteristic: String, hex: String, isReserved: Bool) throws {
        let measurement = try #require(try HealthMeasurement.decode(octets(characteristic, hex)).first)
        #expect(measurement.isCounted == !isReserved, "\(measurement.reservation?.description ?? "")")
        if characteristic == "2A9D" { #expect(measurement.reservation == "the measurement was unsuccessful") }
    }

    @Test("Statuses in fields prevent a judgement")
    func statusFields() throws {
        let pressure = ["systolic": value("120", "mmHg"), "diastolic": value("80", "mmHg")]
        let moved = pressure.merging(["measurementStatus": .object(["value": .number(1)])]) { $1 }
        let bad: [[String: JSONValue]] = [
            moved, ["spO2": value("98", "%"), "measurementStatus": .object(["value": .number(32768)])],
            ["weight": .object(["special": .string("NaN"), "value": .null, "unit": .string("kg")])],
            ["glucose": value("100", "mg/dL"), "sampleLocation": .object(["value": .number(4)])],
        ]
        for fields in bad {
            #expect(try HealthMeasurement.decode(self.fields(fields)).first?.isCounted == false, "\(fields)")
        }
        #expect(try HealthMeasurement.decode(fields(pressure)).first?.isCounted == true)
    }

    @Test("A control solution is not forwarded, and has no code of blood", arguments: StoreKind.all)
    func controlSolution(_ kind: StoreKind) async throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        _ = try store.addReceiver(
            kind: .fhir, url: "http://127.0.0.1:9/fhir", name: nil, options: .init(), isPlain: false)
        // 300 mg/dL of control solution as the fluid, then as the location of "capillary whole blood"; 100 mg/dL of
        // blood.
        let memory = [
            octets("2A18", "020100EA070B150800002CB11A"),
            octets("2A18", "020200EA070B150800002CB141"),
            octets("2A18", "020300EA070B1508000064B011"),
        ]
        _ = try store.store(memory, gateway: "g", arrived: now)
        let queued: [Int64] = try await store.database.read { try $0.values("SELECT reading_id FROM outbox", []) }
        #expect(queued == [3])
        #expect(try store.state(of: anna.id, now: now)?.summaries["glucose"]?.periods[1].mean == ["glucose": 100])
        let bundle = try #require(try store.fhirBundle(of: anna.id))
        let controls = bundle["entry"]?.elements.compactMap { $0["resource"] }.filter {
            $0["code"]?["coding"]?.elements.first?["code"]?.string == "160208"
        }
        #expect(controls?.count == 2)
        for control in controls ?? [] {
            #expect(control["code"]?["coding"]?.elements.count == 1 && control["performer"] == nil)
            #expect(control["subject"] == control["device"])
        }
        let other = try TemporaryStore(kind)
        _ = try await other.store.storeFHIR(Array(bundle.text.utf8), gateway: "g", maySayPerson: false)
        #expect(try numbers(other.store).compactMap { $0 } == [100])
    }

    @Test("A systolic pressure below the diastolic is refused in fields, and not judged in octets")
    func crossedPressures() throws {
        for (systolic, diastolic) in [
            (value("80", "mmHg"), value("120", "mmHg")), (value("10", "kPa"), value("80", "mmHg")),
        ] {
            let crossed = fields(["systolic": systolic, "diastolic": diastolic])
            #expect {
                try HealthMeasurement.decode(crossed)
            } throws: { error in
                (error as? ReadingProblem)?.description.contains("is below diastolic") == true
            }
            #expect(try HealthMeasurement.decode(crossed, isStored: true).first?.isCounted == false)
        }
        // 80/120 mmHg, and 100/100 mmHg, which counts.
        let measurements = try ["00500078006000", "00640064006000"].map {
            try HealthMeasurement.decode(octets("2A35", $0))[0]
        }
        #expect(measurements.map(\.isCounted) == [false, true])
        #expect(measurements[0].reservation == "systolic (80 mmHg) is below diastolic (120 mmHg)")
    }

    @Test(
        "A unit is converted exactly, or refused with the reason",
        arguments: [
            ("systolic", "16000", "Pa", "16 kPa"), ("glucose", "0.00120", "kg/L", "120 mg/dL"),
            ("glucose", "0.0055", "mol/L", "5.5 mmol/L"), ("glucose", "1.1", "g/L", "110 mg/dL"),
            ("weight", "70500", "g", "70.5 kg"), ("weight", "11", "st", "154 lb"),
            ("weight", "70.50", "kg", "70.50 kg"),
            ("temperature", "36.60", "°C", "36.60 °C"), ("temperature", "98.6", "°F", "98.6 °F"),
            ("systolic", "120", "mg/dL", nil), ("weight", "70", "furlong", nil), ("weight", "70", "%", nil),
            ("glucose", "5.5", "mmHg", nil), ("temperature", "300", "K", nil), ("spO2", "98", "kPa", nil),
        ] as [(String, String, String, String?)])
    func units(name: String, digits: String, unit: String, stored: String?) throws {
        let reading = fields([name: value(digits, unit)])
        guard let stored else {
            #expect { try HealthMeasurement.decode(reading) } throws: { error in
                (error as? ReadingProblem)?.description.contains(unit) == true
            }
            // A reading that is in the store stays, and is not judged.
            #expect(try HealthMeasurement.decode(reading, isStored: true).first?.isCounted == false)
            return
        }
        let quantity = try #require(try HealthMeasurement.decode(reading).first?.quantities.first)
        #expect("\(quantity.text) \(quantity.unit)" == stored)
        #expect(quantity.value == Decimal(digits: quantity.text))
    }

    @Test("Systolic and diastolic pressure may have different units")
    func mixedUnits() throws {
        let measurement = try #require(
            try HealthMeasurement.decode(
                fields(["systolic": value("120", "mmHg"), "diastolic": value("10.6", "kPa")])
            ).first)
        #expect(measurement.text == "120 mmHg/10.6 kPa")
        #expect(measurement.statistics[1].map { $0.rounded() } == 80)
    }

    @Test(
        "Values that cannot exist are refused in fields, and not judged in octets",
        arguments: [
            ("systolic", "1e30", "mmHg"), ("systolic", "-5", "mmHg"), ("systolic", "-0", "mmHg"),
            ("diastolic", "0", "kPa"), ("weight", "-70", "kg"), ("spO2", "101", "%"), ("temperature", "366", "°C"),
            ("glucose", "0", "mg/dL"), ("systolic", "185abc", "mmHg"), ("systolic", "80 or so", "mmHg"),
            ("systolic", "0x78", "mmHg"), ("systolic", "1,2", "mmHg"), ("systolic", "", "mmHg"),
        ])
    func impossible(name: String, digits: String, unit: String) {
        #expect {
            try HealthMeasurement.decode(fields([name: value(digits, unit)]))
        } throws: { error in
            (error as? ReadingProblem)?.description.lowercased().contains(name.lowercased()) == true
        }
    }

    @Test("An impossible value in octets is stored and does not count; numbers are numbers")
    func impossibleOctets() throws {
        // Systolic 0 mmHg.
        let measurement = try #require(try HealthMeasurement.decode(octets("2A35", "00000050006000")).first)
        #expect(measurement.reservation == "systolic cannot be 0 mmHg")
        for text in ["1", "-1.50", "+2", "1e3", "1.2E-3"] { #expect(Decimal(digits: text) != nil, "\(text)") }
        for text in ["", "-", ".5", "5.", "1e", "1 ", "NaN", "1e999"] {
            #expect(Decimal(digits: text) == nil, "\(text)")
        }
        for text in ["7e1", "+70"] {
            #expect(throws: ReadingProblem("fields.weight is not a number: '\(text)'")) {
                try HealthMeasurement.decode(fields(["weight": value(text, "kg")]))
            }
        }
        for (field, number) in [("userID", "300"), ("userID", "-1"), ("sequenceNumber", "0.5")] {
            #expect(throws: ReadingProblem.self, "\(field) \(number)") {
                try HealthMeasurement.decode(fields(["weight": value("70", "kg"), field: .string(number)]))
            }
        }
    }

    // MARK: Times

    @Test(
        "A time of reception in the future is that of arrival; times before 1900 are refused", arguments: StoreKind.all)
    func times(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        let weight = ["weight": value("70", "kg")]
        var year0 = fields(weight)
        year0.time = "0000-01-01T08:00:00Z"
        let results = try store.store(
            [fields(weight, ago: -30 * 86400), fields(weight, ago: -60), year0], gateway: "g", arrived: now
        ).results
        #expect(results.map(\.status) == [.stored, .stored, .refused])
        #expect(results[2].problem?.contains("1900") == true)
        let latest = try #require(try store.state(of: anna.id, now: now)?.latest.first)
        #expect(latest.time == now.formatted(.iso8601))
    }

    @Test("Dates that do not exist are refused", arguments: ["2026-11-31", "2026-02-29", "0000-01-01", "1500-01-01"])
    func dates(day: String) throws {
        var reading = fields(["weight": value("70", "kg")])
        reading.deviceTime = day + "T08:00:00"
        #expect { try PreparedReading(reading, arrived: now, zone: .gmt) } throws: { error in
            (error as? ReadingProblem)?.description.contains("deviceTime") == true
        }
        reading.deviceTime = "2024-02-29T08:00:00"
        #expect(throws: Never.self) { try PreparedReading(reading, arrived: now, zone: .gmt) }
    }

    @Test("In the repeated hour a reading is not later than its reception")
    func repeatedHour() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        var reading = fields(["weight": value("70", "kg")])
        reading.deviceTime = "2026-10-25T02:30:00"
        for (reception, taken) in [
            ("2026-10-25T00:31:00Z", "2026-10-25T00:30:00Z"), ("2026-10-25T01:31:00Z", "2026-10-25T01:30:00Z"),
        ] {
            reading.time = reception
            let prepared = try PreparedReading(reading, arrived: Date(reception, strategy: .iso8601), zone: zone)
            #expect(prepared.records[0].taken.formatted(.iso8601) == taken)
        }
    }

    // MARK: Continuous glucose

    @Test(
        "The coverage follows the interval of the sensor",
        arguments: [(60, 2880, 14.2), (300, 2880, 71.4), (300, 2000, 49.6), (900, 1340, 99.7), (900, 700, 52.0)])
    func coverage(interval: Int64, count: Int64, percent: Double) {
        // Jitter of a few seconds, and a gap of a day in the middle.
        let values = (0..<count).map { number in
            (device: 1 as Int64, taken: number * interval + number % 3 + (number > count / 2 ? 86400 : 0))
        }
        let coverage = Double(GlucoseStatistics.covered(values).reduce(0, +)) / (14 * 86400) * 100
        #expect(abs(coverage - percent) < 0.15, "\(coverage)")
    }

    @Test("A change of the interval does not lower the coverage")
    func changedInterval() {
        let fast = (0..<1008).map { (device: 1 as Int64, taken: Int64($0) * 300) }
        let slow = (0..<1008).map { (device: 1 as Int64, taken: 302_400 + Int64($0) * 900) }
        let coverage = Double(GlucoseStatistics.covered(fast + slow).reduce(0, +)) / (14 * 86400)
        // The day of the change has the shorter interval.
        #expect(coverage > 0.97, "\(coverage)")
    }

    @Test("Sensors with different intervals cover their own time")
    func twoSensors() {
        let first = (0..<1440).map { (device: 1 as Int64, taken: Int64($0) * 60) }
        let second = (0..<96).map { (device: 2 as Int64, taken: 86400 + Int64($0) * 900) }
        #expect(GlucoseStatistics.covered(first + second).reduce(0, +) == 2 * 86400)
    }

    @Test("Values of sensors with different intervals count for their time")
    func timesInRanges() throws {
        let temporary = try TemporaryStore(.sqlite)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        for serial in ["A", "B"] { _ = try store.assign(serial, to: anna.id) }
        func send(_ serial: String, _ digits: String, _ minutes: StrideTo<Int>) throws {
            let readings = minutes.map {
                fields(["cgmGlucoseConcentration": value(digits, "mg/dL")], serial: serial, ago: Double($0) * 60)
            }
            for start in stride(from: 0, to: readings.count, by: 500) {
                _ = try store.store(
                    Array(readings[start..<min(start + 500, readings.count)]), gateway: "g", arrived: now)
            }
        }
        // Six days of 100 mg/dL each 15 minutes, then six of 300 mg/dL, of which the last has a value each minute.
        try send("A", "100", stride(from: 6 * 1440, to: 12 * 1440, by: 15))
        try send("A", "300", stride(from: 1440, to: 6 * 1440, by: 15))
        try send("B", "300", stride(from: 0, to: 1440, by: 1))
        let glucose = try #require(try store.state(of: anna.id, now: now)?.continuousGlucose)
        #expect(glucose.timeInRanges?["inRange"] == 50 && glucose.timeInRanges?["veryHigh"] == 50)
        #expect(glucose.mean.map { abs($0 - 200) < 0.3 } == true && glucose.gmi.map { abs($0 - 8.09) < 0.02 } == true)
    }

    @Test("A number is the same with other digits", arguments: StoreKind.all)
    func digits(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let readings = ["70.5", "70.50", "70.500"].map { fields(["weight": value($0, "kg")]) }
        for (reading, status) in zip(readings, [.stored, .known, .known] as [ReadingResult.Status]) {
            #expect(try temporary.store.store([reading], gateway: "g", arrived: now).results.map(\.status) == [status])
        }
    }

    @Test("Attributes and fields that are too large are refused")
    func sizes() throws {
        var named = fields(["weight": value("70", "kg")])
        named.device?.name = String(repeating: "x", count: 1001)
        var large = fields(["weight": value("70", "kg")])
        for number in 0..<1000 { large.fields?["\(number)"] = .string(String(repeating: "x", count: 70)) }
        for (reading, words) in [(named, "device.name is longer"), (large, "fields are larger")] {
            #expect { try PreparedReading(reading, arrived: now, zone: .gmt) } throws: { error in
                (error as? ReadingProblem)?.description.contains(words) == true
            }
        }
    }

    @Test("Records of a continuous monitor are not in the future")
    func lateRecords() throws {
        func record(_ number: Decimal) -> JSONValue {
            .object(["cgmGlucoseConcentration": value("100", "mg/dL"), "sequenceNumber": .decimal("\(number)")])
        }
        let reading = fields(["cgmMeasurement": .array([record(0), record(2_000_000_000)])])
        let records = try PreparedReading(reading, arrived: now, zone: .gmt).records
        #expect(records.count == 2 && records.allSatisfy { $0.taken <= now })
    }

    @Test("An urgent value of a sensor with one value a minute stays a notice for a day", arguments: StoreKind.all)
    func urgentOfManyValues(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("CGM", to: anna.id)
        // The first of 1,400 values is 50 mg/dL; then 700 of 54 mg/dL, which is the limit.
        for start in [0, 700] {
            let readings = (start..<start + 700).map { number in
                let digits = number == 0 ? "50" : number < 700 ? "54" : "110"
                return fields(
                    ["cgmGlucoseConcentration": value(digits, "mg/dL")], serial: "CGM", ago: Double(1400 - number) * 60)
            }
            _ = try store.store(readings, gateway: "g", arrived: now)
        }
        let notices = try #require(try store.state(of: anna.id, now: now)).notices
        #expect(notices.map(\.code) == ["hypoglycaemia-level-2"])
    }

    @Test("A record of a continuous monitor is the same in any value", arguments: StoreKind.all)
    func records(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        func cgm(_ records: [UInt8], minute: Int) -> SubmittedReading {
            var reading = octets(
                "2AA7", records.flatMap { [6, 0, 100 + $0, 0, $0 * 5, 0] as [UInt8] }.hexText())
            reading.deviceTime = "2026-11-17T08:\(minute < 10 ? "0" : "")\(minute):00"
            return reading
        }
        func count() throws -> Int? { try store.database.read { try $0.value("SELECT count(*) FROM reading") as Int? } }
        let both = cgm([0, 1], minute: 5)
        #expect(try store.store([both], gateway: "g", arrived: now).results.map(\.status) == [.stored])
        let single = [cgm([0], minute: 0), cgm([1], minute: 5)]
        #expect(try store.store(single, gateway: "g", arrived: now).results.map(\.status) == [.known, .known])
        #expect(try count() == 2)
    }

    // MARK: People

    @Test("A person's target of oxygen saturation replaces the limits")
    func oxygenTarget() throws {
        let assessor = try Assessor()
        var person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        func judge(_ value: Decimal) -> (code: String?, sentence: String) {
            let measurement = HealthMeasurement(
                kind: .oxygenSaturation, quantities: [Quantity("spO2", value, unit: "%")])
            guard case .judged(let rule, let sentence) = assessor.judge(measurement, of: person, at: now) else {
                return (nil, "")
            }
            return (rule.code, sentence.description)
        }
        try person.settings.change(targets: ["spO2=88..92 %"], withoutTargets: [], every: [])
        #expect(judge(87).code == "very-low" && judge(88).code == "normal" && judge(93).code == "normal")
        #expect(judge(90).sentence == "90 %: within the target (SpO2 88 to 92 %)")
        #expect(judge(87).sentence == "87 %: below the target (SpO2 88 to 92 %)")
        try person.settings.change(targets: ["spO2=97.. %"], withoutTargets: [], every: [])
        #expect(judge(96).code == "low" && judge(97).code == "normal" && judge(89).code == "very-low")
        try person.settings.change(targets: ["spO2=..99 %"], withoutTargets: [], every: [])
        #expect(judge(94).code == "low" && judge(95).code == "normal")
    }

    @Test("A computed body mass index is compared before it is rounded")
    func bodyMassIndex() throws {
        let assessor = try Assessor()
        var person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        person.settings.height = try PersonSettings.height("1.80 m")
        // 81 kg / (1.8 m)² is 25 exactly; 80.99 kg is 24.997, which is 25.00 rounded. 178.575 lb is 25.0002.
        for (digits, unit, code) in [
            ("81.00", "kg", "overweight"), ("80.99", "kg", "normal"), ("178.57", "lb", "normal"),
            ("178.58", "lb", "overweight"), ("59.94", "kg", "normal"), ("59.93", "kg", "underweight"),
        ] {
            let measurement = HealthMeasurement(
                kind: .weight, quantities: [Quantity("weight", Decimal(string: digits), text: digits, unit: unit)])
            #expect(assessor.judge(measurement, of: person, at: now).code == code, "\(digits) \(unit)")
        }
    }

    @Test("A user index is 0 to 254, a name is not blank, and a person was born since 1900")
    func administration() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        for user in [-1, 255, 300] {
            #expect(throws: HubProblem.self) { try store.assign("BP-1", to: anna.id, user: user) }
        }
        for user in [0, 254] { #expect(throws: Never.self) { try store.assign("BP-1", to: anna.id, user: user) } }
        for name in ["", " ", " \t\n"] {
            #expect(throws: HubProblem.self) { try store.addPerson(name: name, born: "1961-04-30") }
        }
        for born in ["1899-12-31", "2999-01-01", "1961-02-29"] {
            #expect(throws: HubProblem.self) { try store.addPerson(name: "Ben", born: born) }
        }
        #expect(throws: Never.self) { try store.addPerson(name: "Ben", born: "1900-01-01") }
    }
}
