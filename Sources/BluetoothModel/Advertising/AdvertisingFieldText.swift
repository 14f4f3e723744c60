/// Describes the bytes of each type of advertising structure.
enum AdvertisingFieldText {
    /// Returns true if the bytes of the type are not interpreted.
    static func isBare(_ type: ADType) -> Bool {
        switch type {
        case .simplePairingHashC192, .simplePairingRandomizerR192, .simplePairingHashC256, .simplePairingRandomizerR256,
            .securityManagerTKValue, .secureConnectionsConfirmation, .secureConnectionsRandom, .indoorPositioning,
            .transportDiscovery, .meshProvisioning, .meshMessage, .meshBeacon, .bigInfo, .broadcastCode,
            .electronicShelfLabel:
            true
        default:
            !type.isKnown
        }
    }

    /// Returns the value as text; nil if the bytes are not interpreted or do not fit the type.
    static func text(_ type: ADType, _ data: ByteView) -> String? {
        if let length = type.serviceUUIDLength ?? type.solicitedUUIDLength {
            return list(data, length) { BluetoothUUID(littleEndian: $0).map(describe) }
        }
        if let length = type.serviceDataUUIDLength {
            guard data.count >= length, let uuid = BluetoothUUID(littleEndian: data.prefix(length)) else { return nil }
            return "\(describe(uuid)): \(hex(data.dropFirst(length)))"
        }
        var reader = ByteReader(data)
        switch type {
        case .flags:
            return flags(data)
        case .completeLocalName, .shortenedLocalName, .broadcastName:
            return AdvertisingData.text(data).map(PrintableText.escape)
        case .txPowerLevel:
            return data.count == 1 ? reader.int8().map { "\($0) dBm" } : nil
        case .classOfDevice:
            return data.count == 3 ? reader.uint24().map { "0x" + String($0, radix: 16, uppercase: true) } : nil
        case .securityManagerOutOfBandFlags:
            return data.count == 1 ? outOfBandFlags(data[0]) : nil
        case .peripheralConnectionIntervalRange:
            return data.count == 4 ? connectionIntervals(data) : nil
        case .publicTargetAddress, .randomTargetAddress:
            let kind: BluetoothAddress.Kind = type == .publicTargetAddress ? .public : .random
            return list(data, 6) { BluetoothAddress(littleEndian: $0, kind: kind)?.text }
        case .appearance:
            return data.count == 2 ? reader.uint16().map { Appearance(rawValue: $0).description } : nil
        case .advertisingInterval:
            return data.count == 2 ? reader.uint16().map { milliseconds(UInt64($0), 625) } : nil
        case .advertisingIntervalLong:
            guard data.count == 3 || data.count == 4 else { return nil }
            return (data.count == 3 ? reader.uint24() : reader.uint32()).map { milliseconds(UInt64($0), 625) }
        case .leDeviceAddress:
            guard data.count == 7 else { return nil }
            let kind: BluetoothAddress.Kind = data[6] & 1 == 0 ? .public : .random
            return BluetoothAddress(littleEndian: data.prefix(6), kind: kind).map { "\($0) (\(kind))" }
        case .leRole:
            return data.count == 1 ? LERole(rawValue: data[0]).description : nil
        case .uri:
            return PrintableText.escape(URIScheme.expand(String(decoding: data.unsafeBytes, as: UTF8.self)))
        case .leSupportedFeatures:
            return "bits " + bits(data.array)
        case .channelMapUpdate:
            guard data.count == 7 else { return nil }
            return "channels \(bits(data.prefix(5).array)) from event \(data.uint16(at: 5)) on"
        case .resolvableSetIdentifier:
            guard data.count == 6 else { return nil }
            return "hash \(data.prefix(3)), random \(data.dropFirst(3))"
        case .encryptedData:
            guard data.count >= 9 else { return nil }
            let payload = data.dropFirst(5).prefix(data.count - 9)
            return "randomizer \(data.prefix(5)), \(payload.count) bytes \(payload), check "
                + "\(data.dropFirst(data.count - 4))"
        case .periodicResponseTiming:
            return data.count == 8 ? responseTiming(data) : nil
        case .information3D:
            return data.count == 2 ? "features 0x\(data.prefix(1)), path loss threshold \(data[1]) dB" : nil
        case .manufacturerSpecificData:
            guard let company = reader.uint16() else { return nil }
            return manufacturerData(CompanyIdentifier(rawValue: company), reader.rest)
        default:
            return nil
        }
    }

