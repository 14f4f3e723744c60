import BluetoothModel
import BluetoothRuntime

/// What a scan looks for.
public struct ScanRequest: Hashable, Sendable {
    /// Only devices that advertise one of these services; empty for all.
    public var services: [BluetoothUUID]
    /// Also devices that solicit one of these services.
    public var solicitedServices: [BluetoothUUID]
    /// Whether every advertisement is reported, or each device once.
    public var allowsDuplicates: Bool
    /// Whether devices are asked for their scan response.
    public var isActive: Bool

    /// A request; by default an active scan for everything, each device once.
    public init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], allowsDuplicates: Bool = false,
        isActive: Bool = true
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowsDuplicates = allowsDuplicates
        self.isActive = isActive
    }

    /// Whether every device is asked for.
    public var wantsAll: Bool { services.isEmpty && solicitedServices.isEmpty }

    /// Whether a device with this advertisement is asked for.
    public func matches(_ advertisement: AdvertisingData) -> Bool {
        if wantsAll { return true }
        if !services.isEmpty, advertisement.serviceUUIDs.contains(where: services.contains) { return true }
        return !solicitedServices.isEmpty
            && advertisement.solicitedServiceUUIDs.contains(where: solicitedServices.contains)
    }
}

/// A device that was heard.
public struct ScanReport: Sendable {
    /// Which device.
    public var peripheral: PeripheralID
    /// Its address, where the platform shows it.
    public var address: BluetoothAddress?
    /// The name it was known by before, from its GAP service or an earlier advertisement.
    public var knownName: String?
    /// The advertisement, with the scan response where one was heard.
    public var advertisement: AdvertisingData
    /// Received signal strength in dBm; nil where the controller does not know.
    public var rssi: Int?
    /// Whether it accepts connections.
    public var isConnectable: Bool
    /// When it was heard.
    public var time: RadioInstant
    /// The bytes of this one packet, without what other packets said; nil where the platform does not show them.
    public var packet: [UInt8]?
    /// Whether this packet was a scan response.
    public var isScanResponse: Bool

    /// A discovery.
    public init(
        peripheral: PeripheralID, address: BluetoothAddress?, knownName: String?, advertisement: AdvertisingData,
        rssi: Int?, isConnectable: Bool, time: RadioInstant, packet: [UInt8]? = nil, isScanResponse: Bool = false
    ) {
        self.packet = packet
        self.isScanResponse = isScanResponse
        self.peripheral = peripheral
        self.address = address
        self.knownName = knownName
        self.advertisement = advertisement
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.time = time
    }
}

/// A device that is remembered.
public struct KnownPeripheral: Hashable, Sendable {
    /// Which device.
    public var id: PeripheralID
    /// Its address, where the platform shows it.
    public var address: BluetoothAddress?
    /// The name it was last known by.
    public var name: String?

    /// A remembered device.
    public init(id: PeripheralID, address: BluetoothAddress? = nil, name: String? = nil) {
        self.id = id
        self.address = address
        self.name = name
    }
}

/// How to connect.
public struct ConnectRequest: Hashable, Sendable {
    /// When to give up; nil for never.
    public var timeout: Duration?
    /// How often a connection that failed to be established (0x3E) is tried again.
    public var retries: Int
    /// What to ask for.
    public var parameters: ConnectionParametersRequest

    /// A request.
    public init(timeout: Duration? = nil, retries: Int = 3, parameters: ConnectionParametersRequest = .standard) {
        self.timeout = timeout
        self.retries = retries
        self.parameters = parameters
    }
}
