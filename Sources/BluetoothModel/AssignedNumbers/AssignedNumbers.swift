/// The names that the Bluetooth SIG gave to numbers, and those of a few well-known numbers of others.
///
/// The tables are text in the program, sorted by number: nothing is parsed before somebody asks, and nothing is kept.
public enum AssignedNumbers {
    /// What a UUID names.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A service.
        case service
        /// A characteristic.
        case characteristic
        /// A descriptor of a characteristic.
        case descriptor
        /// A declaration of the attribute protocol's database: primary service, include, ...
        case declaration
        /// A unit, as a presentation format (2904) names it.
        case unit

        /// The letter in the tables.
        init?(letter: UInt8) {
            switch letter {
            case 0x73: self = .service
            case 0x63: self = .characteristic
            case 0x64: self = .descriptor
            case 0x78: self = .declaration
            case 0x75: self = .unit
            default: return nil
            }
        }

        var letter: String {
            switch self {
            case .service: "s"
            case .characteristic: "c"
            case .descriptor: "d"
            case .declaration: "x"
            case .unit: "u"
            }
        }
    }

    /// A UUID with a name.
    public struct Entry: Hashable, Sendable {
        /// The number.
        public let uuid: BluetoothUUID
        /// What it names.
        public let kind: Kind
        /// The name.
        public let name: String
        /// Whether the Bluetooth SIG defined it; otherwise it is a well-known one of somebody else.
        public let isStandard: Bool
    }

    /// The name of a service: `Heart Rate` for 180D.
    public static func serviceName(_ uuid: BluetoothUUID) -> String? { name(uuid, .service) }

    /// The name of a characteristic: `Battery Level` for 2A19.
    public static func characteristicName(_ uuid: BluetoothUUID) -> String? { name(uuid, .characteristic) }

    /// The name of a descriptor: `Client Characteristic Configuration` for 2902.
    public static func descriptorName(_ uuid: BluetoothUUID) -> String? { name(uuid, .descriptor) }

    /// The name of a unit: `Celsius temperature (degree Celsius)` for 272F.
    public static func unitName(_ uuid: BluetoothUUID) -> String? { name(uuid, .unit) }

    /// The name of a UUID, whatever it names.
    public static func name(of uuid: BluetoothUUID) -> String? { entry(of: uuid)?.name }

    /// What is known about a UUID; the service where one number names several things.
    public static func entry(of uuid: BluetoothUUID) -> Entry? {
        let assigned = assignedEntry(of: uuid)
        guard let name = userName(of: uuid) else { return assigned }
        return Entry(uuid: uuid, kind: assigned?.kind ?? .service, name: name, isStandard: false)
    }

    private static func assignedEntry(of uuid: BluetoothUUID) -> Entry? {
        for kind in Kind.allCases {
            for table in [NumberTable.assignedUUIDs, .vendorUUIDs] {
                if let name = table.value("\(uuid) \(kind.letter)") {
                    return Entry(uuid: uuid, kind: kind, name: name, isStandard: table.isStandard)
                }
            }
        }
        return nil
    }

    private static func name(_ uuid: BluetoothUUID, _ kind: Kind) -> String? {
        if let own = userName(of: uuid) { return own }
        let key = "\(uuid) \(kind.letter)"
        return NumberTable.assignedUUIDs.value(key) ?? NumberTable.vendorUUIDs.value(key)
    }

    /// The name of a company.
    public static func companyName(_ company: CompanyIdentifier) -> String? {
        NumberTable.companies.value(hex(company.rawValue))
    }

    /// The name of a category, where the subcategory is 0, or else of a subcategory without its category.
    static func appearanceName(_ value: UInt16) -> String? { NumberTable.appearances.value(hex(value)) }

    private static func hex(_ value: UInt16) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - text.utf8.count) + text
    }
}

extension NumberTable {
    /// Whether the numbers were given their names by the Bluetooth SIG.
    var isStandard: Bool { text.utf8Start != NumberTable.vendorUUIDs.text.utf8Start }
}
