import BluetoothBackend
import BluetoothModel
import SystemBus

/// The advertisement of a client: the properties of its `org.bluez.LEAdvertisement1`.
struct AdvertisementDefinition {
    static let interface = "org.bluez.LEAdvertisement1"
    /// The parts of the adapter that a client can include. The transmit power of an adapter is not known.
    static let includes = ["appearance", "local-name"]
    /// The interval of advertising without `MinInterval` and `MaxInterval`.
    private static let interval = Duration.milliseconds(100)
    /// The longest interval of legacy advertising.
    private static let longestInterval = Duration.milliseconds(10240)

    private(set) var isConnectable = false
    private(set) var data = AdvertisingData()
    private(set) var scanResponse = AdvertisingData()
    private(set) var includesName = false
    private(set) var appearance: Appearance?
    /// nil to follow the adapter.
    private(set) var isDiscoverable: Bool?
    private(set) var discoverableTimeout: Duration?
    /// The time that it has while several are advertised in turn; nil for the usual one.
    private(set) var duration: Duration?
    /// The time after which it ends; nil for none.
    private(set) var timeout: Duration?
    private(set) var interval = Self.interval

    /// Reads the properties.
    /// - Throws: `Failed` for a wrong or contradictory property, as `bluetoothd` does.
    init(_ properties: [String: BusValue]) throws(BusError) {
        let reader = AdvertisementReader(properties)
        switch try reader.text("Type") {
        case nil, "broadcast": break
        case "peripheral": isConnectable = true
        default: throw .unreadable
        }
        data = try reader.data("")
        scanResponse = try reader.data("ScanResponse")
        let includes = try reader.texts("Includes") ?? []
        includesName = includes.contains("local-name")
        if includes.contains("appearance") { appearance = Appearance(rawValue: 0) }
        if let name = try reader.text("LocalName") {
            if includesName { throw .unreadable }
            if !name.isEmpty { scanResponse.setLocalName(name, isComplete: true) }
        }
        if let number = try reader.uint16("Appearance") {
            if appearance != nil { throw .unreadable }
            appearance = Appearance(rawValue: number)
        }
        duration = try reader.seconds("Duration")
        timeout = try reader.seconds("Timeout")
        isDiscoverable = try reader.bool("Discoverable")
        discoverableTimeout = isDiscoverable == true ? try reader.seconds("DiscoverableTimeout") : nil
        // A device in the broadcast mode has no discoverable mode (Core 6.0, Vol 3, Part C, 9.1.1.2).
        if !isConnectable, isDiscoverable == true { throw .unreadable }
        if let timeout, let discoverableTimeout, discoverableTimeout > timeout { throw .unreadable }
        if let channel = try reader.text("SecondaryChannel"), !["1M", "2M", "Coded"].contains(channel) {
            throw .unreadable
        }
        if let power = try reader.int16("TxPower"), !(-127...20).contains(power) { throw .unreadable }
        let (shortest, longest) = (try reader.interval("MinInterval"), try reader.interval("MaxInterval"))
        if shortest ?? .zero > longest ?? .zero { throw .unreadable }
        if let shortest { interval = min(shortest, Self.longestInterval) }
    }

    /// Returns what the radio advertises.
    /// - Parameters:
    ///   - name: the name of the adapter.
    ///   - adapterIsDiscoverable: applies where the advertisement does not decide.
    ///   - isLimited: true while the time of the limited discoverable mode runs; nil without such a time.
    func request(name: String, adapterIsDiscoverable: Bool, isLimited: Bool?) -> AdvertisingRequest {
        var (data, scanResponse) = (data, scanResponse)
        if let flags = flags(adapterIsDiscoverable, isLimited) {
            let rest = data.structures
            data = AdvertisingData()
            data.flags = flags
            for structure in rest { data.append(structure) }
        }
        if let appearance { data.appearance = appearance }
        if includesName { scanResponse.setLocalName(name, isComplete: true) }
        let isLegacy = data.encodedLength <= 31 && scanResponse.encodedLength <= 31
        if !isLegacy {
            // The backend distributes the structures, or uses extended advertising, which has no scan response.
            for structure in scanResponse.structures { data.append(structure) }
        }
        return AdvertisingRequest(
            data: data, scanResponse: isLegacy ? scanResponse : nil, interval: interval, isConnectable: isConnectable)
    }

    private func flags(_ adapterIsDiscoverable: Bool, _ isLimited: Bool?) -> AdvertisingFlags? {
        guard isConnectable else { return nil }
        switch (isDiscoverable, isLimited) {
        case (true, true): return [.limitedDiscoverable, .classicNotSupported]
        case (true, false): return nil
        case (true, nil): return .standard
        case (false, _): return .classicNotSupported
        case (nil, _): return adapterIsDiscoverable ? .standard : nil
        }
    }
}

/// Reads the properties of an advertisement by their types: nil for an absent one.
private struct AdvertisementReader {
    private let properties: [String: BusValue]

    init(_ properties: [String: BusValue]) { self.properties = properties }

