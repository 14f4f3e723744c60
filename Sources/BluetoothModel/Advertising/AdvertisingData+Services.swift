extension AdvertisingData {
    private static let serviceTypes: [ADType] = [
        .incompleteServiceUUIDs16, .completeServiceUUIDs16, .incompleteServiceUUIDs32, .completeServiceUUIDs32,
        .incompleteServiceUUIDs128, .completeServiceUUIDs128,
    ]
    private static let solicitationTypes: [ADType] = [
        .solicitedServiceUUIDs16, .solicitedServiceUUIDs32, .solicitedServiceUUIDs128,
    ]
    private static let serviceDataTypes: [ADType] = [.serviceData16, .serviceData32, .serviceData128]

    /// The advertised service UUIDs from all lists, without duplicates (Core Specification Supplement, Part A, 1.1).
    ///
    /// Setting the property creates complete lists in the shortest forms.
    public var serviceUUIDs: [BluetoothUUID] {
        get { uuids { $0.serviceUUIDLength } }
        set {
            replace(
                Self.serviceTypes,
                with: Self.lists(
                    newValue, .completeServiceUUIDs16, .completeServiceUUIDs32, .completeServiceUUIDs128))
        }
    }

    /// True if no service list is marked incomplete; true also if there is no list.
    public var isServiceListComplete: Bool {
        !contains(.incompleteServiceUUIDs16) && !contains(.incompleteServiceUUIDs32)
            && !contains(.incompleteServiceUUIDs128)
    }

    /// Returns true if the device advertises `service`. Does not allocate.
    public func advertises(_ service: BluetoothUUID) -> Bool {
        firstStructure { type, data -> Bool? in
            guard let length = type.serviceUUIDLength else { return nil }
            var reader = ByteReader(data)
            while let view = reader.bytes(length) {
                if service.matches(littleEndian: view) { return true }
            }
            return nil
        } ?? false
    }

    /// The services that the device looks for in a central (Core Specification Supplement, Part A, 1.10).
    public var solicitedServiceUUIDs: [BluetoothUUID] {
        get { uuids { $0.solicitedUUIDLength } }
        set {
            replace(
                Self.solicitationTypes,
                with: Self.lists(
                    newValue, .solicitedServiceUUIDs16, .solicitedServiceUUIDs32, .solicitedServiceUUIDs128))
        }
    }

    /// The service data in the order of its structures (Core Specification Supplement, Part A, 1.11). A service may
    /// have several structures.
    public var allServiceData: [(service: BluetoothUUID, data: [UInt8])] {
        var result: [(service: BluetoothUUID, data: [UInt8])] = []
        forEachStructure { type, data in
            guard let length = type.serviceDataUUIDLength, data.count >= length,
                let uuid = BluetoothUUID(littleEndian: data.prefix(length))
            else { return }
            result.append((uuid, data.dropFirst(length).array))
        }
        return result
    }

    /// The service data by service; of a service with several structures, the first. ``allServiceData`` has all.
    ///
    /// Setting the property replaces all structures, and writes the services in the order of their UUIDs.
    public var serviceData: [BluetoothUUID: [UInt8]] {
        get { Dictionary(allServiceData.map { ($0.service, $0.data) }, uniquingKeysWith: { first, _ in first }) }
        set {
            let structures = newValue.sorted { $0.key < $1.key }.map { uuid, data in
                Structure(type: uuid.serviceDataType, data: uuid.advertisingBytes + data)
            }
            replace(Self.serviceDataTypes, with: structures)
        }
    }

    private func uuids(_ lengthOf: (ADType) -> Int?) -> [BluetoothUUID] {
        var result: [BluetoothUUID] = []
        forEachStructure { type, data in
            guard let length = lengthOf(type) else { return }
            var reader = ByteReader(data)
            while let view = reader.bytes(length) {
                if let uuid = BluetoothUUID(littleEndian: view), !result.contains(uuid) { result.append(uuid) }
            }
        }
        return result
    }

    private static func lists(_ uuids: [BluetoothUUID], _ short: ADType, _ medium: ADType, _ long: ADType)
        -> [Structure]
    {
        [(2, short), (4, medium), (16, long)].compactMap { length, type in
            let data = uuids.filter { $0.advertisingLength == length }.flatMap(\.advertisingBytes)
            return data.isEmpty ? nil : Structure(type: type, data: data)
        }
    }
}

extension ADType {
    /// The length of each UUID of a service list; nil for other types.
    var serviceUUIDLength: Int? {
        switch self {
        case .incompleteServiceUUIDs16, .completeServiceUUIDs16: 2
        case .incompleteServiceUUIDs32, .completeServiceUUIDs32: 4
        case .incompleteServiceUUIDs128, .completeServiceUUIDs128: 16
        default: nil
        }
    }

    /// The length of each UUID of a service solicitation list; nil for other types.
    var solicitedUUIDLength: Int? {
        switch self {
        case .solicitedServiceUUIDs16: 2
        case .solicitedServiceUUIDs32: 4
        case .solicitedServiceUUIDs128: 16
        default: nil
        }
    }

    /// The length of the UUID that precedes service data; nil for other types.
    package var serviceDataUUIDLength: Int? {
        switch self {
        case .serviceData16: 2
        case .serviceData32: 4
        case .serviceData128: 16
        default: nil
        }
    }
}

extension BluetoothUUID {
    /// The length of the shortest form in advertising data: 2, 4 or 16 bytes.
    var advertisingLength: Int { mediumValue == nil ? 16 : shortValue == nil ? 4 : 2 }

    /// The type of service data with the shortest form.
    package var serviceDataType: ADType {
        switch advertisingLength {
        case 2: .serviceData16
        case 4: .serviceData32
        default: .serviceData128
        }
    }

    /// The shortest form in advertising data, least significant byte first.
    package var advertisingBytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        if let mediumValue, shortValue == nil { writer.uint32(mediumValue) } else { write(to: &writer) }
        return writer.bytes
    }
}
