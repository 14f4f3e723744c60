extension AdvertisingData {
    /// The bytes of the first structure of `type`. Setting replaces all structures of the type; nil removes them.
    public subscript(type: ADType) -> [UInt8]? {
        get { first(type) { $0.array } }
        set { replace([type], with: newValue.map { [Structure(type: type, data: $0)] } ?? []) }
    }

    /// The discoverability and capabilities; nil if not advertised.
    public var flags: AdvertisingFlags? {
        get { first(.flags) { AdvertisingFlags(rawValue: $0.isEmpty ? 0 : $0[0]) } }
        set { self[.flags] = newValue.map { [$0.rawValue] } }
    }

    /// The manufacturer specific data, in order. Structures that are too short for a company identifier are omitted.
    public var manufacturerData: [ManufacturerData] {
        get {
            var result: [ManufacturerData] = []
            forEachStructure { type, data in
                guard type == .manufacturerSpecificData, data.count >= 2 else { return }
                let company = CompanyIdentifier(rawValue: data.uint16(at: 0))
                result.append(ManufacturerData(company: company, data: data.dropFirst(2).array))
            }
            return result
        }
        set {
            let structures = newValue.map { entry in
                let company = entry.company.rawValue
                return Structure(
                    type: .manufacturerSpecificData,
                    data: [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + entry.data)
            }
            replace([.manufacturerSpecificData], with: structures)
        }
    }

    /// Returns the data of a company; the first structure if there are several.
    public func manufacturerData(of company: CompanyIdentifier) -> [UInt8]? {
        firstStructure { type, data in
            guard type == .manufacturerSpecificData, data.count >= 2, data.uint16(at: 0) == company.rawValue else {
                return nil
            }
            return data.dropFirst(2).array
        }
    }

    /// The transmit power of the packet in dBm.
    public var txPower: Int8? {
        get { first(.txPowerLevel) { $0.count == 1 ? Int8(bitPattern: $0[0]) : nil } }
        set { self[.txPowerLevel] = newValue.map { [UInt8(bitPattern: $0)] } }
    }

    /// The appearance of the device.
    public var appearance: Appearance? {
        get { unsigned(.appearance, 2).map { Appearance(rawValue: UInt16($0)) } }
        set { setUnsigned(.appearance, newValue.map { UInt64($0.rawValue) }, 2) }
    }

    /// The class of a BR/EDR device, 24 bits (Core Specification Supplement, Part A, 1.6).
    public var classOfDevice: UInt32? {
        get { unsigned(.classOfDevice, 3).map { UInt32($0) } }
        set { setUnsigned(.classOfDevice, newValue.map(UInt64.init), 3) }
    }

    /// The preferred connection interval.
    public var connectionIntervalRange: PreferredConnectionInterval? {
        get {
            first(.peripheralConnectionIntervalRange) { data in
                guard data.count == 4 else { return nil }
                let ends = [data.uint16(at: 0), data.uint16(at: 2)].map { $0 == 0xFFFF ? nil : $0 }
                return PreferredConnectionInterval(minimum: ends[0], maximum: ends[1])
            }
        }
        set {
            let value = newValue.map { UInt64($0.minimum ?? 0xFFFF) | UInt64($0.maximum ?? 0xFFFF) << 16 }
            setUnsigned(.peripheralConnectionIntervalRange, value, 4)
        }
    }

    /// The advertising interval in units of 0.625 ms, from the short or the long form.
    public var advertisingInterval: UInt32? {
        get {
            let interval = unsigned(.advertisingInterval, 2) ?? unsigned(.advertisingIntervalLong, 3)
            return (interval ?? unsigned(.advertisingIntervalLong, 4)).map { UInt32($0) }
        }
        set {
            remove(.advertisingInterval, .advertisingIntervalLong)
            guard let newValue else { return }
            if newValue <= 0xFFFF {
                setUnsigned(.advertisingInterval, UInt64(newValue), 2)
            } else {
                setUnsigned(.advertisingIntervalLong, UInt64(newValue), newValue <= 0xFF_FFFF ? 3 : 4)
            }
        }
    }

    /// The supported roles.
    public var leRole: LERole? {
        get { unsigned(.leRole, 1).map { LERole(rawValue: UInt8($0)) } }
        set { self[.leRole] = newValue.map { [$0.rawValue] } }
    }

    /// The address of the device, for out-of-band data (Core Specification Supplement, Part A, 1.16).
    public var deviceAddress: BluetoothAddress? {
        get {
            first(.leDeviceAddress) { data in
                guard data.count == 7 else { return nil }
                return BluetoothAddress(littleEndian: data.prefix(6), kind: data[6] & 1 == 0 ? .public : .random)
            }
        }
        set { self[.leDeviceAddress] = newValue.map { Self.addressBytes($0) + [$0.kind.rawValue] } }
    }

    /// The intended recipients of the advertising (Core Specification Supplement, Part A, 1.13 and 1.14).
    public var targetAddresses: [BluetoothAddress] {
        get {
            var result: [BluetoothAddress] = []
            forEachStructure { type, data in
                guard type == .publicTargetAddress || type == .randomTargetAddress else { return }
                var reader = ByteReader(data)
                while let view = reader.bytes(6) {
                    let kind: BluetoothAddress.Kind = type == .publicTargetAddress ? .public : .random
                    if let address = BluetoothAddress(littleEndian: view, kind: kind) { result.append(address) }
                }
            }
            return result
        }
        set {
            let kinds: [(BluetoothAddress.Kind, ADType)] = [
                (.public, .publicTargetAddress), (.random, .randomTargetAddress),
            ]
            let structures = kinds.compactMap { kind, type -> Structure? in
                let data = newValue.filter { $0.kind == kind }.flatMap(Self.addressBytes)
                return data.isEmpty ? nil : Structure(type: type, data: data)
            }
            replace([.publicTargetAddress, .randomTargetAddress], with: structures)
        }
    }

    /// The supported link layer features, the first 64 bits in the controller's format.
    public var leSupportedFeatures: UInt64? {
        get {
            first(.leSupportedFeatures) { data in
                data.prefix(8).array.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << (8 * $1.offset) }
            }
        }
        set {
            // Trailing zero octets are not sent.
            setUnsigned(.leSupportedFeatures, newValue, newValue.map { (71 - $0.leadingZeroBitCount) / 8 } ?? 0)
        }
    }

    /// The new channel map of the periodic advertising.
    public var channelMapUpdate: ChannelMapUpdate? {
        get {
            unsigned(.channelMapUpdate, 7).map {
                ChannelMapUpdate(channelMap: $0, instant: UInt16(truncatingIfNeeded: $0 >> 40))
            }
        }
        set { setUnsigned(.channelMapUpdate, newValue.map { $0.channelMap | UInt64($0.instant) << 40 }, 7) }
    }

    /// The encrypted advertising data.
    public var encryptedData: EncryptedAdvertisingData? {
        get {
            first(.encryptedData) { data in
                guard data.count >= 9 else { return nil }
                return EncryptedAdvertisingData(
                    randomizer: data.prefix(5).array, payload: data.dropFirst(5).prefix(data.count - 9).array,
                    messageIntegrityCheck: data.dropFirst(data.count - 4).array)
            }
        }
        set {
            self[.encryptedData] = newValue.map { $0.randomizer + $0.payload + $0.messageIntegrityCheck }
        }
    }

    private func unsigned(_ type: ADType, _ length: Int) -> UInt64? {
        first(type) { data in
            guard data.count == length else { return nil }
            return (0..<length).reduce(UInt64(0)) { $0 | UInt64(data[$1]) << (8 * $1) }
        }
    }

    private mutating func setUnsigned(_ type: ADType, _ value: UInt64?, _ length: Int) {
        self[type] = value.map { value in (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }

    private static func addressBytes(_ address: BluetoothAddress) -> [UInt8] {
        var writer = ByteWriter(capacity: 6)
        address.write(to: &writer)
        return writer.bytes
    }
}
