/// The names of numbers that the Bluetooth SIG assigned, and of a few well-known vendor-specific UUIDs.
///
/// The tables are text in the binary, sorted by number. Nothing is parsed at start-up and nothing is cached.
public enum AssignedNumbers {
    /// The kind of item that a UUID identifies.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A service.
        case service
        /// A characteristic.
        case characteristic
        /// A descriptor of a characteristic.
        case descriptor
        /// A declaration of the GATT database: primary service, include, ...
        case declaration
        /// A unit of a Characteristic Presentation Format (2904).
        case unit

        /// Creates a kind from its letter in the tables.
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

    /// A named UUID.
    public struct Entry: Hashable, Sendable {
        /// The UUID.
        public let uuid: BluetoothUUID
        /// The kind of item.
        public let kind: Kind
        /// The name.
        public let name: String
        /// True if the Bluetooth SIG assigned the name; false for a vendor-specific UUID or a name that the user gave.
        public let isStandard: Bool
    }

    /// Returns the name of a service: `Heart Rate` for 180D.
    public static func serviceName(_ uuid: BluetoothUUID) -> String? { name(uuid, .service) }

    /// Returns the name of a characteristic: `Battery Level` for 2A19.
    public static func characteristicName(_ uuid: BluetoothUUID) -> String? { name(uuid, .characteristic) }

    /// Returns the name of a descriptor: `Client Characteristic Configuration` for 2902.
    public static func descriptorName(_ uuid: BluetoothUUID) -> String? { name(uuid, .descriptor) }

    /// Returns the name of a unit: `Celsius temperature (degree Celsius)` for 272F.
    public static func unitName(_ uuid: BluetoothUUID) -> String? { name(uuid, .unit) }

    /// Returns the name of a UUID of any kind.
    public static func name(of uuid: BluetoothUUID) -> String? { entry(of: uuid)?.name }

    /// Returns the entry of a UUID. If several kinds share the UUID, services come first.
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

    /// Returns the name of a company; nil if unknown.
    public static func companyName(_ company: CompanyIdentifier) -> String? {
        NumberTable.companies.value(company.rawValue.hexText(digits: 4))
    }

    /// Returns the name of a category if the subcategory is 0, else the name of the subcategory alone.
    static func appearanceName(_ value: UInt16) -> String? {
        NumberTable.appearances.value(value.hexText(digits: 4))
    }
}

extension NumberTable {
    /// True if the Bluetooth SIG assigned the numbers of the table.
    var isStandard: Bool { text.utf8Start != NumberTable.vendorUUIDs.text.utf8Start }
}
