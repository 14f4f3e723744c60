import Harald

/// What a device advertises.
public struct DeviceAdvertising: Hashable, Sendable {
    /// Time between two advertisements, 20 ms to 10.24 s.
    public var interval: Duration = .milliseconds(100)
    /// Whether centrals may connect.
    public var isConnectable = true
    /// Whether the name is advertised.
    public var includesName = true
    /// Whether the appearance is advertised.
    public var includesAppearance = false
    /// The flags; nil for none.
    public var flags: AdvertisingFlags? = .standard
    /// The services; nil for the primary ones of the device.
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

    /// The advertisement of `device`.
    public func data(for device: DeviceFile) -> AdvertisingData {
        if let raw { return AdvertisingData(parsing: raw) }
        return AdvertisingData(
            localName: includesName && !device.name.isEmpty ? device.name : nil,
            serviceUUIDs: services ?? device.services.filter(\.isPrimary).map(\.uuid), flags: flags,
            solicitedServiceUUIDs: solicitedServices, serviceData: serviceData, manufacturerData: manufacturerData,
            txPower: txPower, appearance: includesAppearance ? device.appearance : nil)
    }

    /// The scan response; nil for what does not fit in the advertisement.
    public var scanResponse: AdvertisingData? { rawScanResponse.map { AdvertisingData(parsing: $0) } }
}