    private func value<Value>(_ name: String, _ body: (BusValue) -> Value?) throws(BusError) -> Value? {
        guard let found = properties[name] else { return nil }
        guard let value = body(found.unwrapped) else { throw .unreadable }
        return value
    }

    func text(_ name: String) throws(BusError) -> String? {
        try value(name) { if case .string(let text) = $0 { text } else { nil } }
    }

    func texts(_ name: String) throws(BusError) -> [String]? { try value(name) { $0.texts } }
    func bool(_ name: String) throws(BusError) -> Bool? { try value(name) { $0.bool } }

    func uint16(_ name: String) throws(BusError) -> UInt16? {
        try value(name) { if case .uint16(let number) = $0 { number } else { nil } }
    }

    func int16(_ name: String) throws(BusError) -> Int16? {
        try value(name) { if case .int16(let number) = $0 { number } else { nil } }
    }

    /// A number of seconds; nil also for 0.
    func seconds(_ name: String) throws(BusError) -> Duration? {
        try uint16(name).flatMap { $0 == 0 ? nil : .seconds(Int64($0)) }
    }

    /// An interval in milliseconds, from 20 ms.
    func interval(_ name: String) throws(BusError) -> Duration? {
        try value(name) { if case .uint32(let time) = $0, time >= 20 { .milliseconds(Int64(time)) } else { nil } }
    }

    /// The structures of the packet whose properties have this prefix.
    func data(_ prefix: String) throws(BusError) -> AdvertisingData {
        var data = AdvertisingData()
        if let services = try uuids(prefix + "ServiceUUIDs") { data.serviceUUIDs = services }
        if let services = try uuids(prefix + "SolicitUUIDs") { data.solicitedServiceUUIDs = services }
        if let entries = try entries(
            prefix + "ManufacturerData",
            { key -> UInt16? in
                if case .uint16(let company) = key { company } else { nil }
            })
        {
            if entries.values.contains(where: { $0.count > Self.longestValue - 2 }) { throw .unreadable }
            data.manufacturerData = entries.sorted { $0.key < $1.key }.map {
                ManufacturerData(company: CompanyIdentifier(rawValue: $0.key), data: $0.value)
            }
        }
        if let entries = try entries(prefix + "ServiceData", { $0.text.flatMap { BluetoothUUID($0) } }) {
            if entries.contains(where: { $1.count > Self.longestValue - $0.attLength }) { throw .unreadable }
            data.serviceData = entries
        }
        let others = try entries(prefix + "Data") { key -> UInt8? in
            if case .byte(let type) = key { type } else { nil }
        }
        for (type, bytes) in (others ?? [:]).sorted(by: { $0.key < $1.key }) {
            let type = ADType(rawValue: type)
            if Self.reserved.contains(type) { throw .unreadable }
            data.append(AdvertisingData.Structure(type: type, data: bytes))
        }
        return data
    }

    private func uuids(_ name: String) throws(BusError) -> [BluetoothUUID]? {
        guard let texts = try texts(name) else { return nil }
        let uuids = texts.compactMap { BluetoothUUID($0) }
        if uuids.count != texts.count { throw .unreadable }
        return uuids
    }

    private func entries<Key: Hashable>(
        _ name: String, _ key: (BusValue) -> Key?
    ) throws(BusError) -> [Key: [UInt8]]? {
        try value(name) { value in
            guard case .dictionary(let entries, _, _) = value else { return nil }
            var result: [Key: [UInt8]] = [:]
            for entry in entries {
                guard let key = key(entry.key), let bytes = entry.value.bytes else { return nil }
                result[key] = bytes
            }
            return result
        }
    }

    /// The longest value of one structure of legacy advertising, with its identifier.
    private static let longestValue = 29

    /// The types that have properties of their own, or that `bluetoothd` does not let clients advertise.
    private static let reserved: Set<ADType> = [
        .flags, .incompleteServiceUUIDs16, .completeServiceUUIDs16, .incompleteServiceUUIDs32, .completeServiceUUIDs32,
        .incompleteServiceUUIDs128, .completeServiceUUIDs128, .shortenedLocalName, .completeLocalName, .txPowerLevel,
        .classOfDevice, .simplePairingHashC192, .simplePairingRandomizerR192, .securityManagerTKValue,
        .securityManagerOutOfBandFlags, .peripheralConnectionIntervalRange, .solicitedServiceUUIDs16,
        .solicitedServiceUUIDs128, .serviceData16, .publicTargetAddress, .randomTargetAddress, .appearance,
        .advertisingInterval, .leDeviceAddress, .leRole, .simplePairingHashC256, .simplePairingRandomizerR256,
        .solicitedServiceUUIDs32, .serviceData32, .serviceData128, .secureConnectionsConfirmation,
        .secureConnectionsRandom, .leSupportedFeatures, .channelMapUpdate, .meshProvisioning, .meshMessage,
        .meshBeacon, .information3D, .manufacturerSpecificData,
    ]
}

extension BusError {
    fileprivate static let unreadable = failed("Failed to parse advertisement.")
}
