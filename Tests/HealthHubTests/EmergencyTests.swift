import Foundation
import JSON
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Values that need attention at once, whoever has them.
@Suite("Emergencies", .blocksThread)
struct EmergencyTests {
    private let assessor: Assessor
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    init() throws { assessor = try Assessor() }

    /// An adult, a child of ten years, a child of two months, and a pregnant woman at ``now``, 2026-11-18.
    private func person(_ group: Person.Group) -> Person {
        let born = [Person.Group.minor: "2016-05-01", .infant: "2026-09-18"][group] ?? "1991-04-30"
        return Person(
            id: 1, name: "A", born: born, guideline: .esc, setting: .home, pregnant: group == .pregnant)
    }

    private func judge(_ json: String, _ group: Person.Group, diabetes: Bool? = nil) throws -> Judgement {
        let measurement = try #require(try HealthMeasurement.decode(SubmittedReading.ofOneDevice(json: json)).first)
        var person = person(group)
        person.settings.diabetes = diabetes
        #expect(person.group(at: now) == group)
        return assessor.judge(measurement, of: person, at: now)
    }

    private static func pressure(_ systolic: Int, _ diastolic: Int) -> String {
        #"{"systolic":{"value":\#(systolic),"unit":"mmHg"},"diastolic":{"value":\#(diastolic),"unit":"mmHg"}}"#
    }

    private static func one(_ name: String, _ value: String, _ unit: String) -> String {
        #"{"\#(name)":{"value":\#(value),"unit":"\#(unit)"}}"#
    }

    @Test(
        "Urgent for the groups to whom the limit applies, and one step beside it not",
        arguments: [
            (pressure(60, 30), [Person.Group.adult, .minor, .pregnant]), (pressure(70, 40), []),
            (pressure(59, 30), Person.Group.allCases), (one("systolic", "59", "mmHg"), Person.Group.allCases),
            // One pressure is enough, and without the other one no other range holds.
            (one("systolic", "200", "mmHg"), Person.Group.allCases),
            (one("diastolic", "130", "mmHg"), Person.Group.allCases), (one("systolic", "18.6", "kPa"), []),
            (pressure(230, 140), Person.Group.allCases), (pressure(160, 80), [.pregnant]),
            (pressure(130, 110), [.adult, .pregnant]), (pressure(159, 109), []),
            (one("temperature", "42.5", "°C"), Person.Group.allCases), (one("temperature", "40.5", "°C"), [.infant]),
            (one("temperature", "105.1", "°F"), Person.Group.allCases), (one("temperature", "38.0", "°C"), [.infant]),
            (one("temperature", "37.9", "°C"), []), (one("temperature", "34.9", "°C"), Person.Group.allCases),
            (one("spO2", "89", "%"), Person.Group.allCases), (one("spO2", "90", "%"), []),
            (one("glucose", "600", "mg/dL"), Person.Group.allCases),
            (one("glucose", "33.3", "mmol/L"), Person.Group.allCases),
            (one("glucose", "300", "mg/dL"), Person.Group.allCases), (one("glucose", "299", "mg/dL"), []),
            (one("glucose", "16.6", "mmol/L"), []), (one("glucose", "53", "mg/dL"), Person.Group.allCases),
            (one("glucose", "54", "mg/dL"), []),
        ] as [(String, [Person.Group])])
    func limits(_ json: String, _ groups: [Person.Group]) throws {
        for group in Person.Group.allCases {
            let judgement = try judge(json, group)
            #expect(judgement.isUrgent == groups.contains(group), "\(group): \(judgement)")
            if group != .adult, !judgement.isUrgent {
                guard case .notJudged = judgement else {
                    Issue.record("\(group) is judged: \(judgement)")
                    continue
                }
            }
        }
    }

