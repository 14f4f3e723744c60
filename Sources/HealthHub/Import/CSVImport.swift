import BluetoothModel
import Foundation
import JSON

/// Readings of a person in comma-separated values, with columns whose meaning is guessed from their heads.
package struct CSVImport: Sendable {
    package enum Meaning: Sendable, Equatable {
        /// Date, time of day, or both.
        case date, timeOfDay, moment
        case quantity(String, unit: String)
        case ignored
    }

    package struct Column: Sendable, Equatable {
        package let head: String
        package var meaning: Meaning

        /// "systolic in mmHg".
        package var text: HubText {
            switch meaning {
            case .date: "date"
            case .timeOfDay: "time of day"
            case .moment: "date and time"
            case .quantity(let name, let unit): "\(QuantityKind.label(name)) in \(unit)"
            case .ignored: "not imported"
            }
        }
    }

    /// The order of the numbers of a date such as 03/04/2026.
    package enum DateOrder: String, Sendable, CaseIterable { case dmy, mdy }

    /// The maximum number of rows.
    package static let mostRows = 200_000
    package let columns: [Column]
    /// The readings, as fields with the time on the clock of the person.
    package private(set) var readings: [SubmittedReading] = []
    /// The lines that are no readings, with the reason.
    package private(set) var problems: [HubText] = []

    /// - Parameters:
    ///   - columns: meanings by head, such as `["Puls": "pulseRate bpm"]`, or `-` for a column that is not imported.
    ///   - order: the order of dates that the file does not tell.
    /// - Throws: ``HubProblem`` for a file without a date or a quantity, and for dates with an unknown order.
    package init(
        _ text: String, person: Int64, columns meanings: [String: String] = [:], order: DateOrder? = nil
    ) throws(HubProblem) {
        let (rows, delimiter) = Self.rows(text)
        // Excel begins a file with the separator: "sep=;".
        let first = rows.first?.first?.lowercased() == "sep=" ? 1 : 0
        guard rows.count > first + 1 else {
            throw HubProblem(.invalid, "the file has no lines after the one with the heads of the columns")
        }
        guard rows.count <= Self.mostRows else {
            throw HubProblem(.tooLarge, "the file has more than \(Self.mostRows) lines; split it")
        }
        let heads = rows[first]
        var (columns, quantities): ([Column], Set<String>) = ([], [])
        for head in heads {
            var column = Column(head: head, meaning: try Self.meaning(of: head, meanings))
            // Of two columns with a quantity, such as its value in two units, the first one is used.
            if case .quantity(let name, _) = column.meaning, !quantities.insert(name).inserted {
                column.meaning = .ignored
            }
            columns.append(column)
        }
        for name in meanings.keys where !heads.contains(name) {
            throw HubProblem(
                .notFound, "there is no column '\(name)'; the columns are \(heads.joined(separator: ", "))")
        }
        // "Time" beside a date is a time of day.
        let hasDate = columns.contains { $0.meaning == .date }
        for index in columns.indices where columns[index].meaning == .timeOfDay && !hasDate {
            columns[index].meaning = .moment
        }
        self.columns = columns
        guard columns.contains(where: { [.date, .moment].contains($0.meaning) }) else {
            throw HubProblem(.invalid, "no column is a date; name one: --column HEAD=date")
        }
        guard columns.contains(where: { if case .quantity = $0.meaning { true } else { false } }) else {
            throw HubProblem(.invalid, "no column is a quantity; name one: --column 'HEAD=systolic mmHg'")
        }
        let index = columns.firstIndex { [.date, .moment].contains($0.meaning) } ?? 0
        let texts = rows.dropFirst(first + 1).lazy.filter { $0.count > index }.map { $0[index] }
        let dates = CSVDates()
        let order = if let order { order } else { try dates.order(of: texts) }
        for (line, row) in rows.enumerated().dropFirst(first + 1) where row.contains(where: { !$0.isEmpty }) {
            add(row, line: line + 1, person, dates, order, hasDecimalComma: delimiter != ",")
        }
    }

    private mutating func add(
        _ row: [String], line: Int, _ person: Int64, _ dates: CSVDates, _ order: DateOrder?, hasDecimalComma: Bool
    ) {
        var (date, clock, fields): (String?, String?, [String: JSONValue]) = (nil, nil, [:])
        let absent = ["", "-", "--", "–", "n/a", "null"]
        for (column, cell) in zip(columns, row) where !absent.contains(cell.lowercased()) {
            switch column.meaning {
            case .date: date = cell
            case .timeOfDay: clock = cell
            case .moment: date = cell
            case .quantity(let name, let unit):
                // Before three digits it may be a separator of thousands.
                let isDecimal = hasDecimalComma || cell.split(separator: ",").last?.count ?? 3 < 3
                let number = isDecimal ? cell.replacing(",", with: ".") : cell
                fields[name] = ["value": .string(number), "unit": .string(unit)]
            case .ignored: break
            }
        }
        guard !fields.isEmpty else { return problems.append("line \(line): no value") }
        guard let date, let moment = dates.moment(clock.map { "\(date) \($0)" } ?? date, order) else {
            return problems.append("line \(line): '\(date ?? "")' is no date and time")
        }
        let hasZone = moment.hasSuffix("Z") || moment.dropFirst(11).contains { "+-".contains($0) }
        // Zones differ by less than a day.
        if let time = ReadingTime.date(hasZone ? moment : moment + "Z"), time > Date(timeIntervalSinceNow: 86400) {
            return problems.append("line \(line): '\(moment)' is in the future")
        }
        var reading = SubmittedReading()
        // Of two people the same value at the same minute is two readings.
        reading.device = .init(id: "import-\(person)", name: "imported")
        // The time of reception says that an old time is right.
        reading.time = hasZone ? moment : ReadingTime.time(ofPast: moment, in: .current)?.formatted(.iso8601)
        if !hasZone { reading.deviceTime = moment }
        // A row may have values of several kinds. A pulse is one of the others, or else a heart rate.
        let pulse = fields.removeValue(forKey: "pulseRate")
        var parts: [[String: JSONValue]] = []
        for kind in MeasurementKind.allCases where kind != .continuousGlucose {
            let names = kind.values.map(\.quantity.name)
            let own = fields.filter { names.contains($0.key) }
            guard kind.values.contains(where: { $0.isIndicative && own[$0.quantity.name] != nil }) else { continue }
            parts.append(own)
            for name in own.keys { fields[name] = nil }
        }
        if let pulse {
            let owner = parts.firstIndex { $0["systolic"] != nil || $0["spO2"] != nil }
            if let owner {
                parts[owner]["pulseRate"] = pulse
            } else {
                parts.append(["heartRateMeasurementValue": pulse])
            }
        }
        for part in parts {
            reading.fields = part
            do throws(ReadingProblem) {
                _ = try PreparedReading(reading, arrived: Date(), zone: .current)
                readings.append(reading)
            } catch {
                problems.append("line \(line): \(error.text)")
            }
        }
    }

    // MARK: Columns

    /// The words in the heads of columns: English and German.
    private static let words: [(quantity: String, unit: String, words: [String])] = [
        ("systolic", "mmHg", ["systol", "sys", "oberer", "upper"]),
        ("diastolic", "mmHg", ["diastol", "dia", "unterer", "lower"]),
        ("pulseRate", "bpm", ["pulse", "puls", "heart rate", "herzfrequenz", "hr", "bpm"]),
        ("bodyFat", "%", ["fat", "fett"]), ("bmi", "kg/m²", ["bmi"]), ("weight", "kg", ["weight", "gewicht"]),
        ("temperature", "°C", ["temp", "fieber"]),
        ("spO2", "%", ["spo2", "oxygen", "sauerstoff", "saturation", "sättigung"]),
        ("glucose", "", ["glucose", "glukose", "blutzucker", "blood sugar", "bg", "bz"]),
    ]
    /// The units by the words that name them in heads.
    private static let units = [
        "mmol": "mmol/L", "mmol/l": "mmol/L", "mg/dl": "mg/dL", "lb": "lb", "lbs": "lb", "st": "st", "stone": "st",
        "g": "g", "kpa": "kPa", "°f": "°F", "f": "°F", "fahrenheit": "°F",
    ]

    private static func meaning(of head: String, _ given: [String: String]) throws(HubProblem) -> Meaning {
        if let text = given[head] {
            switch text {
            case "-": return .ignored
            case "date": return .date
            case "time": return .timeOfDay
            default:
                let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
                guard let quantity = parts.first.flatMap({ QuantityKind[$0] }),
                    let unit = parts.count == 2 ? parts[1] : quantity.standardUnit
                else {
                    throw HubProblem(
                        .invalid,
                        "'\(text)' is no meaning of a column; use date, time, -, or a quantity such as 'glucose mmol/L'"
                    )
                }
                return .quantity(quantity.name, unit: unit)
            }
        }
        let name = head.lowercased()
        let parts = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        for (quantity, usual, words) in words {
            guard words.contains(where: { word in word.count < 4 ? parts.contains(word) : name.contains(word) }) else {
                continue
            }
            let marks = name.split { !$0.isLetter && !$0.isNumber && !"/°".contains($0) }
            let named = marks.lazy.compactMap { units[String($0)] }
                .first { (try? QuantityKind[quantity]?.stored(1, $0)) != nil }
            let unit = named ?? usual
            guard !unit.isEmpty else {
                throw HubProblem(
                    .invalid, "the unit of '\(head)' is not known; use --column '\(head)=glucose mg/dL' or mmol/L")
            }
            return .quantity(quantity, unit: unit)
        }
        if ["timestamp", "datetime", "zeitpunkt", "taken", "measured"].contains(where: name.contains) {
            return .moment
        }
        if ["date", "datum", "day", "tag"].contains(where: parts.contains) {
            return ["time", "zeit", "uhrzeit"].contains(where: parts.contains) ? .moment : .date
        }
        return ["time", "zeit", "uhrzeit"].contains(where: parts.contains) ? .timeOfDay : .ignored
    }

    // MARK: The form of the file

    /// Returns the text of a file in UTF-8, in UTF-16 with a byte order mark, or else in Windows-1252.
    package static func text(of octets: Data) -> String {
        let isUTF16 = octets.starts(with: [0xFF, 0xFE]) || octets.starts(with: [0xFE, 0xFF])
        return String(data: octets, encoding: isUTF16 ? .utf16 : .utf8)
            ?? String(data: octets, encoding: .windowsCP1252) ?? String(decoding: octets, as: UTF8.self)
    }

    /// Returns the cells of a file (RFC 4180), separated by commas, semicolons or tabs.
    static func rows(_ text: String) -> (rows: [[String]], delimiter: Character) {
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let head = text.prefix { !$0.isNewline }
        let separators: [Character] = [",", ";", "\t"]
        let counts = separators.map { separator in head.count { $0 == separator } }
        let named = head.lowercased().hasPrefix("sep=") ? head.dropFirst(4).first : nil
        let delimiter = named ?? zip(separators, counts).max { $0.1 < $1.1 }?.0 ?? ","
        var (rows, row, cell, isQuoted): ([[String]], [String], String, Bool) = ([], [], "", false)
        func end() {
            row.append(cell.trimmingCharacters(in: .whitespaces))
            cell = ""
        }
        var rest = text[...]
        while let one = rest.popFirst() {
            if isQuoted {
                if one != "\"" {
                    cell.append(one)
                } else if rest.first == "\"" {
                    cell.append(rest.removeFirst())
                } else {
                    isQuoted = false
                }
            } else if one == "\"", cell.allSatisfy(\.isWhitespace) {
                (cell, isQuoted) = ("", true)
            } else if one == delimiter {
                end()
            } else if one.isNewline {
                end()
                rows.append(row)
                row = []
            } else {
                cell.append(one)
            }
        }
        if !cell.isEmpty || !row.isEmpty {
            end()
            rows.append(row)
        }
        return (rows, delimiter)
    }
}

