import Harald

/// Filters as the user types them: words of the name, and conditions such as `rssi:-70 service:180D`.
extension DeviceFilter {
    /// The accepted forms, for messages.
    package static let forms =
        "part of the name, the address or a beacon's UUID, rssi:-70, service:180D, company:apple, data:4C00, "
        + "kind:heart, connectable, named, beacon, favourite"

    private static let conditions = ["name", "rssi", "service", "company", "data", "kind"]

    /// Creates the filter that a text describes.
    /// - Parameter isTyped: true while the user is typing; a condition without a value is then ignored.
    /// - Throws: ``InputError`` for an invalid condition or value.
    package init(_ text: String, isTyped: Bool = false) throws(InputError) {
        self.init()
        var words: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).map(String.init) {
            let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, !Self.isPartOfAddress(word) else {
                if word.hasSuffix(":"), Self.conditions.contains(parts.first?.lowercased() ?? "") {
                    guard isTyped else {
                        throw InputError("\(word) has no value; the conditions are \(Self.forms)")
                    }
                    continue
                }
                switch word.lowercased() {
                case "connectable": isConnectable = true
                case "favourite", "favourites": favouritesOnly = true
                case "named": namedOnly = true
                case "beacon", "beacons": beaconsOnly = true
                default: words.append(word)
                }
                continue
            }
            let value = parts[1]
            switch parts[0].lowercased() {
            case "name": name = value
            case "rssi":
                guard let least = Int(value), (-127...20).contains(least) else {
                    throw InputError("rssi: must be a number from -127 to 20 dBm, such as rssi:-70")
                }
                minimumRSSI = least
            case "service": services.insert(try Self.service(value))
            case "company": companies.formUnion(try Self.companies(value))
            case "data": data = try DataPattern(value)
            case "kind": kind = try Self.kind(value)
            default: throw InputError("'\(parts[0]):' is not a condition; the conditions are \(Self.forms)")
            }
        }
        if !words.isEmpty { self.text = words.joined(separator: " ") }
    }

    /// True for two or more pairs of digits with colons, as the end of an address that the list shows.
    private static func isPartOfAddress(_ word: String) -> Bool {
        word.split(separator: ":", omittingEmptySubsequences: false)
            .allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    private static func service(_ text: String) throws(InputError) -> BluetoothUUID {
        if let uuid = BluetoothUUID(text) ?? AssignedNumbers.uuids(named: text, kind: .service).first { return uuid }
        throw InputError("no service is named '\(text)'; expected a UUID or an assigned name")
    }

    private static func kind(_ text: String) throws(InputError) -> DeviceKind {
        let all = DeviceKind.allCases
        if let kind = all.first(where: { $0.rawValue.lowercased() == text.lowercased() }) { return kind }
        throw InputError("no kind is named '\(text)'; the kinds are \(all.map(\.rawValue).joined(separator: ", "))")
    }

    private static func companies(_ text: String) throws(InputError) -> [CompanyIdentifier] {
        if let number = UInt16(decimalOrHex: text) { return [CompanyIdentifier(rawValue: number)] }
        let exact = AssignedNumbers.companies(named: text)
        let found = exact.isEmpty ? AssignedNumbers.companies(containing: text) : exact
        if found.isEmpty { throw InputError("no company is named '\(text)'") }
        return found
    }
}