    @Test("Each urgent rule, and no other, has advice")
    func advice() {
        for rule in assessor.rules { #expect(rule.isUrgent == (rule.action != nil), "\(rule.id)") }
    }

    @Test("Urgent codes differ by quantity, because a notice is acknowledged and sent by its code and time")
    func codes() {
        var quantities: [String: Set<String>] = [:]
        for rule in assessor.rules where rule.isUrgent {
            let isPressure = rule.kind == .bloodPressure
            quantities[rule.code, default: []].formUnion(isPressure ? ["pressure"] : Set(rule.bounds.keys))
        }
        for (code, names) in quantities { #expect(names.count == 1, "\(code): \(names)") }
    }

    @Test(
        "A value beyond the range of a meter is urgent without a number",
        arguments: [
            // The bits "result too high" and "result too low", without a concentration and with a special one.
            ("2A18", "080200EA070A0A0800002000", "dangerously-high"),
            ("2A18", "080200EA070A0A0800004000", "hypoglycaemia-level-2"),
            ("2A18", "020200EA070A0A080000FE0711", "dangerously-high"),
            ("2A18", "020200EA070A0A080000020811", "hypoglycaemia-level-2"),
            ("2AA7", "0600FE070500", "dangerously-high"), ("2AA7", "060002080500", "hypoglycaemia-level-2"),
        ])
    func beyondRange(_ characteristic: String, _ hex: String, _ code: String) throws {
        var measurement = try #require(
            try HealthMeasurement.decode(SubmittedReading.ofOneDevice(characteristic, hex: hex)).first)
        #expect(!measurement.isCounted && measurement.statistics == [nil])
        let judgement = assessor.judge(measurement, of: person(.adult), at: now)
        #expect(judgement.code == code && judgement.isUrgent, "\(judgement)")
        measurement.exclude(.enteredInError, reason: nil)
        #expect(!assessor.judge(measurement, of: person(.adult), at: now).isUrgent)
    }

    @Test("An early estimate or a test of an oximeter is not judged; an ongoing measurement is")
    func oximeter() throws {
        for (bit, isJudged) in [(5, true), (6, false), (7, true), (10, false), (11, false), (15, false)] {
            let json = #"{"spO2":{"value":80,"unit":"%"},"measurementStatus":{"value":\#(1 << bit),"names":[]}}"#
            #expect(try judge(json, .adult).isUrgent == isJudged, "bit \(bit)")
        }
    }

    // MARK: Glucose

    @Test(
        "The range of glucose depends on diabetes and on the meal",
        arguments: [
            (110, "fasting", nil, "ask-laboratory"), (110, "fasting", true, "on-target"),
            (99, "fasting", nil, "normal"),
            (110, "casual", nil, nil), (110, nil, nil, nil), (110, nil, true, "in-range"),
            (135, "preprandial", true, "above-goal"), (135, "postprandial", true, "on-target"),
            (79, "fasting", true, "below-goal"), (80, "preprandial", true, "on-target"),
            (130, "fasting", true, "on-target"), (131, "fasting", true, "above-goal"),
            (179, "postprandial", true, "on-target"), (180, "postprandial", true, "above-goal"),
            (251, "postprandial", true, "very-high"), (75, "bedtime", true, "in-range"),
            (75, "fasting", false, "normal"),
            (210, "casual", nil, "ask-laboratory"), (60, nil, nil, "hypoglycaemia-level-1"),
        ] as [(Int, String?, Bool?, String?)])
    func glucose(_ value: Int, _ meal: String?, _ diabetes: Bool?, _ code: String?) throws {
        let context = meal.map { #","meal":{"value":1,"name":"\#($0)"}"# } ?? ""
        let json = #"{"glucose":{"value":\#(value),"unit":"mg/dL"}\#(context)}"#
        let judgement = try judge(json, .adult, diabetes: diabetes)
        #expect(judgement.code == code, "\(judgement)")
        if case .judged(let rule, let sentence) = judgement {
            #expect(!sentence.contains("prediabetes"))
            #expect(diabetes == true || !["on-target", "in-range"].contains(rule.code))
        }
    }

    // MARK: Notices

    @Test("An urgent value of a child and of a pregnant woman is a notice with advice; a late one says so")
    func notices() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        for (id, group) in [(1, Person.Group.minor), (2, .pregnant)] as [(Int64, Person.Group)] {
            let own = person(group)
            _ = try store.addPerson(name: "A\(id)", born: own.born, pregnant: own.pregnant)
            _ = try store.assign("D-\(id)", to: id)
            var reading = try SubmittedReading.ofOneDevice(json: Self.pressure(230, 140), time: nil)
            reading.device = .init(serial: "D-\(id)")
            reading.time = now.addingTimeInterval(id == 1 ? -3600 : -5 * 86400).formatted(.iso8601)
            _ = try store.store([reading], gateway: "g", arrived: now)
            let notice = try #require(try store.state(of: id, now: now)?.notices.first)
            #expect(notice.urgent && notice.code == "severe")
            #expect(notice.sentence.contains("Measured 5 days ago, received late") == (id == 2), "\(notice.sentence)")
            #expect(notice.sentence.contains(id == 1 ? "emergency department" : "within 15 minutes"))
        }
    }

    @Test("A saturation below the range of the oximeter is a notice", arguments: StoreKind.all)
    func belowRange(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let stamp = now.addingTimeInterval(-3600).formatted(.iso8601)
        let special = #"{"spO2":{"special":"-INF","unit":"%"}}"#
        // A spot check, a continuous measurement, and one that is no number.
        let forms: [(uuid: String?, value: String)] = [
            ("2A5E", "0002084800"), ("2A5F", "0002084800"), (nil, special), ("2A5F", "00FF074800"),
        ]
        for (id, form) in forms.enumerated() {
            let person = try store.addPerson(name: "A\(id)", born: "1961-04-30").id
            _ = try store.assign("D-\(id)", to: person)
            var reading = try SubmittedReading.ofOneDevice(
                form.uuid, hex: form.uuid.map { _ in form.value }, json: form.uuid == nil ? form.value : nil, time: nil)
            (reading.device, reading.time) = (.init(serial: "D-\(id)"), stamp)
            let result = try store.store([reading], gateway: "g", arrived: now).results[0]
            #expect(result.isUrgent == (id < 3), "\(result)")
            let notices = try #require(try store.state(of: person, now: now)).notices
            #expect(notices.map(\.code) == (id < 3 ? ["very-low"] : []), "\(form)")
        }
    }

    @Test("What is typed in has a known quantity, and a time that is not in the future")
    func typedIn() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30").id
        func problem(_ fields: [String: JSONValue], _ time: Date = Date()) -> String? {
            do {
                _ = try store.enterReading(fields, time: time.formatted(.iso8601), of: anna, by: "dr")
                return nil
            } catch { return "\(error)" }
        }
        let weight: [String: JSONValue] = ["weight": ["value": "70", "unit": "kg"]]
        #expect(problem(weight) == nil)
        #expect(problem(weight, Date(timeIntervalSinceNow: 86400))?.contains("is in the future") == true)
        #expect(problem([:])?.contains("there is no value") == true)
        // The field of a device has another name.
        #expect(problem(["heartRate": ["value": "61", "unit": "bpm"]]) == nil)
        #expect(try store.state(of: anna)?.latest.map(\.kind) == ["weight", "heartRate"])
        #expect(problem(["foo": ["value": "1", "unit": "x"]])?.contains("there is no quantity 'foo'") == true)
    }

