import Harald

/// The advertising of a device.
public struct DeviceAdvertising: Hashable, Sendable {
    /// The advertising interval, 20 ms to 10.24 s.
    public var interval: Duration = .milliseconds(100)
    /// The time after which advertising ends; nil for no limit.
    public var duration: Duration?
    /// True if centrals may connect.
    public var isConnectable = true
    /// True if the name is advertised.
    public var includesName = true
    /// The advertised name; nil for the GAP name.
    public var name: String?
    /// True if the appearance is advertised.
    public var includesAppearance = false
    /// The flags; nil to omit them.
    public var flags: AdvertisingFlags? = .standard
    /// The advertised services; nil for as many of the device's primary services as fit, without 1800 and 1801.
    public var services: [BluetoothUUID]?
    /// The solicited services.
    public var solicitedServices: [BluetoothUUID] = []
    /// The manufacturer specific data.
    public var manufacturerData: [ManufacturerData] = []
    /// The service data.
    public var serviceData: [BluetoothUUID: [UInt8]] = [:]
    /// The advertised transmit power in dBm.
    public var txPower: Int8?
    /// The complete advertising data, in place of all of the above.
    public var raw: [UInt8]?
    /// The complete scan response; nil for the structures that do not fit into the advertising data.
    public var rawScanResponse: [UInt8]?

    /// Creates the default: name and services.
    public init() {}

    /// The maximum length of an advertised name in bytes. Longer names do not even fit into both packets.
    static let maximumNameLength = 62
    /// The length of an advertising packet and of a scan response that every adapter supports.
    static let packetLength = 31

    /// Returns the name that `device` advertises; nil if it advertises none.
    public func name(of device: DeviceFile) -> String? {
        guard raw == nil, includesName else { return nil }
        let name = name ?? device.name
        return name.isEmpty ? nil : name
    }

    /// Returns the advertising data of `device`, which fits into an advertising packet and a scan response of 31 bytes
    /// each. Shortens the name if needed. If ``services`` is nil, omits the last services if needed.
    /// - Throws: ``AdvertisingDataError`` that names the structures that do not fit.
    public func data(for device: DeviceFile) throws(AdvertisingDataError) -> AdvertisingData {
        if let raw { return try Self.fitting(AdvertisingData(parsing: raw), isAlone: rawScanResponse != nil) }
        let primary = device.services.filter { $0.isPrimary && !$0.isGeneric }.map(\.uuid)
        if let services {
            var data = data(for: device, services)
            if !Set(services).isSuperset(of: primary) { data.markServicesIncomplete() }
            return try Self.fitting(data, isAlone: rawScanResponse != nil)
        }
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

    /// Shortens the name if needed. With its own scan response (`isAlone`), the data must fit into the advertising
    /// packet.
    private static func fitting(
        _ data: AdvertisingData, isAlone: Bool
    ) throws(AdvertisingDataError) -> AdvertisingData {
        let payload = try data.split(
            advertisingLimit: packetLength, scanResponseLimit: isAlone ? 0 : packetLength, shortensName: true)
        return AdvertisingData(parsing: payload.advertisingData + payload.scanResponse)
    }

    /// The scan response; nil for the structures that do not fit into the advertising data.
    public var scanResponse: AdvertisingData? { rawScanResponse.map { AdvertisingData(parsing: $0) } }
}

extension AdvertisingData {
    /// Marks the service lists as incomplete.
    fileprivate mutating func markServicesIncomplete() {
        let incomplete: [ADType: ADType] = [
            .completeServiceUUIDs16: .incompleteServiceUUIDs16, .completeServiceUUIDs32: .incompleteServiceUUIDs32,
            .completeServiceUUIDs128: .incompleteServiceUUIDs128,
        ]
        structures = structures.map { Structure(type: incomplete[$0.type] ?? $0.type, data: $0.data) }
    }
}
