/// The error of advertising data that cannot be encoded.
public enum AdvertisingDataError: Error, Hashable, Sendable {
    /// The data does not fit: the structures without room, the total number of bytes needed, and the sizes of the
    /// advertising packet and the scan response.
    case doesNotFit(structures: [AdvertisingData.Structure], needed: Int, advertising: Int, scanResponse: Int)
    /// A structure has more than 254 bytes of data, which its length byte cannot represent.
    case structureTooLong(AdvertisingData.Structure)
}

extension AdvertisingDataError: CustomStringConvertible {
    /// The cause, the sizes and a remedy.
    public var description: String {
        switch self {
        case .doesNotFit(let structures, let needed, let advertising, let scanResponse):
            let names = structures.map { structure in
                let field = AdvertisingField(structure)
                return "\(field.name) \(field.value) (\(structure.encodedLength) bytes)"
            }
            let room = scanResponse == 0 ? "\(advertising)" : "\(advertising) + \(scanResponse)"
            return "the advertising data requires \(needed) bytes, but \(room) are available; these do not fit: "
                + names.joined(separator: ", ") + "; remove or shorten some of the data"
        case .structureTooLong(let structure):
            return "\(structure.type) has \(structure.data.count) bytes, but the maximum of a structure is "
                + "\(AdvertisingData.maximumStructureLength)"
        }
    }
}