/// The result of an import, or of a dry run.
package struct ImportReport: Sendable, Codable, Equatable {
    /// The readings that were stored, or would be: also those that the hub has.
    package var readings = 0
    /// The readings that the hub had already; nil for a dry run.
    package var known: Int?
    /// The columns with their meanings.
    package var columns: [String: String] = [:]
    /// The first readings as text.
    package var first: [String] = []
    /// The lines that are no readings, with the reason; the first 20.
    package var problems: [String] = []
    /// The number of lines that are no readings.
    package var problemCount = 0

    package var text: String {
        let meanings = columns.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        let count =
            known.map { "\(readings.counted("reading")) stored, \($0) known" }
            ?? "\(readings.counted("reading")) in the file"
        let more = problemCount > problems.count ? ["  and \(problemCount - problems.count) more"] : []
        return
            (["columns:"] + meanings + ["first readings:"] + first.map { "  \($0)" } + [count]
            + (problems.isEmpty ? [] : ["not imported:"] + problems.map { "  \($0)" } + more)).joined(separator: "\n")
    }
}

extension HubStore {
    /// Imports readings of a person, or only says what they are. A reading that was imported before is known.
    /// - Throws: ``HubProblem`` for an unknown person, or a full disk: a part may be stored, and is known next time.
    package func importReadings(
        _ file: CSVImport, of id: Int64, isDryRun: Bool, in language: Language = .english,
        by who: String = HubStore.commandLine
    ) throws -> ImportReport {
        guard let person = try person(id) else { throw HubProblem.noPerson(id) }
        var report = ImportReport()
        report.columns = Dictionary(file.columns.map { ($0.head, $0.text.text(in: language)) }) { $1 }
        report.first = file.readings.prefix(5).map { reading in
            let text = (try? HealthMeasurement.decode(reading).first?.words) ?? ""
            return "\(reading.deviceTime ?? reading.time ?? "")  \(text.text(in: language))"
        }
        (report.problems, report.problemCount) = (
            file.problems.prefix(20).map { $0.text(in: language) }, file.problems.count
        )
        guard !isDryRun else {
            report.readings = file.readings.count
            return report
        }
        var (known, refused) = (0, 0)
        for start in stride(from: 0, to: file.readings.count, by: Self.largestBatch) {
            let part = file.readings[start..<min(start + Self.largestBatch, file.readings.count)].map { reading in
                var reading = reading
                reading.person = person.id
                return reading
            }
            let results: [ReadingResult]
            do { results = try store(part, gateway: "import").results } catch {
                let problem = HubProblem(error)
                guard problem.code == .full, start > 0 else { throw problem }
                throw HubProblem(
                    .full,
                    "the disk is full; \(start) readings of the file are stored: import it again when there is room")
            }
            for result in results {
                switch result.status {
                case .stored: report.readings += 1
                case .known: known += 1
                case .refused: refused += 1
                }
            }
        }
        (report.known, report.problemCount) = (known, report.problemCount + refused)
        try audit(who, "import \(report.readings) person \(id)")
        return report
    }
}
