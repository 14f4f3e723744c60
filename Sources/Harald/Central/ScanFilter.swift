/// A filter of the peripherals that a scan delivers. All conditions that are set have to hold; `services` and
/// `solicitedServices` count as one condition.
public struct ScanFilter: Sendable {
    /// The advertised services, one of which has to match; empty for any.
    public var services: [BluetoothUUID]
    /// The solicited services, one of which has to match; empty for any.
    public var solicitedServices: [BluetoothUUID]
    /// Case-insensitive prefix of the name.
    public var namePrefix: String?
    /// Minimum RSSI, in dBm.
    public var minimumRSSI: Int?
    /// The company whose manufacturer data has to be advertised.
    public var manufacturer: CompanyIdentifier?
    /// Any further condition.
    public var condition: (@Sendable (ScanResult) -> Bool)?

    /// Creates a filter; by default it hides nothing.
    public init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], namePrefix: String? = nil,
        minimumRSSI: Int? = nil, manufacturer: CompanyIdentifier? = nil,
        condition: (@Sendable (ScanResult) -> Bool)? = nil
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.namePrefix = namePrefix
        self.minimumRSSI = minimumRSSI
        self.manufacturer = manufacturer
        self.condition = condition
    }

    /// True if the filter hides nothing.
    var isEmpty: Bool {
        services.isEmpty && solicitedServices.isEmpty && namePrefix == nil && minimumRSSI == nil && manufacturer == nil
            && condition == nil
    }

    func shows(_ result: ScanResult) -> Bool {
        let data = result.advertisement
        if !services.isEmpty || !solicitedServices.isEmpty {
            let isOffered = data.serviceUUIDs.contains(where: services.contains)
            let isSolicited = data.solicitedServiceUUIDs.contains(where: solicitedServices.contains)
            guard isOffered || isSolicited else { return false }
        }
        if let namePrefix {
            guard let name = result.name, name.lowercased().hasPrefix(namePrefix.lowercased()) else { return false }
        }
        if let minimumRSSI {
            guard let rssi = result.rssi, rssi >= minimumRSSI else { return false }
        }
        if let manufacturer {
            guard data.manufacturerData.contains(where: { $0.company == manufacturer }) else { return false }
        }
        return condition?(result) ?? true
    }
}
