import Foundation

/// A text for people. Its literal is the English text; the files of the other languages translate it.
///
///     let text: HubText = "no limit is defined for \(name) in \(unit)"
package struct HubText: Sendable, Equatable, CustomStringConvertible {
    enum Argument: Sendable, Equatable {
        /// A name, which is the same in all languages.
        case text(String)
        /// A day as 2026-04-30.
        case day(String)
        /// Digits, whose decimal separator depends on the language.
        case digits(String)
        case translated(HubText)
        /// The text of a failed delivery in English.
        case failure(String)
    }

    /// The parts of the English text before, between and after the arguments.
    private let literals: [String]
    private let arguments: [Argument]

    /// Creates a text from an English one that is known when the program runs.
    package init(_ english: String) { (literals, arguments) = ([english], []) }

    /// Creates the text of a failed delivery from the one that is stored, in English.
    package init(failure stored: String) { (literals, arguments) = (["", ""], [.failure(stored)]) }

    private init(_ literals: [String], _ arguments: [Argument]) {
        (self.literals, self.arguments) = (literals, arguments)
    }

    package var description: String { text(in: .english) }

    package static func == (left: HubText, right: HubText) -> Bool { left.description == right.description }

    package func text(in language: Language) -> String {
        let values = arguments.map { argument in
            switch argument {
            case .text(let text): text
            case .day(let day): language.day(day)
            case .digits(let digits): language.number(digits)
            case .translated(let text): text.text(in: language)
            case .failure(let stored): language.failure(stored)
            }
        }
        if let parts = language.parts(of: literals.joined(separator: "{}")) {
            return parts.map { part in
                switch part {
                case .literal(let text): text
                case .argument(let index): index < values.count ? values[index] : ""
                }
            }.joined()
        }
        var text = literals[0]
        for (value, literal) in zip(values, literals.dropFirst()) { text += value + literal }
        return text
    }

    static func joined(_ texts: [HubText], by separator: String) -> HubText {
        HubText(
            [""] + texts.indices.map { $0 == texts.endIndex - 1 ? "" : separator }, texts.map { .translated($0) })
    }

    /// Joins two halves of a literal.
    package static func + (left: HubText, right: HubText) -> HubText {
        HubText(
            left.literals.dropLast() + [(left.literals.last ?? "") + right.literals[0]] + right.literals.dropFirst(),
            left.arguments + right.arguments)
    }
}

extension HubText: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var literals = [""]
        fileprivate var arguments: [Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { literals[literals.count - 1] += literal }
        private mutating func append(_ argument: Argument) {
            literals.append("")
            arguments.append(argument)
        }

        package mutating func appendInterpolation(_ text: HubText) { append(.translated(text)) }
        package mutating func appendInterpolation(_ number: Decimal) { append(.digits("\(number)")) }
        package mutating func appendInterpolation(_ number: Double) { append(.digits("\(number)")) }
        package mutating func appendInterpolation(day date: Date, in zone: TimeZone) {
            let local = date.addingTimeInterval(Double(zone.secondsFromGMT(for: date)))
            append(.day(String(local.formatted(.iso8601).prefix(10))))
        }
        package mutating func appendInterpolation(digits: String) { append(.digits(digits)) }
        package mutating func appendInterpolation(_ value: some Any) { append(.text("\(value)")) }
    }

    package init(stringLiteral value: String) { self.init(value) }
    package init(stringInterpolation: StringInterpolation) {
        self.init(stringInterpolation.literals, stringInterpolation.arguments)
    }
}

extension HubText: Encodable {
    /// Encodes the text in the language of the encoder (``Language/key``).
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text(in: .of(encoder)))
    }
}
