import Foundation

/// A language of the pages, and of the texts that the hub makes for people: a file of texts by key.
///
/// `{name}` stands for an argument. The keys below `hub.` are those of ``HubText``, which the English text finds; the
/// others are those of the pages. To add a language, add its file here, and to ``all``.
package struct Language: Sendable {
    enum Part: Sendable, Equatable {
        case literal(String)
        case argument(Int)
    }

    /// The tag: "de".
    package let code: String
    /// The file, which the pages load.
    package let file: [UInt8]
    package let texts: [String: String]
    /// The translations by the English template of a ``HubText``.
    private let translations: [String: [Part]]

    /// The languages, the one without a translation first.
    package static let all = [
        Language("en", PackageResources.en_json), Language("de", PackageResources.de_json),
    ]
    /// The language of programs, and of people whose language is not there.
    package static let english = all[0]

    private init(_ code: String, _ file: [UInt8]) {
        (self.code, self.file) = (code, file)
        texts = Self.texts(file)
        let english = Self.texts(PackageResources.en_json)
        var translations: [String: [Part]] = [:]
        for (key, text) in texts where code != "en" && key.hasPrefix("hub.") {
            guard let original = english[key] else { continue }
            let names = Self.pieces(original).compactMap(\.name)
            translations[Self.template(original)] = Self.pieces(text).map { piece in
                piece.name.flatMap(names.firstIndex).map(Part.argument) ?? .literal(piece.text)
            }
        }
        self.translations = translations
    }

    /// A test reads every file.
    private static func texts(_ file: [UInt8]) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(file))) ?? [:]
    }

    /// Splits a text at its `{name}`.
    private static func pieces(_ text: String) -> [(text: String, name: String?)] {
        var pieces: [(text: String, name: String?)] = []
        var rest = text[...]
        while let match = rest.firstMatch(of: /\{([a-zA-Z]+)\}/) {
            pieces.append((String(rest[..<match.range.lowerBound]), nil))
            pieces.append((String(match.0), String(match.1)))
            rest = rest[match.range.upperBound...]
        }
        return (pieces + [(String(rest), nil)]).filter { !$0.text.isEmpty }
    }

    /// Returns the template of a ``HubText`` with this English text.
    package static func template(_ english: String) -> String { template(pieces(english)) }

    private static func template(_ pieces: [(text: String, name: String?)]) -> String {
        pieces.map { $0.name == nil ? $0.text : "{}" }.joined()
    }

    func parts(of template: String) -> [Part]? { translations.isEmpty ? nil : translations[template] }

    /// Returns digits with the decimal separator of the language: the points between two digits are replaced.
    func number(_ digits: String) -> String {
        guard let separator = texts["number.decimal"], separator != "." else { return digits }
        return digits.replacing(/([0-9])\.(?=[0-9])/) { "\($0.1)\(separator)" }
    }

    /// Returns a day, given as 2026-04-30, in the form of the language.
    func day(_ text: String) -> String {
        let numbers = text.split(separator: "-").map(String.init)
        guard numbers.count == 3, let form = texts["date.day"] else { return text }
        return form.replacing("{year}", with: numbers[0]).replacing("{month}", with: numbers[1])
            .replacing("{day}", with: numbers[2])
    }

    // MARK: Failures

    /// The English texts of failed deliveries, those with the most words first.
    private static let failures = english.texts.filter { $0.key.hasPrefix("hub.failure.") }
        .map { (key: $0.key, pieces: pieces($0.value)) }
        .sorted { template($0.pieces).count > template($1.pieces).count }

    /// Returns the text of a failed delivery, which is stored in English, in this language. What a peer or a library
    /// has said (`{detail}`) stays as it is; a `{reason}` is a text of its own.
    func failure(_ stored: String) -> String {
        for (key, pieces) in Self.failures {
            guard let values = Self.values(of: pieces, in: stored), let text = texts[key] else { continue }
            return Self.pieces(text).map { piece in
                guard let name = piece.name, let value = values[name] else { return piece.text }
                return name == "reason" ? failure(value) : value
            }.joined()
        }
        return stored
    }

    /// Returns the values of the placeholders in a text; nil if it is another one. A value ends before the first place
    /// of the words that follow it.
    private static func values(of pieces: [(text: String, name: String?)], in text: String) -> [String: String]? {
        var (rest, values) = (text[...], [String: String]())
        for (index, piece) in pieces.enumerated() {
            if let name = piece.name {
                let following = index + 1 < pieces.count ? rest.range(of: pieces[index + 1].text) : nil
                guard following != nil || index + 1 == pieces.count else { return nil }
                values[name] = String(rest[..<(following?.lowerBound ?? rest.endIndex)])
                rest = rest[(following?.lowerBound ?? rest.endIndex)...]
            } else {
                guard rest.hasPrefix(piece.text) else { return nil }
                rest = rest.dropFirst(piece.text.count)
            }
        }
        return rest.isEmpty ? values : nil
    }

    // MARK: Choice

    /// Returns the language for a request.
    /// - Parameters:
    ///   - chosen: the tag that the person has chosen on the page; nil for none.
    ///   - accepted: the field `Accept-Language` (RFC 9110, 12.5.4).
    package static func preferred(chosen: String?, accepted: String) -> Language {
        if let language = all.first(where: { $0.code == chosen }) { return language }
        let ranges = accepted.split(separator: ",").compactMap { part -> (tag: String, weight: Double)? in
            let fields = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let tag = fields.first else { return nil }
            let weight = fields.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return (tag, weight)
        }
        let best = ranges.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        for (_, range) in best where range.weight > 0 {
            let primary = range.tag.prefix { $0 != "-" }
            if let language = all.first(where: { $0.code == primary }) { return language }
        }
        return .english
    }

    // MARK: Encoding

    /// The language of an encoder; without it, texts are in English.
    package static let key = CodingUserInfoKey(rawValue: "language")

    static func of(_ encoder: any Encoder) -> Language {
        key.flatMap { encoder.userInfo[$0] as? Language } ?? .english
    }
}
