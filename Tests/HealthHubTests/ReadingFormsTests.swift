import BluetoothModel
import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// The identity of readings in any form, and measurements that are not those of a person.
@Suite("Forms of readings", .blocksThread)
struct ReadingFormsTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func statuses(_ store: HubStore, _ readings: [SubmittedReading]) throws -> [ReadingResult.Status] {
        try store.store(readings, gateway: "g", arrived: now).results.map(\.status)
    }

    @Test("Fields without known quantities are part of the identity", arguments: StoreKind.all)
    func otherFields(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let readings = try [#"{"steps":1000}"#, #"{"floors":3}"#, #"{"steps":2000}"#, #"{"steps":1000}"#].map {
            try SubmittedReading.ofOneDevice(json: $0)
        }
        #expect(try statuses(temporary.store, readings) == [.stored, .stored, .stored, .known])
    }

    @Test("Octets of a vendor are stored and part of the identity", arguments: StoreKind.all)
    func vendorOctets(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let weight = #"{"weight":{"value":70,"unit":"kg"}}"#
        let readings = try [
            SubmittedReading.ofOneDevice(hex: "A5015A", json: weight),
            SubmittedReading.ofOneDevice(hex: "A5025B", json: weight),
            SubmittedReading.ofOneDevice(hex: "a5 01 5a", json: weight),
            SubmittedReading.ofOneDevice(hex: "ZZ", json: weight),
            SubmittedReading.ofOneDevice("2A19", hex: "05", json: "{}"),
            SubmittedReading.ofOneDevice("2A1A", hex: "05", json: "{}"),
            SubmittedReading.ofOneDevice("2a19", hex: "05", json: "{}"),
        ]
        #expect(
            try statuses(temporary.store, readings) == [.stored, .stored, .known, .refused, .stored, .stored, .known])
        let raw = try temporary.store.database.read { db in
            try db.rows("SELECT raw FROM reading ORDER BY id").map { row in
                (row["raw"] as Data?)?.hexText()
            }
        }
        #expect(raw == ["A5015A", "A5025B", "05", "05"])
    }

    /// A quantity in decoded fields.
    private static func field(_ name: String, _ value: String, _ unit: String) -> String {
        #""\#(name)":{"unit":"\#(unit)","value":\#(value)}"#
    }

    private static func glucose(_ value: String, _ offset: String) -> String {
        "{" + field("cgmGlucoseConcentration", value, "mg/dL") + "," + field("timeOffset", offset, "min") + "}"
    }

    private static func heartRate(_ value: String) -> String {
        "{" + field("heartRateMeasurementValue", value, "bpm")
            + #","sensorContactStatus":{"name":"not detected","value":2}}"#
    }

    private static let noPressures = ["systolic", "diastolic", "meanArterialPressure"].map {
        #""\#($0)":{"special":"NaN","unit":"mmHg","value":null}"#
    }

    @Test(
        "Decoded fields are the same measurement as their octets",
        arguments: [
            ("2AA7", "060032000F00", #"{"cgmMeasurement":[\#(glucose("50", "15"))]}"#),
            (
                "2AA7", "060032000F000600B4001400",
                #"{"cgmMeasurement":[\#(glucose("50", "15")),\#(glucose("180", "20"))]}"#
            ),
            (
                "2A18", "0B0100EA070A0A0800003C0064B0112000",
                #"{"baseTime":"2026-10-10T08:00:00","sequenceNumber":1,"#
                    + field("glucoseConcentration", "0.00100", "kg/L") + "," + field("timeOffset", "60", "min") + "}"
            ),
            (
                "2A9C", "0004FA00B036",
                "{" + field("bodyFatPercentage", "25.0", "%") + "," + field("weight", "70.000", "kg") + "}"
            ),
            ("2A37", "0400", heartRate("0")),
            ("2A37", "0448", heartRate("72")),
            ("2A35", "00FF07FF07FF07", "{\(noPressures.joined(separator: ","))}"),
            (
                "2A9D", "08B03600000000",
                "{" + field("bmi", "0.0", "kg/m²") + "," + field("height", "0.000", "m") + ","
                    + field("weight", "70.000", "kg") + "}"
            ),
        ])
    func decodedFields(_ characteristic: String, _ hex: String, _ json: String) throws {
        let octets = try PreparedReading(
            SubmittedReading.ofOneDevice(characteristic, hex: hex), arrived: now, zone: .gmt
        ).records
        let fields = try PreparedReading(SubmittedReading.ofOneDevice(json: json), arrived: now, zone: .gmt).records
        #expect(octets.map(\.measurement.kind) == fields.map(\.measurement.kind))
        #expect(octets.map(\.taken) == fields.map(\.taken))
        #expect(octets.map(\.measurement.statistics) == fields.map(\.measurement.statistics))
        #expect(octets.map(\.measurement.reservation) == fields.map(\.measurement.reservation))
        #expect(octets.map(\.measurement.sequenceNumber) == fields.map(\.measurement.sequenceNumber))
    }

    @Test("Exported JSON Lines are the same readings in any hub", arguments: StoreKind.all)
    func jsonLines(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        func received(_ characteristic: String, _ hex: String, id: String?, time: String?) throws -> SubmittedReading {
            var reading = try SubmittedReading.ofOneDevice(characteristic, hex: hex, time: nil)
            (reading.id, reading.time) = (id, time)
            return reading
        }
        let readings = [
            try .ofOneDevice("2A35", hex: "1E8E0058006900EA070B0E0800004800FF0000", time: nil),
            // A time without a date.
            try received("2A35", "1E8E00580069000000000008000048000000FF", id: "a", time: nil),
            try received("2A1C", "004C0E00FE", id: "b", time: "2026-11-10T10:00:00Z"),
            try received("2A1C", "004C0E00FE", id: nil, time: "2026-11-10T10:00:00.25Z"),
            try .ofOneDevice("2A18", hex: "020700EA070B0A08000064B011", time: nil),
            try .ofOneDevice("2A34", hex: "02070001", time: nil),
            try .ofOneDevice("2AA7", hex: "060032000F000600B4001400"),
            try .ofOneDevice(json: #"{"steps":1000}"#),
        ]
        #expect(try statuses(temporary.store, readings) == Array(repeating: .stored, count: 8))
        let file = temporary.directory.appending(path: "a.jsonl").path
        #expect(try temporary.store.export(to: file, format: .jsonl, person: nil).written == 9)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let exported = try SubmittedReading.batch(Array(#"{"readings":[\#(lines.joined(separator: ","))]}"#.utf8))
        #expect(try statuses(temporary.store, exported) == Array(repeating: .known, count: 9))
        let other = try TemporaryStore(kind)
        #expect(try statuses(other.store, exported) == Array(repeating: .stored, count: 9))
        #expect(try statuses(other.store, exported) == Array(repeating: .known, count: 9))
        // A device time identifies a reading however it reaches a hub.
        for index in [0, 4, 5, 6, 7] { #expect(try statuses(other.store, [readings[index]]) == [.known], "\(index)") }
    }

    @Test("An overrun of the time offset is no offset", arguments: ["0080", "FF7F"])
    func offsetSpecials(_ offset: String) throws {
        let reading = try SubmittedReading.ofOneDevice("2A18", hex: "030900EA070B0A080000\(offset)35B011", time: nil)
        let record = try #require(PreparedReading(reading, arrived: now, zone: .gmt).records.first)
        #expect(record.measurement.deviceTime?.description == "2026-11-10T08:00:00")
    }

    @Test(
        "A number with a positive exponent is written without it",
        arguments: [
            ("2A35", "000E1050000000", "140/80 mmHg"), ("2A35", "008E0050000000", "142/80 mmHg"),
            ("2A35", "008E0520030000", "1422/800 mmHg"), ("2A1C", "0004000001", "40 °C"),
            ("2A1C", "00680100FF", "36.0 °C"),
        ])
    func exponents(_ characteristic: String, _ hex: String, _ text: String) throws {
        let reading = try SubmittedReading.ofOneDevice(characteristic, hex: hex)
        #expect(try HealthMeasurement.decode(reading).map(\.text) == [text])
    }

    @Test("The clock of an oximeter that was not set has no time", arguments: StoreKind.all)
    func unsetClock(_ kind: StoreKind) throws {
        // Flags: time stamp, clock not set.
        var reading = try SubmittedReading.ofOneDevice("2A5E", hex: "11610048 00EA070B01080000", time: nil)
        reading.time = "2026-11-10T10:00:00Z"
        let taken = ReadingTime.date("2026-11-10T10:00:00Z")
        #expect(try PreparedReading(reading, arrived: now, zone: .gmt).records.map(\.taken) == [taken])
        let fields = try SubmittedReading.ofOneDevice(
            json: #"{"spO2":97,"deviceClockIsNotSet":true,"timeStamp":"2026-11-01T08:00:00"}"#)
        let decoded = try PreparedReading(fields, arrived: now, zone: .gmt).records
        #expect(decoded.map(\.measurement.isClockUnset) == [true])
    }

    @Test(
        "A temperature or pressure of another characteristic is no body temperature or blood pressure",
        arguments: [
            ("2A6E", #"{"temperature":{"value":21.0,"unit":"°C"}}"#),
            ("2A1E", #"{"temperature":{"value":34.0,"unit":"°C"}}"#),
            ("2A36", #"{"systolic":{"value":190,"unit":"mmHg"}}"#),
        ])
    func otherCharacteristics(_ characteristic: String, json: String) throws {
        var reading = try SubmittedReading.ofOneDevice(json: json)
        #expect(try PreparedReading(reading, arrived: now, zone: .gmt).records[0].measurement.kind != .other)
        reading.characteristic = characteristic
        #expect(try PreparedReading(reading, arrived: now, zone: .gmt).records[0].measurement.kind == .other)
    }

    @Test("Times that do not exist are refused")
    func impossibleTimes() throws {
        for time in [
            "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-20T25:00:00Z", "2026-11-20T24:00:00Z",
            "2026-11-20T08:61:00Z", "2026-11-20T08:00:61Z", "2026-13-20T08:00:00Z", "2026-11-20T08:00:00+25:00",
            "2026-11-20T08:00:00+01:60",
        ] {
            var reading = try SubmittedReading.ofOneDevice("2A1C", hex: "004C0E00FE", time: nil)
            reading.time = time
            #expect(throws: ReadingProblem.self, "\(time)") { try PreparedReading(reading, arrived: now, zone: .gmt) }
        }
        for (time, utc) in [
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("2026-11-20t08:00:00.5+05:45", "2026-11-20T02:15:00.5Z"),
            ("2026-11-20 08:00:00-03:00", "2026-11-20T11:00:00Z"),
        ] {
            #expect(ReadingTime.normalised(time) == utc)
        }
    }

    @Test(
        "The last record of a value is the current one, and an urgent one is in the response", arguments: StoreKind.all)
    func recordsOfValue(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.assign("D-1", to: anna.id)
        // 100, 40 and 100 mg/dL, five minutes apart.
        var reading = try SubmittedReading.ofOneDevice(
            "2AA7", hex: "06 00 6400 0500 06 00 2800 0A00 06 00 6400 0F00", time: nil)
        reading.time = "2026-11-10T10:00:00Z"
        let result = try temporary.store.store([reading], gateway: "g", arrived: now).results[0]
        #expect(result.status == .stored && result.judgement?.code == "hypoglycaemia-level-2")
        let times = try temporary.store.database.read { db in
            try db.values("SELECT taken FROM reading ORDER BY taken", []) as [Int64]
        }
        let last = try #require(ReadingTime.date("2026-11-10T10:00:00Z"))
        #expect(times == [-600, -300, 0].map { Int64(last.timeIntervalSince1970) + $0 })
        #expect(try temporary.store.store([reading], gateway: "g", arrived: now).results[0].status == .known)
    }

    @Test("An identity is that of one reading, and 16 octets")
    func identity() throws {
        let temporary = try TemporaryStore()
        var readings = [try SubmittedReading.ofOneDevice("2AA7", hex: "060032000F000600B4001400")]
        readings[0].identity = String(repeating: "0", count: 32)
        for identity in ["", "00", "x", String(repeating: "0", count: 34)] {
            var reading = try SubmittedReading.ofOneDevice("2A1C", hex: "004C0E00FE")
            reading.identity = identity
            readings.append(reading)
        }
        #expect(try statuses(temporary.store, readings) == Array(repeating: .refused, count: 5))
    }

    @Test("Records of a monitor in fields are stored one by one", arguments: StoreKind.all)
    func recordsInFields(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.assign("D-1", to: anna.id)
        let records = (0..<3).map { Self.glucose("\(50 + $0)", "\($0 * 5)") }
        let value = try SubmittedReading.ofOneDevice(json: #"{"cgmMeasurement":[\#(records.joined(separator: ","))]}"#)
        #expect(try statuses(temporary.store, [value, value]) == [.stored, .known])
        let list = try #require(try temporary.store.readings(of: anna.id, kind: nil, since: now - 30 * 86400)).readings
        #expect(list.map(\.text.description).sorted() == ["50 mg/dL", "51 mg/dL", "52 mg/dL"])
        #expect(Set(list.map(\.time)).count == 3)
        for wrong in ["{}", "[]", "[1]"] {
            #expect(
                try statuses(temporary.store, [SubmittedReading.ofOneDevice(json: #"{"cgmMeasurement":\#(wrong)}"#)])
                    == [.refused])
        }
    }

    @Test(
        "Failed measurements do not count",
        arguments: ["00FF07FF07FF07 2A35", "00FF0748F0 2A5E", "00FFFF7F00 2A1C", "0400 2A37", "0448 2A37"])
    func failed(_ value: String) throws {
        let parts = value.split(separator: " ").map(String.init)
        let measurement = try #require(
            try HealthMeasurement.decode(SubmittedReading.ofOneDevice(parts[1], hex: parts[0])).first)
        #expect(!measurement.isCounted)
    }

    @Test("A body mass index of 0 is computed from the height, and a pulse of 0 has no mean")
    func unknownValues() throws {
        let scale = try #require(
            try HealthMeasurement.decode(SubmittedReading.ofOneDevice("2A9D", hex: "08B03600000000")).first)
        #expect(scale.withBodyMassIndex(height: nil)["bmi"] == nil && scale.statistics[1] == nil)
        let index = try #require(scale.withBodyMassIndex(height: 1.7)["bmi"]?.canonical)
        #expect((24.2..<24.3).contains(index))
        let cuff = try #require(
            try HealthMeasurement.decode(SubmittedReading.ofOneDevice("2A35", hex: "047800500060000000")).first)
        #expect(cuff.isCounted && cuff.statistics == [120, 80, nil])
    }

    @Test("Fields that are no numbers are refused", arguments: ["true", "{}", #""heavy""#, #"{"unit":"kg"}"#])
    func noNumbers(_ value: String) throws {
        #expect(throws: ReadingProblem.self) {
            try HealthMeasurement.decode(SubmittedReading.ofOneDevice(json: #"{"weight":\#(value)}"#))
        }
    }

    @Test("The time that is sent replaces an incomplete time of the octets")
    func incompleteTime() throws {
        let cuff = try SubmittedReading.ofOneDevice("2A35", hex: "02780050006000EA070000000000")
        let taken = try PreparedReading(cuff, arrived: now, zone: .gmt).records[0].taken
        #expect(taken.formatted(.iso8601) == "2026-11-10T10:00:00Z")
        // 30 February.
        let date = try SubmittedReading.ofOneDevice("2A35", hex: "02780050006000EA07021E0A0000")
        #expect(try PreparedReading(date, arrived: now, zone: .gmt).records[0].taken == now)
    }

    @Test(
        "In the repeated hour the last time is taken that is not after the reception",
        arguments: [
            ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T06:30:00Z", "2026-11-01T06:30:00Z"),
            ("America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z"),
            ("America/New_York", "2026-11-01T03:30:00", "2026-11-03T00:00:00Z", "2026-11-01T08:30:00Z"),
            ("America/New_York", "2026-03-08T01:59:00", "2026-03-09T00:00:00Z", "2026-03-08T06:59:00Z"),
            ("America/New_York", "2026-03-08T03:01:00", "2026-03-09T00:00:00Z", "2026-03-08T07:01:00Z"),
            ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z"),
            ("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:31:00Z", "2026-10-25T00:30:00Z"),
            ("Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-05T15:16:00Z", "2026-04-04T15:15:00Z"),
        ])
    func repeatedHour(_ zone: String, _ wall: String, _ received: String, _ taken: String) throws {
        var value = try SubmittedReading.ofOneDevice(json: #"{"weight":70}"#, time: wall)
        value.time = received
        let arrived = try Date(received, strategy: .iso8601)
        let records = try PreparedReading(value, arrived: arrived, zone: #require(TimeZone(identifier: zone))).records
        #expect(records[0].taken.formatted(.iso8601) == taken)
    }
}
