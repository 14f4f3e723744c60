/// Why advertising data cannot go on the air.
public enum AdvertisingDataError: Error, Hashable, Sendable {
    /// There is more than fits: the structures that found no room, how many bytes all take together, and how many the
    /// advertising packet and the scan response have.
    case doesNotFit(structures: [AdvertisingData.Structure], needed: Int, advertising: Int, scanResponse: Int)
    /// A structure has more than 254 bytes of data, which its length byte cannot say.
    case structureTooLong(AdvertisingData.Structure)
}

extension AdvertisingDataError: CustomStringConvertible {
    /// What is too long, how long it is and what to do.
    public var description: String {
        switch self {
        case .doesNotFit(let structures, let needed, let advertising, let scanResponse):
            let names = structures.map { structure in
                let field = AdvertisingField(structure)
                return "\(field.name) \(field.value) (\(structure.encodedLength) bytes)"
            }
            let room = scanResponse == 0 ? "\(advertising)" : "\(advertising) + \(scanResponse)"
            return "the advertising data takes \(needed) bytes and has room for \(room); no room for "
                + names.joined(separator: ", ") + "; leave something out or shorten it"
        case .structureTooLong(let structure):
            return "\(structure.type) has \(structure.data.count) bytes, and a structure holds at most "
                + "\(AdvertisingData.maximumStructureLength)"
        }
    }
}
