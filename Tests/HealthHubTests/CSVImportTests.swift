import Foundation
import GRDB
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("Import of comma-separated values", .blocksThread)
struct CSVImportTests {
    @Test("The meanings of columns are guessed from their heads, in the forms of several programs")
    func columns() throws {
        func texts(_ file: String) throws -> [String] { try CSVImport(file, person: 1).columns.map(\.text.description) }
        #expect(
            try texts("Date,Time,Systolic (mmHg),Diastolic (mmHg),Pulse (bpm),Notes\n2026-11-01,08:00,142,88,71,x\n")
                == ["date", "time of day", "systolic in mmHg", "diastolic in mmHg", "pulse in bpm", "not imported"])
        #expect(
            try texts("Datum;Uhrzeit;Gewicht;Körperfett\n01.11.2026;08:00;72,4;21,3\n")
                == ["date", "time of day", "weight in kg", "body fat in %"])
        #expect(
            try texts("Timestamp\tBlood Glucose mmol/L\n2026-11-01T08:00:00Z\t6.1\n") == [
                "date and time", "glucose in mmol/L",
            ])
        #expect(try texts("Time,SYS,DIA\n2026-11-01 08:00,142,88\n")[0] == "date and time")
        for (head, text) in [
            ("Weight (st)", "weight in st"), ("Weight (lbs)", "weight in lb"), ("Gewicht [g]", "weight in g"),
            ("Temperature (F)", "temperature in °F"), ("Body fat", "body fat in %"),
            ("Glucose (mg/dL)", "glucose in mg/dL"),
        ] {
            #expect(try texts("Date,\(head)\n2026-11-01,11.5\n")[1] == text)
        }
        // A second column of a quantity has it in another unit.
        #expect(try texts("Date,Weight (kg),Weight (lb)\n2026-11-01,72.4,159.6\n")[2] == "not imported")
    }

    @Test("Times in the usual forms are read, and others are refused")
    func times() {
        for (text, order, expected) in [
            ("2026-11-01 08:00", nil, "2026-11-01T08:00:00"), ("2026-11-01T08:00:07Z", nil, "2026-11-01T08:00:07Z"),
            ("2026-11-01T08:00:07.123+0100", nil, "2026-11-01T08:00:07+01:00"),
            ("1.11.2026 8:05", .dmy, "2026-11-01T08:05:00"), ("11/01/2026 12:05 AM", .mdy, "2026-11-01T00:05:00"),
            ("11/01/26, 1:05 pm", .mdy, "2026-11-01T13:05:00"), ("01.11.2026 08:00 Uhr", .dmy, "2026-11-01T08:00:00"),
            ("Nov 3, 2026 07:41", nil, "2026-11-03T07:41:00"), ("Nov 13 2026 07:41", nil, "2026-11-13T07:41:00"),
            ("3. März 2026 8:05", nil, "2026-03-03T08:05:00"), ("13 Okt 2026", nil, "2026-10-13T12:00:00"),
            ("Foo 3, 2026", nil, nil), ("3 Nov 4 2026", nil, nil), ("2026-11-31 08:00", nil, nil),
            ("01.11.2026 25:00", .dmy, nil), ("yesterday", .dmy, nil),
            ("01/02/2026", nil, nil),
        ] as [(String, CSVImport.DateOrder?, String?)] {
            #expect(CSVDates().moment(text, order) == expected, "\(text)")
        }
    }

    @Test("A file is shown before, imported, and stores nothing twice", arguments: StoreKind.all)
    func imports(_ kind: StoreKind) throws {
        let temporary = try TemporaryStore(kind)
        let store = temporary.store
        for name in ["Anna", "Ben"] { _ = try store.addPerson(name: name, born: "1961-04-30") }
        let file = """
            "Date","Time","SYS","DIA","Pulse","Weight, kg"
            2026-11-01,08:00,142,88,71,72.4
            2026-11-02,08:00,138,86,69,
            2026-11-03,08:00,,,,
            2026-11-04,08:00,1420,88,71,72.2
            never,08:00,138,86,69,
            """
        func perform(_ person: Int64, isDryRun: Bool = false) throws -> ImportReport {
            let answer = store.perform(
                .importReadings(text: file, person: person, columns: [:], order: nil, isDryRun: isDryRun))
            let item = try #require(answer.items.first, "\(answer.problem ?? "")")
            return try JSONDecoder().decode(ImportReport.self, from: Data(item.json.utf8))
        }
        let dry = try perform(1, isDryRun: true)
        #expect(dry.readings == 4 && dry.known == nil && dry.problemCount == 3, "\(dry)")
        #expect(dry.first[0] == "2026-11-01T08:00:00  142/88 mmHg")
        #expect(
            dry.problems.contains { $0.hasPrefix("line 5: ") && $0.contains("systolic cannot be 1420") },
            "\(dry.problems)")
        #expect(try store.readings(of: 1, kind: nil, since: .distantPast)?.total == 0)
        let first = try perform(1)
        #expect(first.readings == 4 && first.known == 0)
        let again = try perform(1)
        #expect(again.readings == 0 && again.known == 4)
        #expect(try perform(2).readings == 4)
        let page = try #require(try store.readings(of: 1, kind: .bloodPressure, since: .distantPast)?.readings)
        #expect(page.map(\.text) == ["138/86 mmHg", "142/88 mmHg"])
        #expect(page[0].values["pulseRate"]?.value == 69)
    }

    @Test("What is not clear is refused with what to do")
    func refusals() {
        func problem(_ file: String, _ columns: [String: String] = [:], _ order: CSVImport.DateOrder? = nil) -> String {
            do {
                _ = try CSVImport(file, person: 1, columns: columns, order: order)
                return ""
            } catch { return error.description }
        }
        #expect(problem("Date,Weight\n").contains("no lines"))
        #expect(problem("A,Weight\n1,2\n").contains("no column is a date"))
        #expect(problem("Date,A\n2026-11-01,2\n").contains("no column is a quantity"))
        #expect(problem("Date,Weight\n03/04/2026 08:00,72\n").contains("--dates dmy or mdy"))
        #expect(problem("Date,Weight\n03/04/2026 08:00,72\n", [:], .dmy).isEmpty)
        #expect(problem("Date,Weight\n03/04/2026 08:00,72\n03/14/2026 08:00,72\n").isEmpty)
        #expect(problem("Date,Glucose\n2026-11-01,6.1\n").contains("glucose mg/dL"))
        #expect(problem("Date,Glucose\n2026-11-01,6.1\n", ["Glucose": "glucose mmol/L"]).isEmpty)
        #expect(problem("Date,Weight\n2026-11-01,6.1\n", ["X": "-"]).contains("no column 'X'"))
        #expect(problem("Date,Weight\n2026-11-01,6.1\n", ["Weight": "mass"]).contains("no meaning"))
    }

    @Test("Values without a number, decimal commas in quotes and dates in the future")
    func cells() throws {
        func readings(_ rows: String) throws -> (values: [String?], problems: [String]) {
            let file = try CSVImport("Date,Time,Weight,SYS,DIA,Pulse\n\(rows)\n", person: 1)
            let texts = file.readings.map { ($0.fields?["weight"] ?? $0.fields?["systolic"])?["value"]?.string }
            return (texts, file.problems.map(\.description))
        }
        #expect(try readings("2026-11-01,08:00,-,142,88,-").values == ["142"])
        #expect(try readings("2026-11-01,08:00,\"72,4\",–,n/a,--").values == ["72.4"])
        let thousands = try readings("2026-11-01,08:00,\"1,072\",,,")
        #expect(thousands.values.isEmpty && thousands.problems.count == 1)
        let future = try readings("2099-11-01,08:00,72.4,,,")
        #expect(future.values.isEmpty && future.problems == ["line 2: '2099-11-01T08:00:00' is in the future"])
    }

    @Test("Texts of other systems are read", arguments: [String.Encoding.utf8, .utf16, .windowsCP1252])
    func encodings(_ encoding: String.Encoding) throws {
        let octets = try #require("Datum;Körperfett\n2026-11-01;20,1\n".data(using: encoding))
        let file = try CSVImport(CSVImport.text(of: octets), person: 1)
        #expect(file.columns.map(\.text.description) == ["date", "body fat in %"] && file.readings.count == 1)
        let excel = try CSVImport("sep=;\nDatum;Gewicht\n2026-11-01;72,4\nnie;72,4\n", person: 1)
        #expect(excel.readings.count == 1)
        #expect(excel.problems.map(\.description) == ["line 4: 'nie' is no date and time"])
    }

    @Test("On a full disk an import says what it has stored, and goes on later")
    func full() throws {
        let temporary = try TemporaryStore()
        let store = temporary.store
        let anna = try store.addPerson(name: "Anna", born: "1961-04-30").id
        let rows = (0..<1500).map { row in
            "2026-0\(1 + row % 9)-1\(row / 9 % 10),\(row / 90 % 24):\(10 + row / 2160),72.\(row % 9)"
        }
        let file = try CSVImport("Date,Time,Weight\n\(rows.joined(separator: "\n"))\n", person: anna)
        #expect(file.readings.count == 1500)
        let pool = try #require(store.database as? SQLiteDatabase).pool
        func limit(_ pages: Int) throws {
            try pool.writeWithoutTransaction { db in
                let present = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(present + pages)")
            }
        }
        try limit(0)
        func problem() -> String? {
            do {
                _ = try store.importReadings(file, of: anna, isDryRun: false)
                return nil
            } catch { return "\(error)" }
        }
        #expect(problem() == "the disk is full; nothing was changed")
        try limit(55)
        #expect(problem()?.hasPrefix("the disk is full; 1000 readings of the file are stored") == true)
        try limit(100_000)
        let report = try store.importReadings(file, of: anna, isDryRun: false)
        #expect(report.known == 1000 && report.readings == 500)
    }

    @Test("Quotes, separators and line ends of RFC 4180")
    func form() {
        #expect(CSVImport.rows("a,\"b \"\"c\"\", d\"\r\n1,\"x\ny\"").rows == [["a", "b \"c\", d"], ["1", "x\ny"]])
        #expect(CSVImport.rows("\u{FEFF}a;b\n1,5;2\n").rows == [["a", "b"], ["1,5", "2"]])
    }
}
