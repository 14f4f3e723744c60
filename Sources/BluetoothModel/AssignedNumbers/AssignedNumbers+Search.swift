extension AssignedNumbers {
    /// Returns the UUIDs with this name: those that the user named, then those of the Bluetooth SIG, then the others.
    /// Each in numeric order.
    ///
    /// Ignores case, spaces and punctuation: "battery level", "battery-level" and "BatteryLevel" are all 2A19. The word
    /// "Service" at the end of a service's name and "Characteristic" at the end of a characteristic's name are
    /// optional. `kind` restricts the search to one kind.
    public static func uuids(named name: String, kind: Kind? = nil) -> [BluetoothUUID] {
        let wanted = normalized(name)
        guard !wanted.isEmpty else { return [] }
        return entries(kind: kind) { found, kind in
            found == wanted || (found.starts(with: wanted) && found == wanted + Array(kind.rawValue.utf8))
        }.map(\.uuid)
    }

    /// Returns the entries whose name contains `text`: those that the user named, then those of the Bluetooth SIG, then
    /// the others. Each in numeric order.
    ///
    /// Ignores case, spaces and punctuation. An empty text matches everything.
    public static func search(_ text: String, kind: Kind? = nil) -> [Entry] {
        let wanted = normalized(text)
        return entries(kind: kind) { found, _ in found.contains(wanted) }
    }

    /// Returns the companies whose name contains `text`, in numeric order. Ignores case, spaces and punctuation.
    public static func companies(containing text: String) -> [CompanyIdentifier] {
        let wanted = normalized(text)
        return companies { $0.contains(wanted) }
    }

    /// Returns the companies with this name, ignoring case, spaces and punctuation. A few names occur twice.
    public static func companies(named name: String) -> [CompanyIdentifier] {
        let wanted = normalized(name)
        return wanted.isEmpty ? [] : companies { $0 == wanted }
    }

    /// Returns the appearances whose name, including that of the category, contains `text`, in numeric order. Ignores
    /// case, spaces and punctuation.
    public static func appearances(containing text: String) -> [Appearance] {
        let wanted = normalized(text)
        var result: [Appearance] = []
        NumberTable.appearances.forEachLine { line in
            guard let number = UInt16(String(decoding: line.prefix(4), as: UTF8.self), radix: 16) else { return }
            let appearance = Appearance(rawValue: number)
            if let name = appearance.name, normalized(name).contains(wanted) { result.append(appearance) }
        }
        return result
    }

    private static func companies(_ isWanted: ([UInt8]) -> Bool) -> [CompanyIdentifier] {
        var result: [CompanyIdentifier] = []
        var name: [UInt8] = []
        NumberTable.companies.forEachLine { line in
            name.removeAll(keepingCapacity: true)
            normalize(UnsafeBufferPointer(rebasing: line.dropFirst(5)), into: &name)
            guard isWanted(name), let number = UInt16(String(decoding: line.prefix(4), as: UTF8.self), radix: 16) else {
                return
            }
            result.append(CompanyIdentifier(rawValue: number))
        }
        return result
    }

    private static func entries(kind wanted: Kind?, _ isWanted: (_ name: [UInt8], _ kind: Kind) -> Bool) -> [Entry] {
        var result = userEntries(kind: wanted, isWanted)
        var normalizedName: [UInt8] = []
        for table in [NumberTable.assignedUUIDs, .vendorUUIDs] {
            table.forEachLine { line in
                // Line format: NUMBER, space, letter of the kind, space, name.
                let number = line.prefix { $0 != 0x20 }
                let rest = line.dropFirst(number.count + 1)
                guard let kind = rest.first.flatMap(Kind.init(letter:)), wanted == nil || wanted == kind else { return }
                let name = UnsafeBufferPointer(rebasing: rest.dropFirst(2))
                normalizedName.removeAll(keepingCapacity: true)
                normalize(name, into: &normalizedName)
                guard isWanted(normalizedName, kind),
                    let uuid = BluetoothUUID(String(decoding: number, as: UTF8.self))
                else { return }
                let text = String(decoding: name, as: UTF8.self)
                result.append(Entry(uuid: uuid, kind: kind, name: text, isStandard: table.isStandard))
            }
        }
        return result
    }

    /// A name that the user gave matches every kind of attribute.
    private static func userEntries(kind wanted: Kind?, _ isWanted: (_ name: [UInt8], _ kind: Kind) -> Bool) -> [Entry]
    {
        namesOfUser.sorted { $0.key < $1.key }.compactMap { uuid, name in
            let kind = wanted ?? .service
            guard isWanted(normalized(name), kind) else { return nil }
            return Entry(uuid: uuid, kind: kind, name: name, isStandard: false)
        }
    }

    private static func normalized(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        Array(text.utf8).withUnsafeBufferPointer { normalize($0, into: &result) }
        return result
    }

    /// Lowercases ASCII letters, keeps digits and non-ASCII bytes, and removes all other characters.
    private static func normalize(_ text: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) {
        for byte in text {
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x80...: result.append(byte)
            case 0x41...0x5A: result.append(byte + 0x20)
            default: break
            }
        }
    }
}

extension [UInt8] {
    /// Returns true if the bytes contain `part`.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        var start = 0
        while start + part.count <= count {
            if self[start] == first, self[start..<start + part.count].elementsEqual(part) { return true }
            start += 1
        }
        return false
    }
}
