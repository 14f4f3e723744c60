#if Programs
import Harald

extension FileNode {
    /// Reads a UUID or its assigned name.
    /// - Throws: ``DeviceFileError`` if the node is neither.
    package func uuid(_ what: String, _ kind: AssignedNumbers.Kind) throws(DeviceFileError) -> BluetoothUUID {
        let text = try string(what)
        if let uuid = BluetoothUUID(text) ?? AssignedNumbers.uuids(named: text, kind: kind).first { return uuid }
        let near = AssignedNumbers.search(text, kind: kind).prefix(3).map { "\($0.uuid) \($0.name)" }
        throw error(
            "\(what) must be a UUID or an assigned name, but this is '\(text)'"
                + (near.isEmpty ? "" : "; did you mean \(near.joined(separator: ", "))?"))
    }

    /// Reads a UUID or an assigned name, or a list of these.
    /// - Throws: ``DeviceFileError`` if an element is neither.
    package func uuids(_ what: String, _ kind: AssignedNumbers.Kind) throws(DeviceFileError) -> [BluetoothUUID] {
        var uuids: [BluetoothUUID] = []
        for element in listOrOne() { uuids.append(try element.uuid(what, kind)) }
        return uuids
    }

    /// Reads `automatic`, `public` or a static random address.
    func ownAddress() throws(DeviceFileError) -> OwnAddress {
        let text = try string("an address")
        switch text.lowercased() {
        case "automatic": return .automatic
        case "public": return .public
        default:
            guard let address = BluetoothAddress(text, kind: .random) else {
                throw error(
                    "an address must be 'automatic', 'public' or six bytes (C0:12:34:56:78:9A), but this is '\(text)'"
                )
            }
            guard address.randomKind == .staticAddress else {
                throw error(
                    "a device's address must be static random, with a first byte from C0 to FF, but this is '\(text)'")
            }
            return .randomStatic(address)
        }
    }

    /// Reads a number or an assigned name, such as "Heart Rate Sensor: Heart Rate Belt".
    func appearance() throws(DeviceFileError) -> Appearance {
        let text = try string("an appearance")
        if text.first?.isNumber ?? true {
            return Appearance(rawValue: UInt16(try integer("an appearance", in: 0...0xFFFF)))
        }
        let wanted = Self.plain(text)
        // Categories have ten bits, but the assigned ones are few and have low numbers.
        var names: [String] = []
        for number: UInt16 in 0..<0x2000 {
            let appearance = Appearance(rawValue: number)
            guard let name = appearance.subcategory == 0 ? appearance.categoryName : appearance.subcategoryName else {
                continue
            }
            if Self.plain(name) == wanted || appearance.name.map(Self.plain) == wanted { return appearance }
            names.append(name)
        }
        let meant = Spelling.nearest(to: text, among: names).map { "; did you mean '\($0)'?" } ?? ""
        throw error("an appearance must be a number or an assigned name, but this is '\(text)'\(meant)")
    }

    private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    func company() throws(DeviceFileError) -> CompanyIdentifier {
        let text = try string("a company")
        if text.first?.isNumber ?? false, !text.contains(" ") {
            return CompanyIdentifier(rawValue: UInt16(try integer("a company", in: 0...0xFFFF)))
        }
        if let company = AssignedNumbers.companies(named: text).first { return company }
        let near = AssignedNumbers.companies(containing: text)
        if near.count == 1 { return near[0] }
        let names = near.prefix(3).compactMap { company in company.name.map { "'\($0)'" } }.joined(separator: ", ")
        throw error(
            "a company must be a number or a whole name, but this is '\(text)'"
                + (names.isEmpty ? "" : "; did you mean \(names)?"))
    }

    func properties() throws(DeviceFileError) -> CharacteristicProperties {
        var properties: CharacteristicProperties = []
        for element in listOrOne() {
            properties.insert(
                try element.choice(
                    "a property",
                    [
                        "read": .read, "write": .write, "writeWithoutResponse": .writeWithoutResponse,
                        "notify": .notify, "indicate": .indicate, "broadcast": .broadcast,
                        "authenticatedSignedWrites": .authenticatedSignedWrites,
                        "extendedProperties": .extendedProperties,
                    ]))
        }
        return properties
    }

    func permissions() throws(DeviceFileError) -> AttributePermissions {
        var permissions: AttributePermissions = []
        for element in listOrOne() {
            permissions.insert(
                try element.choice(
                    "a permission",
                    [
                        "readable": .readable, "writeable": .writeable, "readEncrypted": .readEncryptionRequired,
                        "writeEncrypted": .writeEncryptionRequired,
                        "readAuthenticated": .readAuthenticationRequired,
                        "writeAuthenticated": .writeAuthenticationRequired,
                        "secureConnections": .secureConnectionsRequired,
                    ]))
        }
        return permissions
    }

    /// Reads the number of an ATT error or the name of a common one.
    func attError() throws(DeviceFileError) -> ATTErrorCode {
        let text = try string("an error")
        if text.first?.isNumber ?? false { return ATTErrorCode(rawValue: UInt8(try integer("an error", in: 1...0xFF))) }
        return try choice(
            "an error",
            [
                "writeNotPermitted": .writeNotPermitted, "invalidValueLength": .invalidValueLength,
                "unlikelyError": .unlikelyError, "insufficientResources": .insufficientResources,
                "insufficientAuthentication": .insufficientAuthentication,
                "insufficientAuthorization": .insufficientAuthorization,
                "insufficientEncryption": .insufficientEncryption, "valueNotAllowed": .valueNotAllowed,
                "writeRequestRejected": .writeRequestRejected,
                "procedureAlreadyInProgress": .procedureAlreadyInProgress, "outOfRange": .outOfRange,
            ])
    }

    /// Reads a passkey of up to six digits, without leading zeros if fewer.
    /// - Throws: ``DeviceFileError`` if the node is no passkey.
    package func passkey() throws(DeviceFileError) -> UInt32 {
        let text = try string("a passkey")
        guard (1...6).contains(text.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text)
        else { throw error("a passkey must have six digits, but this is '\(text)'") }
        return number
    }
}
#endif