    @Test("After a change of the battery, old records keep the time that they show")
    func epochs() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try store.assign("D-1", to: anna.id)
        // The clock shows 2020-01-02 now.
        let offset = 1_577_923_200 - now.timeIntervalSince1970
        func reading(_ systolic: Int, shows date: Date) throws -> SubmittedReading {
            let time = date.formatted(.iso8601).dropLast()
            var reading = try SubmittedReading.ofOneDevice(json: Self.pressure(systolic, 80), time: String(time))
            (reading.clockOffset, reading.time) = (offset, now.formatted(.iso8601))
            return reading
        }
        let clock = Date(timeIntervalSince1970: 1_577_923_200)
        let readings = [
            try reading(190, shows: now - 7 * 86400), try reading(150, shows: now - 6 * 86400),
            try reading(128, shows: clock - 3600),
        ]
        _ = try store.store(readings, gateway: "g", arrived: now, zone: .gmt)
        let list = try #require(try store.readings(of: anna.id, kind: nil, since: now - 30 * 86400)).readings
        #expect(list.map(\.text) == ["128/80 mmHg", "150/80 mmHg", "190/80 mmHg"])
        let ages: [TimeInterval] = [3600, 518_400, 604_800]
        let times = ages.map { now.addingTimeInterval(-$0).formatted(.iso8601) }
        #expect(list.map(\.time) == times)
        let notice = try #require(try store.state(of: anna.id, now: now, zone: .gmt)?.notices.first)
        #expect(notice.sentence.contains("Measured 7 days ago, received late"), "\(notice.sentence)")
    }

    @Test(
        "An urgent value with a stamp far before its reception is a notice: its time is unknown",
        arguments: StoreKind.all)
    func uncertainTimes(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        let glucose = Self.one("glucoseConcentration", "600", "mg/dL")
        let stamps: [(json: String, stamp: String, offset: Double?, received: TimeInterval?)] = [
            // A battery was changed; the offset of before, or none.
            (Self.pressure(190, 125), "2020-01-01T00:03:00", nil, 0),
            (Self.pressure(190, 125), "2020-01-01T00:03:00", 0, nil),
            (glucose, "2010-01-01T00:00:00", nil, -60), (glucose, "2000-01-01T00:05:00", nil, 0),
            (Self.one("temperature", "42.5", "°C"), "2015-03-02T08:00:00", nil, 0),
            (Self.one("spO2", "70", "%"), "2019-01-01T00:00:00", nil, 0),
            // The gateway was offline.
            (Self.pressure(190, 125), "2020-01-01T00:03:00", nil, -5 * 86400),
            (Self.pressure(190, 125), "2000-01-01T00:00:00", nil, 0),
            (Self.pressure(190, 125), "2031-01-01T00:00:00", nil, 0),
        ]
        for (index, (json, stamp, offset, received)) in stamps.enumerated() {
            let person = try store.addPerson(name: "A\(index)", born: "1961-04-30").id
            _ = try store.assign("D-\(index)", to: person)
            var reading = try SubmittedReading.ofOneDevice(json: json, time: stamp)
            (reading.device, reading.clockOffset) = (.init(serial: "D-\(index)"), offset)
            reading.time = received.map { now.addingTimeInterval($0).formatted(.iso8601) }
            _ = try store.store([reading], gateway: "g", arrived: now, zone: .gmt)
            let notice = try store.state(of: person, now: now, zone: .gmt)?.notices.first
            #expect(notice?.sentence.contains("Its time is unknown: measure again now") == true, "\(stamps[index])")
            #expect(notice?.time == now.addingTimeInterval(received ?? 0).formatted(.iso8601), "\(stamps[index])")
            #expect(notice?.sentence.contains("received late") != true)
            #expect(try store.state(of: person, now: now + 86401, zone: .gmt)?.notices.isEmpty == true)
        }
    }

    @Test("An old record is no notice if its device then sends a value of these days, or if it is imported")
    func oldRecords() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30").id
        _ = try store.assign("D-1", to: anna)
        func reading(_ systolic: Int, _ stamp: String, received: TimeInterval) throws -> SubmittedReading {
            var reading = try SubmittedReading.ofOneDevice(json: Self.pressure(systolic, 80), time: stamp)
            reading.time = now.addingTimeInterval(received).formatted(.iso8601)
            return reading
        }
        func notices() throws -> [String] { try store.state(of: anna, now: now, zone: .gmt)?.notices.map(\.time) ?? [] }
        // The memory of a cuff, from the oldest record.
        let memory = try [
            reading(190, "2026-05-01T08:00:00", received: -3600), reading(128, "2026-11-15T08:00:00", received: -3590),
        ]
        _ = try store.store(memory, gateway: "g", arrived: now, zone: .gmt)
        #expect(try notices().isEmpty)
        let table = "Date,Systolic,Diastolic\n2026-03-01 08:00,191,80\n2026-03-02T08:00:00Z,192,80\n"
        _ = try store.importReadings(CSVImport(table, person: anna), of: anna, isDryRun: false)
        #expect(try notices().isEmpty)
        // Its battery was changed after the record of that day, and the clock was set before the next measurement.
        let reset = try [
            reading(127, "2026-11-18T08:00:00", received: -1800), reading(193, "2020-01-01T00:01:00", received: -1790),
            reading(126, "2026-11-18T10:00:00", received: -900),
        ]
        _ = try store.store(reset, gateway: "g", arrived: now, zone: .gmt)
        #expect(try notices() == [now.addingTimeInterval(-1790).formatted(.iso8601)])
    }

    @Test("A NUL in a device's attribute is refused")
    func nul() throws {
        var reading = try SubmittedReading.ofOneDevice(json: Self.pressure(120, 80))
        reading.device = .init(serial: "A\0B")
        let temporary = try TemporaryStore()
        let result = try temporary.store.store([reading], gateway: "g", arrived: now).results[0]
        #expect(result.problem == "device.serial has a NUL character")
    }
}
