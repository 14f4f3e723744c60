import BluetoothModel
import Foundation
import JSON

/// Readings of a person in comma-separated values, with columns whose meaning is guessed from their heads.
package struct CSVImport: Sendable {
    /// The meaning of a column.
    package enum Meaning: Sendable, Equatable {
        /// Date, time of day, or both.
        case date, timeOfDay, moment
        case quantity(String, unit: String)
        case ignored
    }

    /// A column of the file.
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
        guard let heads = rows.first, rows.count > 1 else {
            throw HubProblem(.invalid, "the file has no lines after the one with the heads of the columns")
        }
        guard rows.count <= Self.mostRows else {
            throw HubProblem(.tooLarge, "the file has more than \(Self.mostRows) lines; split it")
        }
        var columns: [Column] = []
        for head in heads { columns.append(Column(head: head, meaning: try Self.meaning(of: head, meanings))) }
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
        let order = order == nil ? try Self.order(of: rows.dropFirst(), columns) : order
        for (line, row) in rows.enumerated().dropFirst() where row.contains(where: { !$0.isEmpty }) {
            add(row, line: line + 1, person, order, hasDecimalComma: delimiter != ",")
        }
    }

    private mutating func add(
        _ row: [String], line: Int, _ person: Int64, _ order: DateOrder?, hasDecimalComma: Bool
    ) {
        var (date, clock, fields): (String?, String?, [String: JSONValue]) = (nil, nil, [:])
        for (column, cell) in zip(columns, row) where !cell.isEmpty {
            switch column.meaning {
            case .date: date = cell
            case .timeOfDay: clock = cell
            case .moment: date = cell
            case .quantity(let name, let unit):
                let number = hasDecimalComma ? cell.replacing(",", with: ".") : cell
                fields[name] = ["value": .string(number), "unit": .string(unit)]
            case .ignored: break
            }
        }
        guard !fields.isEmpty else { return problems.append("line \(line): no value") }
        guard let date, let moment = Self.moment(clock.map { "\(date) \($0)" } ?? date, order) else {
            return problems.append("line \(line): '\(date ?? "")' is no date and time")
        }
        var reading = SubmittedReading()
        // Of two people the same value at the same minute is two readings.
        reading.device = .init(id: "import-\(person)", name: "imported")
        if moment.hasSuffix("Z") || moment.dropFirst(11).contains(where: { "+-".contains($0) }) {
            reading.time = moment
        } else {
            reading.deviceTime = moment
        }
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
        "mmol": "mmol/L", "mg/dl": "mg/dL", "lb": "lb", "kpa": "kPa", "°f": "°F", "fahrenheit": "°F",
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
            let unit = units.first { name.contains($0.key) }?.value ?? usual
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

    // MARK: Times

    private static var date: Regex<(Substring, Substring, Substring, Substring, Substring?)> {
        /([0-9]{1,4})[-.\/]([0-9]{1,2})[-.\/]([0-9]{2,4})(?:[T ,]+(.+))?/
    }

    /// Returns the order of the numbers of dates; nil if all begin with the year.
    private static func order(of rows: some Sequence<[String]>, _ columns: [Column]) throws(HubProblem) -> DateOrder? {
        let index = columns.firstIndex { [.date, .moment].contains($0.meaning) } ?? 0
        var example: String?
        for row in rows where index < row.count {
            guard let match = row[index].wholeMatch(of: Self.date), match.1.count < 4, let first = Int(match.1),
                let second = Int(match.2)
            else { continue }
            // Dates with points begin with the day.
            if first > 12 || row[index].contains(".") { return .dmy }
            if second > 12 { return .mdy }
            example = row[index]
        }
        guard let example else { return nil }
        throw HubProblem(
            .invalid, "it is not clear whether '\(example)' begins with the day or the month; use --dates dmy or mdy")
    }

    /// Returns a text as date and time of ISO 8601; nil for another text.
    static func moment(_ text: String, _ order: DateOrder?) -> String? {
        guard let match = text.wholeMatch(of: date) else { return nil }
        var (year, month, day) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
        if match.1.count < 4 {
            guard let order else { return nil }
            (year, month, day) = order == .dmy ? (day, month, year) : (day, year, month)
            if year < 100 { year += 2000 }
        }
        let clock =
            /([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)? ?([AaPp])?\.?(?:[Mm]\.?)?(Z|[-+][0-9]{2}:?[0-9]{2})?(?: Uhr)?/
        let parts = match.4.map { $0.wholeMatch(of: clock) } ?? nil
        if match.4 != nil, parts == nil { return nil }
        var hour = parts.flatMap { Int($0.1) } ?? 12
        if let half = parts?.4?.lowercased() {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (half == "p" ? 12 : 0)
        }
        let minute = parts.flatMap { Int($0.2) } ?? 0
        let second = parts?.3.flatMap { Int($0) } ?? 0
        let numbers = [month, day, hour, minute, second].map { $0 < 10 ? "0\($0)" : "\($0)" }
        var zone = parts?.5.map(String.init) ?? ""
        if zone.count == 5 { zone.insert(":", at: zone.index(zone.startIndex, offsetBy: 3)) }
        let moment = "\(year)-\(numbers[0])-\(numbers[1])T\(numbers[2]):\(numbers[3]):\(numbers[4])"
        guard ReadingTime.date(moment + "Z") != nil else { return nil }
        return moment + zone
    }

    // MARK: The form of the file

    /// Returns the cells of a file (RFC 4180), separated by commas, semicolons or tabs.
    static func rows(_ text: String) -> (rows: [[String]], delimiter: Character) {
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let head = text.prefix { !$0.isNewline }
        let separators: [Character] = [",", ";", "\t"]
        let counts = separators.map { separator in head.count { $0 == separator } }
        let delimiter = zip(separators, counts).max { $0.1 < $1.1 }?.0 ?? ","
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

    /// The report in lines.
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
        guard let person = try person(id) else { throw HubProblem(.notFound, "there is no person \(id)") }
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
            for result in try store(part, gateway: "import").results {
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
