import Explorer
import Harald

/// Parses a filter as the user types it: words of the name, and conditions such as `rssi:-70 service:180D`.
enum ExploreFilterText {
    /// The accepted forms, for messages.
    static let forms = "part of the name, rssi:-70, service:180D, company:apple, data:4C00, connectable, favourite"

    private static let conditions = ["name", "rssi", "service", "company", "data"]

    /// Returns the filter that a text describes.
    /// - Parameter isTyped: true while the user is typing; a condition without a value is then ignored.
    /// - Throws: `InputError` for an invalid condition or value.
    static func filter(_ text: String, isTyped: Bool = false) throws(InputError) -> DeviceFilter {
        var filter = DeviceFilter()
        var words: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace).map(String.init) {
            let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                if word.hasSuffix(":"), conditions.contains(parts.first?.lowercased() ?? "") {
                    guard isTyped else { throw InputError("\(word) has no value; the conditions are \(forms)") }
                    continue
                }
                switch word.lowercased() {
                case "connectable": filter.isConnectable = true
                case "favourite", "favourites": filter.favouritesOnly = true
                default: words.append(word)
                }
                continue
            }
            let value = parts[1]
            switch parts[0].lowercased() {
            case "name": words.append(value)
            case "rssi":
                guard let least = Int(value), (-127...20).contains(least) else {
                    throw InputError("rssi: must be a number from -127 to 20 dBm, such as rssi:-70")
                }
                filter.minimumRSSI = least
            case "service": filter.services.insert(try service(value))
            case "company": filter.companies.formUnion(try companies(value))
            case "data": filter.data = try DataPattern(value)
            default: throw InputError("'\(parts[0]):' is not a condition; the conditions are \(forms)")
            }
        }
        if !words.isEmpty { filter.name = words.joined(separator: " ") }
        return filter
    }

    private static func service(_ text: String) throws(InputError) -> BluetoothUUID {
        if let uuid = ServiceName.uuids(text, .service).first { return uuid }
        throw InputError("no service is named '\(text)'; expected a UUID or an assigned name")
    }

    private static func companies(_ text: String) throws(InputError) -> [CompanyIdentifier] {
        if let number = UInt16(decimalOrHex: text) {
            return [CompanyIdentifier(rawValue: number)]
        }
        let exact = AssignedNumbers.companies(named: text)
        let found = exact.isEmpty ? AssignedNumbers.companies(containing: text) : exact
        if found.isEmpty { throw InputError("no company is named '\(text)'") }
        return found
    }
}
