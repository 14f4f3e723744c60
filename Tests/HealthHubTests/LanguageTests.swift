import Foundation
import Testing

@testable import HealthHub

@Suite("Languages")
struct LanguageTests {
    private let german: Language
    private let sources: URL

    init() throws {
        german = try #require(Language.all.first { $0.code == "de" })
        sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
    }

    /// Returns the files below a folder of the sources.
    private func files(_ folder: String, _ suffix: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.appending(path: folder).path)
        return try names.filter { $0.hasSuffix(suffix) }.map {
            try String(contentsOf: sources.appending(path: "\(folder)/\($0)"), encoding: .utf8)
        }
    }

    private func placeholders(_ text: String) -> Set<Substring> { Set(text.matches(of: /\{[a-zA-Z]+\}/).map(\.0)) }

    @Test("Every file has the same keys with the same placeholders, each once", arguments: Language.all.map(\.code))
    func complete(code: String) throws {
        let language = try #require(Language.all.first { $0.code == code })
        let lines = String(decoding: language.file, as: UTF8.self).split(separator: "\n").filter { $0.contains(": ") }
        #expect(lines.count == language.texts.count, "a key occurs twice, or the file is no JSON")
        #expect(Set(language.texts.keys) == Set(Language.english.texts.keys))
        for (key, text) in language.texts {
            #expect(!text.isEmpty, "\(key)")
            let other = try #require(Language.english.texts[key])
            #expect(placeholders(text).isSubset(of: placeholders(other)), "\(code) \(key)")
            // A text of the hub may leave out what only a program needs.
            #expect(key.hasPrefix("hub.problem.") || placeholders(text) == placeholders(other), "\(code) \(key)")
        }
    }

    @Test("The pages use every text of the pages, and no other")
    func pages() throws {
        let pages = try files("CWebPages/Hub", ".js").joined()
        let used = Set(pages.matches(of: /'([a-z]+(?:\.[A-Za-z]+)+)'/).map { String($0.1) })
        let families = Set(pages.matches(of: /`([a-z]+\.)\$\{/).map { String($0.1) })
        let keys = Set(Language.english.texts.keys)
        // The last two are read by the hub.
        for key in keys where !key.hasPrefix("hub.") && !["number.decimal", "date.day"].contains(key) {
            let name = key.hasSuffix(".one") ? String(key.dropLast(4)) : key
            let isUsed = used.contains(name) || families.contains { name.hasPrefix($0) }
            #expect(isUsed || key == "locale" || key.hasPrefix("language."), "\(key) is not used")
        }
        let calls = pages.matches(of: /\b(?:t|parts|text|paged)\('([^']+)'/).map { String($0.1) }
        #expect(calls.count > 200)
        for key in calls { #expect(keys.contains(key), "the text \(key) is missing") }
        let shared = try files("CWebPages/Shared", "phrases.js").joined()
        let phrases = shared.matches(of: /(\w+): '/).map { "shared.\($0.1)" }
        #expect(!phrases.isEmpty && Set(phrases) == keys.filter { $0.hasPrefix("shared.") })
    }

    /// Returns the sources with literals as templates.
    private func templates(_ text: String) -> String {
        // The halves of long literals, and the lines of long ones.
        let joined = text.replacing(/"\s*\n\s*\+ "/, with: "").replacing(/\\\n\s*/, with: "")
        var (result, depth) = ("", 0)
        var previous: Character = " "
        for character in joined {
            if depth == 0, previous == "\\", character == "(" {
                result.removeLast()
                result += "{}"
                depth = 1
            } else if depth > 0 {
                depth += character == "(" ? 1 : character == ")" ? -1 : 0
            } else {
                result.append(character)
            }
            previous = character
        }
        return result
    }

    @Test("Every text of the hub stands in its sources")
    func sourcesOfTexts() throws {
        let all =
            try ["HealthHub", "HealthHubWeb", "WebServer", "BluetoothProfiles", "Forwarding"].flatMap {
                try files($0, ".swift")
            } + files("CMosquitto", ".c")
        let raw = all.joined(separator: "\n")
        let text = try templates(raw) + files("HealthHub/Rules/Files", ".yaml").joined()
        let lowercased = text.lowercased()
        // Texts of the C library.
        let system = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].map { String(cString: strerror($0)).lowercased() }
        for (key, english) in Language.english.texts where key.hasPrefix("hub.") && !system.contains(english) {
            let template = Language.template(english)
            // The label of a quantity is its title in lower case.
            let isThere =
                key.hasPrefix("hub.quantity.")
                ? lowercased.contains("\"\(template)\"".lowercased())
                : text.contains(template) || raw.contains("\"\(template)\"")
            #expect(isThere, "\(key) is used nowhere: \(template)")
        }
    }

    @Test("Ranges, advice, kinds, quantities and reasons are translated")
    func translated() throws {
        let assessor = try Assessor()
        func check(_ text: HubText?) {
            guard let text else { return }
            #expect(german.parts(of: text.description) != nil, "not translated: \(text)")
        }
        for rule in assessor.rules {
            check(rule.range)
            check(rule.action)
            #expect(german.texts["code.\(rule.code)"] != nil, "\(rule.code)")
        }
        for kind in MeasurementKind.allCases {
            check(HubText(kind.title))
            for fault in kind.faults { check(fault.reason) }
        }
        for quantity in QuantityKind.all { check(HubText(quantity.label)) }
        check(PersonState.disclaimer)
        let rules = try templates(files("HealthHub/Rules", ".swift").joined())
        let folders = ["State", "Readings", "Kinds"]
        let others = try templates(folders.flatMap { try files("HealthHub/\($0)", ".swift") }.joined())
        let form = /(?:notJudged\((?:reason: )?|reservation = |reason: HubText = )"([^"]+)"/
        let reasons =
            (rules + others).matches(of: form).map(\.1) + rules.matches(of: /\? "([^"]{12,})"/).map(\.1)
        #expect(reasons.count > 10)
        for reason in reasons.map(String.init) {
            #expect(german.parts(of: reason) != nil, "not translated: \(reason)")
        }
    }

    @Test("A text has its arguments in the order of the language, with its numbers and days")
    func rendering() throws {
        let gain: HubText = "Weight: \("\(Decimal(string: "2.5") ?? 0) kg" as HubText) more within 3 days"
        #expect(gain.description == "Weight: 2.5 kg more within 3 days")
        #expect(gain.text(in: german) == "Gewicht: 2,5 kg mehr in 3 Tagen")
        let limit: HubText = "no limit is defined for \(HubText("glucose")) in \("a{}b")"
        #expect(limit.text(in: german) == "für Blutzucker in a{}b ist keine Grenze festgelegt")
        let day = try #require(ReadingTime.date("2026-04-30T23:30:00Z"))
        let zone = try #require(TimeZone(identifier: "Europe/Zurich"))
        let last: HubText = "\(HubText("Weight")) is overdue; the last one: \(day: day, in: zone)"
        #expect(last.description == "Weight is overdue; the last one: 2026-05-01")
        #expect(last.text(in: german) == "Gewicht: Eine Messung ist überfällig. Die letzte war am 01.05.2026")
        #expect(HubText("not known to any file {}").text(in: german) == "not known to any file {}")
        #expect(german.number("192.168.1.1 at 7.5") == "192,168,1,1 at 7,5")
    }

    @Test(
        "The failure of a delivery is translated; what a peer said stays",
        arguments: [
            ("responded with status 422: the login", "antwortete mit dem Status 422: the login"),
            (
                "the receiver cannot be reached: connection refused",
                "der Empfänger ist nicht erreichbar: Verbindung abgelehnt"
            ),
            (
                "the receiver cannot be reached: the name a.example has no address",
                "der Empfänger ist nicht erreichbar: zum Namen a.example gibt es keine Adresse"
            ),
            (
                "it refused the recipient <b@example.org>: 550 no such user: the mail",
                "der Server hat abgelehnt (Empfänger <b@example.org>): 550 no such user: the mail"
            ),
            ("it refused EHLO: 500 what?", "der Server hat abgelehnt (EHLO): 500 what?"),
            ("it is no mail server: it sent 'HTTP/1.1'", "das ist kein Mailserver: Er hat „HTTP/1.1“ gesendet"),
            ("did not respond like a FHIR server: {reason}", "antwortete nicht wie ein FHIR-Server: {reason}"),
            ("did not respond like a FHIR server", "antwortete nicht wie ein FHIR-Server"),
            ("the broker did not acknowledge", "der Broker hat den Empfang nicht bestätigt"),
            ("an error of a library", "an error of a library"), ("", ""),
        ])
    func failures(stored: String, text: String) throws {
        let outbox = OutboxState(
            id: 1, name: "a", kind: "fhir", url: "", pending: 0, parked: 0, oldest: nil, lastError: stored)
        let encoder = JSONEncoder()
        for (language, expected) in [(Language.english, stored), (german, text)] {
            encoder.userInfo = Language.key.map { [$0: language] } ?? [:]
            let json = try JSONDecoder().decode([String: Failure?].self, from: try encoder.encode(["a": outbox]))
            #expect(json["a"]??.lastError == expected)
        }
    }

    private struct Failure: Decodable { let lastError: String }

    @Test("Every text of a failed delivery in the sources is translated")
    func failuresOfTheSources() throws {
        let all =
            try files("Forwarding", ".swift") + files("HealthHubWeb/Notifying", ".swift")
            + files("HealthHubWeb/Forwarding", ".swift") + files("HealthHub/Notifying", ".swift")
            + files("HealthHub/Forwarding", ".swift")
        let text = templates(all.joined(separator: "\n"))
        let form = /(?:\.failed\(|\.refused\(|problem: |return |end\(|reason = )\s*"([^"]+)"/
        let connections = try templates(files("Forwarding", "ConnectionProblem.swift").joined())
        let found = (text.matches(of: form) + connections.matches(of: /"([^"]+)"/)).map { String($0.1) }
            .filter { $0.contains(" ") && ($0.first?.isLowercase == true || $0.hasPrefix("TLS ")) }
        #expect(found.count > 30)
        for one in found {
            let failure = one.replacing("{}", with: "X")
            #expect(german.failure(failure) != failure, "not translated")
        }
    }

    @Test("A judgement is a sentence in the language, with the title of its source as it is")
    func judgement() throws {
        var person = Person(id: 1, name: "A", born: "1961-04-30", guideline: .esc, setting: .home, pregnant: false)
        person.settings.targets = [try .init("systolic=120..129 mmHg")]
        let pressure = HealthMeasurement(
            kind: .bloodPressure,
            quantities: [Quantity("systolic", 138, unit: "mmHg"), Quantity("diastolic", 86, unit: "mmHg")])
        let json = try Assessor().judge(pressure, of: person, at: Date(timeIntervalSince1970: 1_790_000_000))
        #expect(
            json.json()["sentence"]?.string
                == "138/86 mmHg: in the range of hypertension at home, ESC 2024; "
                + "above the target (systolic 120 to 129 mmHg)")
        #expect(
            json.json(in: german)["sentence"]?.string
                == "138/86 mmHg: im Bereich „Bluthochdruck“ zu Hause, ESC 2024; "
                + "über dem Ziel (oberer Wert 120 bis 129 mmHg)")
        #expect(json.json(in: german)["source"] == json.json()["source"])
    }

    @Test(
        "The language is the one that was chosen, or the first that the browser accepts",
        arguments: [
            (nil, "", "en"), (nil, "de", "de"), (nil, "de-CH, en;q=0.8", "de"), (nil, "fr, de;q=0.5, en;q=0.9", "en"),
            (nil, "fr;q=1, de;q=0", "en"), (nil, "DE-at", "de"), ("de", "en", "de"), ("en", "de", "en"),
            ("xx", "de", "de"), (nil, "*", "en"), (nil, ";;q=,,de;q=x", "en"), (nil, "en;q=0.5,de;q=0.5", "en"),
        ] as [(String?, String, String)])
    func choice(chosen: String?, accepted: String, code: String) {
        #expect(Language.preferred(chosen: chosen, accepted: accepted).code == code)
    }
}
