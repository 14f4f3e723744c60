import Harald

/// What a device advertises.
public struct DeviceAdvertising: Hashable, Sendable {
    /// Time between two advertisements, 20 ms to 10.24 s.
    public var interval: Duration = .milliseconds(100)
    /// Whether centrals may connect.
    public var isConnectable = true
    /// Whether the name is advertised.
    public var includesName = true
    /// The name that is advertised; nil for the GAP name.
    public var name: String?
    /// Whether the appearance is advertised.
    public var includesAppearance = false
    /// The flags; nil for none.
    public var flags: AdvertisingFlags? = .standard
    /// The services; nil for as many of the primary ones of the device as fit, without 1800 and 1801.
    public var services: [BluetoothUUID]?
    /// Services that it would like a central to have.
    public var solicitedServices: [BluetoothUUID] = []
    /// Data of manufacturers.
    public var manufacturerData: [ManufacturerData] = []
    /// Data of services.
    public var serviceData: [BluetoothUUID: [UInt8]] = [:]
    /// The power that it sends with, in dBm.
    public var txPower: Int8?
    /// The whole advertisement, instead of everything above.
    public var raw: [UInt8]?
    /// The whole scan response; nil for what does not fit in the advertisement.
    public var rawScanResponse: [UInt8]?

    /// The name and the services.
    public init() {}

    /// The longest name that is advertised, in bytes; a longer one could not even fill both packets.
    static let maximumNameLength = 62
    /// The bytes of an advertising packet that every adapter can send, and of a scan response.
    static let packetLength = 31

    /// The name that `device` advertises; nil where it advertises none.
    public func name(of device: DeviceFile) -> String? {
        guard raw == nil, includesName else { return nil }
        let name = name ?? device.name
        return name.isEmpty ? nil : name
    }

    /// The advertisement of `device`, as it fits in an advertising packet and its scan response of 31 bytes each: a
    /// name that is too long is shortened, and of services that ``services`` does not name the last ones are left out.
    /// - Throws: what does not fit.
    public func data(for device: DeviceFile) throws(AdvertisingDataError) -> AdvertisingData {
        if let raw { return try Self.fitting(AdvertisingData(parsing: raw), isAlone: rawScanResponse != nil) }
        if let services { return try Self.fitting(data(for: device, services), isAlone: rawScanResponse != nil) }
        let primary = device.services.filter { $0.isPrimary && !$0.isGeneric }.map(\.uuid)
        var count = min(primary.count, Self.packetLength)
        while true {
            do throws(AdvertisingDataError) {
                var data = data(for: device, Array(primary.prefix(count)))
                if count < primary.count { data.markServicesIncomplete() }
                return try Self.fitting(data, isAlone: rawScanResponse != nil)
            } catch {
                guard count > 0 else { throw error }
                count -= 1
            }
        }
    }

    private func data(for device: DeviceFile, _ services: [BluetoothUUID]) -> AdvertisingData {
        AdvertisingData(
            localName: name(of: device), serviceUUIDs: services, flags: flags,
            solicitedServiceUUIDs: solicitedServices, serviceData: serviceData, manufacturerData: manufacturerData,
            txPower: txPower, appearance: includesAppearance ? device.appearance : nil)
    }

    /// Shortens the name where it has to be; the scan response has no room where it is another one.
    private static func fitting(
        _ data: AdvertisingData, isAlone: Bool
    ) throws(AdvertisingDataError) -> AdvertisingData {
        let payload = try data.split(
            advertisingLimit: packetLength, scanResponseLimit: isAlone ? 0 : packetLength, shortensName: true)
        return AdvertisingData(parsing: payload.advertisingData + payload.scanResponse)
    }

    /// The scan response; nil for what does not fit in the advertisement.
    public var scanResponse: AdvertisingData? { rawScanResponse.map { AdvertisingData(parsing: $0) } }
}

extension AdvertisingData {
    /// Says of the lists of services that there are more.
    fileprivate mutating func markServicesIncomplete() {
        let incomplete: [ADType: ADType] = [
            .completeServiceUUIDs16: .incompleteServiceUUIDs16, .completeServiceUUIDs32: .incompleteServiceUUIDs32,
            .completeServiceUUIDs128: .incompleteServiceUUIDs128,
        ]
        structures = structures.map { Structure(type: incomplete[$0.type] ?? $0.type, data: $0.data) }
    }
}
