/// Which peripherals a scan shows. Every condition that is set has to hold.
public struct ScanFilter: Sendable {
    /// One of these services is advertised; empty for any.
    public var services: [BluetoothUUID]
    /// One of these services is solicited; empty for any.
    public var solicitedServices: [BluetoothUUID]
    /// The name begins so, upper and lower case alike.
    public var namePrefix: String?
    /// The signal is at least so strong, in dBm.
    public var minimumRSSI: Int?
    /// Manufacturer data of this company is advertised.
    public var manufacturer: CompanyIdentifier?
    /// Any further condition.
    public var condition: (@Sendable (Discovery) -> Bool)?

    /// A filter; by default it hides nothing.
    public init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], namePrefix: String? = nil,
        minimumRSSI: Int? = nil, manufacturer: CompanyIdentifier? = nil,
        condition: (@Sendable (Discovery) -> Bool)? = nil
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.namePrefix = namePrefix
        self.minimumRSSI = minimumRSSI
        self.manufacturer = manufacturer
        self.condition = condition
    }

    /// Whether nothing is hidden, whatever comes.
    var isEmpty: Bool {
        services.isEmpty && solicitedServices.isEmpty && namePrefix == nil && minimumRSSI == nil && manufacturer == nil
            && condition == nil
    }

    func shows(_ discovery: Discovery) -> Bool {
        let data = discovery.advertisement
        if !services.isEmpty || !solicitedServices.isEmpty {
            let isOffered = data.serviceUUIDs.contains(where: services.contains)
            let isSolicited = data.solicitedServiceUUIDs.contains(where: solicitedServices.contains)
            guard isOffered || isSolicited else { return false }
        }
        if let namePrefix {
            guard let name = discovery.name, name.lowercased().hasPrefix(namePrefix.lowercased()) else { return false }
        }
        if let minimumRSSI {
            guard let rssi = discovery.rssi, rssi >= minimumRSSI else { return false }
        }
        if let manufacturer {
            guard data.manufacturerData.contains(where: { $0.company == manufacturer }) else { return false }
        }
        return condition?(discovery) ?? true
    }
}
