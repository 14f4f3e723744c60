import BluetoothModel
import BluetoothRuntime

/// The parameters of a scan.
package struct ScanRequest: Sendable {
    /// The advertised services, one of which has to match; empty for all devices.
    package var services: [BluetoothUUID]
    /// The solicited services; devices that solicit one of them match too.
    package var solicitedServices: [BluetoothUUID]
    /// True to report every advertisement, false to report each device once.
    package var allowsDuplicates: Bool
    /// True to request scan responses.
    package var isActive: Bool
    /// The advertisements that a passive scan needs, for radios that scan passively only for patterns; empty for all.
    /// Others may be reported too.
    package var patterns: [AdvertisementPattern] = []
    /// Called when the radio has begun to scan, and when the way changes in which it does. Called on the loop.
    package var modeChanged: (@Sendable (ScanMode) -> Void)?
    /// A further condition of the reports; nil for none. A scan that reports each device once reports it when the
    /// condition first holds, so it is evaluated for each advertisement until then. Called on the loop.
    package var condition: (@Sendable (ScanReport) -> Bool)?

    /// Creates a request; by default an active scan for all devices, each reported once.
    package init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], allowsDuplicates: Bool = false,
        isActive: Bool = true
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowsDuplicates = allowsDuplicates
        self.isActive = isActive
    }

    /// True if every service matches.
    package var wantsAllServices: Bool { services.isEmpty && solicitedServices.isEmpty }

    /// Returns true if the report matches.
    package func matches(_ report: ScanReport) -> Bool {
        matches(report.advertisement) && condition?(report) ?? true
    }

    private func matches(_ advertisement: AdvertisingData) -> Bool {
        if wantsAllServices { return true }
        if !services.isEmpty, advertisement.serviceUUIDs.contains(where: services.contains) { return true }
        return !solicitedServices.isEmpty
            && advertisement.solicitedServiceUUIDs.contains(where: solicitedServices.contains)
    }
}

/// The way in which a radio scans.
package enum ScanMode: Hashable, Sendable {
    /// It requests scan responses: because a scan wants them, or for the reason given.
    case active(because: String?)
    /// It receives every advertisement, without a request.
    case passive
    /// It receives the advertisements with one of the patterns of its scans, without a request.
    case patterns

    /// True if no scan responses are requested.
    package var isPassive: Bool { if case .active = self { false } else { true } }
}

/// A received advertisement of a device.
public struct ScanReport: Sendable {
    /// The identifier of the device.
    public var peripheral: PeripheralID
    /// The address, if the platform shows it.
    public var address: BluetoothAddress?
    /// The name known from before, from the GAP service or an earlier advertisement.
    public var knownName: String?
    /// The advertising data, with the scan response if one was received.
    public var advertisement: AdvertisingData
    /// RSSI in dBm; nil if the controller does not report it.
    public var rssi: Int?
    /// True if the device accepts connections.
    public var isConnectable: Bool
    /// The time of reception.
    public var time: RadioInstant
    /// The data of this packet alone, without that of other packets; nil if the platform does not show it.
    public var packet: [UInt8]?
    /// True if this packet was a scan response.
    public var isScanResponse: Bool

    /// Creates a report.
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

/// The parameters of a connection attempt.
package struct ConnectRequest: Hashable, Sendable {
    /// The timeout of the attempt; nil for none.
    package var timeout: Duration?
    /// The number of further attempts after a connection failed to be established (0x3E).
    package var retries: Int
    /// The initial connection parameters.
    package var parameters: ConnectionParametersRequest
    /// True for a link without a client of the attribute protocol: nothing is sent on it but the frames of
    /// ``PeripheralLink/rawFrames``. A backend without ``BackendCapabilities/rawFrames`` ignores it.
    package var isRaw = false

    /// Creates a request.
    package init(timeout: Duration? = nil, retries: Int = 3, parameters: ConnectionParametersRequest = .standard) {
        self.timeout = timeout
        self.retries = retries
        self.parameters = parameters
    }
}