    private static func describe(_ uuid: BluetoothUUID) -> String {
        AssignedNumbers.name(of: uuid).map { "\($0) (\(uuid))" } ?? uuid.description
    }

    private static func hex(_ data: ByteView) -> String { data.unsafeBytes.hexText(separator: " ") }

    /// Describes elements of `length` bytes; nil if bytes are left over.
    private static func list(_ data: ByteView, _ length: Int, _ element: (ByteView) -> String?) -> String? {
        var reader = ByteReader(data)
        var result: [String] = []
        while let view = reader.bytes(length), let text = element(view) { result.append(text) }
        guard reader.isAtEnd else { return nil }
        return result.isEmpty ? "none" : result.joined(separator: ", ")
    }

    private static func flags(_ data: ByteView) -> String {
        guard !data.isEmpty else { return "none" }
        var names = AdvertisingFlags(rawValue: data[0]).names
        if data[0] & 0xE0 != 0 { names.append("reserved 0x" + [data[0] & 0xE0].hexText()) }
        if data.count > 1 { names.append("more: \(hex(data.dropFirst(1)))") }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private static func outOfBandFlags(_ value: UInt8) -> String {
        var names = [value & 1 == 0 ? "no out of band data" : "out of band data present"]
        if value & 2 != 0 { names.append("LE supported") }
        if value & 4 != 0 { names.append("LE and BR/EDR at once") }
        names.append(value & 8 == 0 ? "public address" : "random address")
        return names.joined(separator: ", ")
    }

    private static func connectionIntervals(_ data: ByteView) -> String {
        let ends = [data.uint16(at: 0), data.uint16(at: 2)].map {
            $0 == 0xFFFF ? "any" : milliseconds(UInt64($0), 1250)
        }
        return "\(ends[0]) to \(ends[1])"
    }

    private static func responseTiming(_ data: ByteView) -> String {
        let address = data.prefix(4).array.reversed().hexText()
        return "access address 0x\(address), \(data[4]) subevents every \(milliseconds(UInt64(data[5]), 1250)), "
            + "responses after \(milliseconds(UInt64(data[6]), 1250)) every \(milliseconds(UInt64(data[7]), 125))"
    }

    private static func manufacturerData(_ company: CompanyIdentifier, _ data: ByteView) -> String {
        data.isEmpty ? "\(company)" : "\(company): \(hex(data))"
    }

    /// Returns `count` times `microseconds` in milliseconds, without rounding.
    private static func milliseconds(_ count: UInt64, _ microseconds: UInt64) -> String {
        let total = count * microseconds
        var fraction = String(total % 1000 + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? "\(total / 1000) ms" : "\(total / 1000).\(fraction) ms"
    }

    /// Returns the numbers of the bits that are set, with runs joined: "0-3, 8".
    private static func bits(_ bytes: [UInt8]) -> String {
        var runs: [(first: Int, last: Int)] = []
        for bit in 0..<bytes.count * 8 where bytes[bit / 8] & 1 << UInt8(bit % 8) != 0 {
            if let run = runs.last, run.last == bit - 1 {
                runs[runs.count - 1].last = bit
            } else {
                runs.append((bit, bit))
            }
        }
        if runs.isEmpty { return "none" }
        return runs.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }.joined(separator: ", ")
    }
}
