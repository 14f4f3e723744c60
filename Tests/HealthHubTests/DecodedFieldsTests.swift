import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

/// Readings in the form of `harald decode --json`, and fields that the hub does not model.
@Suite("Decoded fields", .blocksThread)
struct DecodedFieldsTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func decode(_ json: String) throws -> HealthMeasurement {
        try #require(try HealthMeasurement.decode(SubmittedReading.ofOneDevice(json: json)).first)
    }

    private func statuses(_ store: HubStore, _ readings: [SubmittedReading]) throws -> [ReadingResult.Status] {
        try store.store(readings, gateway: "g", arrived: now).results.map(\.status)
    }

    // MARK: Both forms

    /// A value, and its fields as `harald decode CHARACTERISTIC HEX --json` prints them.
    struct Vector: Sendable, CustomTestStringConvertible {
        let characteristic, hex, json: String
        init(_ characteristic: String, _ hex: String, _ json: String) {
            (self.characteristic, self.hex, self.json) = (characteristic, hex, json)
        }
        var testDescription: String { "\(characteristic) \(hex)" }
    }

    private static let vectors = [
        Vector(
            "2A35", "1E8E0058006900EA070B0A0800004800020000",
            """
            {"diastolic":{"unit":"mmHg","value":88},"meanArterialPressure":{"unit":"mmHg","value":105},
            "measurementStatus":{"names":[],"value":0},"pulseRate":{"unit":"bpm","value":72},
            "systolic":{"unit":"mmHg","value":142},"timeStamp":"2026-11-10T08:00:00","userID":2}
            """),
        Vector(
            "2A18", "0B0100EA070A0A0800003C0064B0112000",
            """
            {"baseTime":"2026-10-10T08:00:00","contextInformationFollows":false,
            "glucoseConcentration":{"display":[{"unit":"mg/dL","value":100},{"unit":"mmol/L","value":5.6}],
            "unit":"kg/L","value":0.00100},"sampleLocation":{"name":"finger","value":1},
            "sensorStatusAnnunciation":{"names":["resultTooHigh"],"value":32},"sequenceNumber":1,
            "timeOffset":{"unit":"min","value":60},"type":{"name":"capillary whole blood","value":1}}
            """),
        // Without a concentration.
        Vector(
            "2A18", "080200EA070A0A0800002000",
            """
            {"baseTime":"2026-10-10T08:00:00","contextInformationFollows":false,
            "sensorStatusAnnunciation":{"names":["resultTooHigh"],"value":32},"sequenceNumber":2}
            """),
        Vector("2A34", "02020001", #"{"meal":{"name":"preprandial","value":1},"sequenceNumber":2}"#),
        Vector(
            "2A9D", "0EB036EA070B0A080000010A01A406",
            """
            {"bmi":{"unit":"kg/m²","value":26.6},"height":{"unit":"m","value":1.700},
            "timeStamp":"2026-11-10T08:00:00","userID":1,"weight":{"unit":"kg","value":70.000}}
            """),
        Vector(
            "2A9C", "0004FA00B036",
            #"{"bodyFatPercentage":{"unit":"%","value":25.0},"weight":{"unit":"kg","value":70.000}}"#),
        Vector("2A9C", "0000FFFF", #"{"bodyFatPercentage":{"special":"NaN","unit":"%","value":null}}"#),
        Vector(
            "2A1C", "0668010000EA070B0A08000001",
            """
            {"temperature":{"unit":"°C","value":360},"temperatureType":{"name":"armpit","value":1},
            "timeStamp":"2026-11-10T08:00:00"}
            """),
        Vector(
            "2A1C", "04680100FF02",
            #"{"temperature":{"unit":"°C","value":36.0},"temperatureType":{"name":"body","value":2}}"#),
        Vector(
            "2A5E", "0162004800EA070B0A080000",
            """
            {"pulseRate":{"unit":"bpm","value":72},"spO2":{"unit":"%","value":98},
            "timeStamp":"2026-11-10T08:00:00"}
            """),
        Vector(
            "2A5F", "0062004800", #"{"pulseRate":{"unit":"bpm","value":72},"spO2":{"unit":"%","value":98}}"#),
        Vector(
            "2A37", "0648",
            """
            {"heartRateMeasurementValue":{"unit":"bpm","value":72},"sensorContactStatus":{"name":"detected","value":3}}
            """),
        Vector(
            "2AA7", "060032000F0006003C001400",
            """
            {"cgmMeasurement":[{"cgmGlucoseConcentration":{"display":[{"unit":"mg/dL","value":50},
            {"unit":"mmol/L","value":2.8}],"unit":"mg/dL","value":50},"timeOffset":{"unit":"min","value":15}},
            {"cgmGlucoseConcentration":{"display":[{"unit":"mg/dL","value":60},{"unit":"mmol/L","value":3.3}],
            "unit":"mg/dL","value":60},"timeOffset":{"unit":"min","value":20}}]}
            """),
    ]

    @Test("The decoder's fields are the same measurement as the octets", arguments: vectors)
    func bothForms(_ vector: Vector) throws {
        func prepared(_ reading: SubmittedReading) throws -> [PreparedReading.Record] {
            // The value that is impossible in fields is refused, and reserved in octets.
            do {
                return try PreparedReading(reading, arrived: now, zone: .gmt).records
            } catch  where error.description.hasPrefix("fields: ") {
                return []
            }
        }
        let octets = try prepared(SubmittedReading.ofOneDevice(vector.characteristic, hex: vector.hex))
        let fields = try prepared(SubmittedReading.ofOneDevice(vector.characteristic, json: vector.json))
        guard !fields.isEmpty else {
            #expect(octets.allSatisfy { !$0.measurement.isCounted })
            return
        }
        #expect(octets.map(\.taken) == fields.map(\.taken))
        #expect(octets.count == fields.count)
        for (octets, fields) in zip(octets.map(\.measurement), fields.map(\.measurement)) {
            #expect(octets.kind == fields.kind)
            #expect(octets.quantities.map(\.name) == fields.quantities.map(\.name))
            #expect(octets.quantities.map(\.value) == fields.quantities.map(\.value))
            #expect(octets.quantities.map(\.unit) == fields.quantities.map(\.unit))
            #expect(octets.deviceTime == fields.deviceTime)
            #expect(octets.userIndex == fields.userIndex && octets.sequenceNumber == fields.sequenceNumber)
            #expect(octets.isCounted == fields.isCounted)
            #expect(octets.qualifiers == fields.qualifiers && octets.isGlucoseContext == fields.isGlucoseContext)
        }
    }

    @Test("Urgent values of a continuous monitor are urgent in fields too")
    func urgentFields() throws {
        let temporary = try TemporaryStore()
        let anna = try temporary.store.addPerson(name: "Anna", born: "1961-04-30")
        _ = try temporary.store.assign("D-1", to: anna.id)
        let json = #"""
            {"cgmMeasurement":[{"cgmGlucoseConcentration":{"display":[{"unit":"mg/dL","value":50},
            {"unit":"mmol/L","value":2.8}],"unit":"mg/dL","value":50},"timeOffset":{"unit":"min","value":15}}]}
            """#
        let result = try temporary.store.store(
            [SubmittedReading.ofOneDevice("2AA7", json: json)], gateway: "g", arrived: now
        ).results[0]
        #expect(result.judgement?.code == "hypoglycaemia-level-2")
        let octets = try temporary.store.store(
            [SubmittedReading.ofOneDevice("2AA7", hex: "060032000F00")], gateway: "g", arrived: now
        ).results[0]
        #expect(octets.judgement?.code == "hypoglycaemia-level-2")
    }

    @Test("Fields beside the records of a monitor are stored with each of them")
    func fieldsBesideRecords() throws {
        let temporary = try TemporaryStore()
        let record = #"{"cgmGlucoseConcentration":{"value":90,"unit":"mg/dL"},"timeOffset":"#
        let value = try SubmittedReading.ofOneDevice(
            json: #"{"cgmMeasurement":[\#(record)0},\#(record)5}],"battery":80}"#)
        #expect(try statuses(temporary.store, [value]) == [.stored])
        let fields = try temporary.store.database.read { db in
            try db.rows("SELECT fields FROM reading", []).map { $0["fields"] as String? ?? "" }
        }
        #expect(fields.count == 2 && fields.allSatisfy { $0.hasPrefix(#"{"battery":80,"#) }, "\(fields)")
    }

    // MARK: Identity

    @Test("Fields and statuses beside quantities are no part of the identity, octets are", arguments: StoreKind.all)
    func otherFields(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let fields = [
            #"{"bodyFat":20}"#, #"{"bodyFat":20,"water":55}"#, #"{"bodyFat":20,"water":54}"#, #"{"bodyFat":20}"#,
            #"{"water":55,"bodyFat":20}"#,
        ]
        #expect(
            try statuses(temporary.store, fields.map { try SubmittedReading.ofOneDevice(json: $0) })
                == [.stored, .known, .known, .known, .known])
        let pressure = #""systolic":120,"diastolic":80"#
        #expect(
            try statuses(
                temporary.store,
                [
                    SubmittedReading.ofOneDevice(json: "{\(pressure)}"),
                    SubmittedReading.ofOneDevice(json: #"{\#(pressure),"measurementStatus":1}"#),
                ]
            ) == [.stored, .known])
        // The octets of a vendor, and the long form of a UUID.
        let vendor = try [
            SubmittedReading.ofOneDevice(hex: "A501", json: "{}"),
            SubmittedReading.ofOneDevice("2A19", hex: "05", json: "{}"),
            SubmittedReading.ofOneDevice("00002A19-0000-1000-8000-00805F9B34FB", hex: "05", json: "{}"),
        ]
        #expect(try statuses(temporary.store, vendor) == [.stored, .stored, .known])
    }

    // MARK: Values

    @Test("A measurement without any quantity of its kind does not count")
    func missing() throws {
        for (json, reason) in [
            (#"{"height":1.7}"#, "weight is missing"), (#"{"bmi":0}"#, "weight is missing"),
            (#"{"meanArterialPressure":90,"pulseRate":70}"#, "systolic is missing"),
            (#"{"temperature":{"special":"not-a-number","unit":"°C"}}"#, "the measurement was unsuccessful"),
            (#"{"glucose":{"special":"+INF","value":null,"unit":"mg/dL"}}"#, "glucose is +INF"),
        ] {
            #expect(try decode(json).reservation?.description == reason, "\(json)")
        }
        for json in [#"{"bmi":22}"#, #"{"bodyFat":20}"#, #"{"systolic":101,"diastolic":100}"#, #"{"steps":1000}"#] {
            #expect(try decode(json).isCounted, "\(json)")
        }
        // The characteristic decides the kind.
        let pressure = try HealthMeasurement.decode(SubmittedReading.ofOneDevice("2A35", json: "{}"))
        #expect(pressure.map(\.kind) == [.bloodPressure] && pressure.map(\.reservation) == ["systolic is missing"])
    }

    @Test("A special value is one of the decoder, and a unit is a text")
    func specialsAndUnits() throws {
        for (json, problem) in [
            (#"{"weight":{"special":"=1+1","unit":"kg"}}"#, "special is not a special value such as NaN: '=1+1'"),
            (#"{"weight":{"special":5,"unit":"kg"}}"#, "special is not a special value such as NaN: ''"),
            (#"{"weight":{"value":154,"unit":{"code":"lb"}}}"#, "the unit is not a text"),
            (#"{"weight":{"value":154,"unit":["lb"]}}"#, "the unit is not a text"),
            (#"{"weight":{"value":154,"unit":5}}"#, "the unit is not a text"),
        ] {
            #expect(throws: ReadingProblem("fields.weight: " + problem), "\(json)") { try decode(json) }
        }
        let specials = ["NaN", "NRes", "+INF", "-INF", "reserved", "unknown", "overrun", "not-a-number"]
        for name in specials {
            let value = try decode(#"{"weight":{"special":"\#(name)","value":null,"unit":"kg"}}"#)
            #expect(value.quantities.map(\.text) == [name] && !value.isCounted)
        }
        for json in [#"{"weight":{"value":154,"unit":null}}"#, #"{"weight":{"value":154,"special":null}}"#] {
            #expect(try decode(json).text == "154 kg")
        }
    }

    @Test("A special value that another hub has sent is no formula in CSV", arguments: StoreKind.all)
    func specialInCSV(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let sent = try SubmittedReading.ofOneDevice(json: #"{"weight":{"special":"-INF","value":null,"unit":"kg"}}"#)
        #expect(try statuses(temporary.store, [sent]) == [.stored])
        let (store, directory) = (temporary.store, temporary.directory)
        func cells(_ name: String) throws -> [Substring] {
            let file = directory.appending(path: name).path
            _ = try store.export(to: file, format: .csv, person: nil)
            let lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\r\n")
            return try #require(lines.dropFirst().first).split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(try cells("a.csv")[6] == "-INF")
        _ = try store.database.write(.rows) { db in
            try db.run("UPDATE reading SET fields = ?", [#"{"weight":{"special":"=1+1","unit":"kg"}}"#])
        }
        #expect(try cells("b.csv")[6] == "'=1+1")
    }

    // MARK: Times

    @Test("In the repeated hour, the clock of a device may be ahead of that of the gateway")
    func repeatedHour() throws {
        let zone = try #require(TimeZone(identifier: "America/New_York"))
        for (wall, received, taken) in [
            ("2026-11-01T01:30:10", "2026-11-01T06:30:00Z", "2026-11-01T06:30:00Z"),
            ("2026-11-01T01:30:10", "2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z"),
        ] {
            var live = try SubmittedReading.ofOneDevice(json: #"{"weight":70}"#, time: wall)
            live.time = received
            let arrived = try Date(received, strategy: .iso8601)
            let record = try PreparedReading(live, arrived: arrived, zone: zone).records[0]
            #expect(record.taken.formatted(.iso8601) == taken)
        }
    }
}
