import Explorer
import Harald

/// An assigned number of a service, characteristic, descriptor, unit, company or appearance.
struct NumberEntry: Hashable, Sendable {
    /// The kind of number; the raw value is its key in JSON.
    enum Space: String, Hashable, Sendable {
        case uuid, company, appearance
    }

    var number: String
    var kind: String
    var name: String
    var space = Space.uuid

    /// Returns the entries for a number, or those whose names contain a text.
    static func lookUp(_ text: String) -> [NumberEntry] {
        if let uuid = BluetoothUUID(text) {
            var entries = AssignedNumbers.entry(of: uuid).map { [NumberEntry($0)] } ?? []
            if let number = uuid.shortValue {
                entries += company(CompanyIdentifier(rawValue: number))
                entries += appearance(Appearance(rawValue: number), exactly: true)
            }
            // A word such as "face" is also a valid number.
            if !entries.isEmpty { return entries }
        }
        return AssignedNumbers.search(text).map(NumberEntry.init)
            + AssignedNumbers.companies(containing: text).flatMap(company)
            + AssignedNumbers.appearances(containing: text).flatMap { appearance($0) }
    }

    private init(_ entry: AssignedNumbers.Entry) {
        number = entry.uuid.description
        kind = entry.kind.rawValue
        name = entry.name + (entry.isStandard ? "" : " (vendor)")
    }

    private static func company(_ company: CompanyIdentifier) -> [NumberEntry] {
        guard let name = company.name else { return [] }
        return [NumberEntry(number: hex(company.rawValue), kind: "company", name: name, space: .company)]
    }

    /// - Parameter exactly: true to ignore an unknown subcategory, false to describe it by its category.
    private static func appearance(_ appearance: Appearance, exactly: Bool = false) -> [NumberEntry] {
        guard let name = appearance.name else { return [] }
        if exactly, appearance.subcategory != 0, appearance.subcategoryName == nil { return [] }
        return [NumberEntry(number: hex(appearance.rawValue), kind: "appearance", name: name, space: .appearance)]
    }

    private static func hex(_ number: UInt16) -> String { "0x" + number.hexText(digits: 4) }

    private init(number: String, kind: String, name: String, space: Space) {
        (self.number, self.kind, self.name, self.space) = (number, kind, name, space)
    }

    /// "2A37    characteristic  Heart Rate Measurement"
    var line: String {
        "\(TerminalText.fit(number, to: max(6, number.count)))  \(TerminalText.fit(kind, to: 14))  \(name)"
    }

    /// The entry as a JSON object.
    var json: JSONValue {
        .object([space.rawValue: .string(number), "kind": .string(kind), "name": .string(name)])
    }
}
