import Harald

/// An assigned number: of a service, a characteristic, a descriptor, a company.
struct NumberEntry: Hashable, Sendable {
    var number: String
    var kind: String
    var name: String
    /// Whether the number is a company's and not a UUID.
    var isCompany = false

    /// What a number stands for, or the numbers whose names contain a text.
    static func lookUp(_ text: String) -> [NumberEntry] {
        if let uuid = BluetoothUUID(text) {
            var entries = AssignedNumbers.entry(of: uuid).map { [NumberEntry($0)] } ?? []
            if let number = uuid.shortValue { entries += company(CompanyIdentifier(rawValue: number)) }
            // "face" is a number and a word.
            if !entries.isEmpty { return entries }
        }
        return AssignedNumbers.search(text).map(NumberEntry.init)
            + AssignedNumbers.companies(containing: text).flatMap(company)
    }

    private init(_ entry: AssignedNumbers.Entry) {
        number = entry.uuid.description
        kind = entry.kind.rawValue
        name = entry.name + (entry.isStandard ? "" : " (vendor)")
    }

    private static func company(_ company: CompanyIdentifier) -> [NumberEntry] {
        guard let name = company.name else { return [] }
        let number = "0x" + [UInt8(company.rawValue >> 8), UInt8(company.rawValue & 255)].hexText()
        return [NumberEntry(number: number, kind: "company", name: name, isCompany: true)]
    }

    private init(number: String, kind: String, name: String, isCompany: Bool) {
        (self.number, self.kind, self.name, self.isCompany) = (number, kind, name, isCompany)
    }

    /// "2A37    characteristic  Heart Rate Measurement"
    var line: String {
        "\(TerminalText.fit(number, to: max(6, number.count)))  \(TerminalText.fit(kind, to: 14))  \(name)"
    }

    /// One object.
    var json: JSONValue {
        [(isCompany ? "company" : "uuid"): .string(number), "kind": .string(kind), "name": .string(name)]
    }
}
