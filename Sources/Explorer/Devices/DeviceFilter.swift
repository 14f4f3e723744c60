import Harald
import HaraldDevices

/// A prefix pattern for manufacturer or service data: hexadecimal, `??` for any byte; a leading `*` matches anywhere.
package struct DataPattern: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8?]
    private let isAnywhere: Bool

    /// Parses a pattern such as "4C 00 02 15 ??" or "* 01 02"; a trailing `*` is ignored.
    /// - Throws: ``InputError`` if the text is no pattern.
    package init(_ text: String) throws(InputError) {
        var rest = text.filter { !$0.isWhitespace }[...]
        isAnywhere = rest.hasPrefix("*")
        if isAnywhere { rest = rest.dropFirst() }
        if rest.hasSuffix("*") { rest = rest.dropLast() }
        guard let bytes = [UInt8?](hexPattern: rest) else {
            throw InputError(
                "'\(text)' is not a pattern of bytes; expected hexadecimal such as '4C 00 02 15', ?? for any byte, "
                    + "* in front for anywhere")
        }
        self.bytes = bytes
    }

    /// Returns true if `data` matches.
    package func matches(_ data: [UInt8]) -> Bool {
        guard data.count >= bytes.count else { return false }
        let starts = isAnywhere ? data.count - bytes.count : 0
        return (0...starts).contains { start in
            bytes.indices.allSatisfy { bytes[$0] == nil || bytes[$0] == data[start + $0] }
        }
    }

    /// The pattern as text.
    package var description: String {
        (isAnywhere ? "* " : "") + bytes.map { $0.map { [$0].hexText() } ?? "??" }.joined(separator: " ")
    }
}

/// A filter for lists of devices. All conditions that are set must hold. `harald scan` has the same conditions.
package struct DeviceFilter: Hashable, Sendable {
    /// A part of the name; case-insensitive.
    package var name: String?
    /// A part of the name, of the address, or of a text that is advertised, such as a beacon's UUID; case-insensitive.
    package var text: String?
    /// The minimum signal strength, in dBm.
    package var minimumRSSI: Int?
    /// Services of which at least one must be advertised or have service data; empty for any.
    package var services: Set<BluetoothUUID>
    /// Services of which at least one must be solicited; empty for any.
    package var solicitedServices: Set<BluetoothUUID> = []
    /// Companies of which at least one must have manufacturer data; empty for any.
    package var companies: Set<CompanyIdentifier>
    /// A pattern for manufacturer data, which starts with the company identifier in little-endian order, or for service
    /// data without its UUID.
    package var data: DataPattern?
    /// True for connectable devices only, false for others only; nil for both.
    package var isConnectable: Bool?
    /// True for favourites only.
    package var favouritesOnly: Bool
    /// True for devices with a name only.
    package var namedOnly = false
    /// True for beacons only.
    package var beaconsOnly = false
    /// The kind of the devices; nil for all kinds.
    package var kind: DeviceKind?

    /// Creates a filter; by default it hides nothing.
    package init(
        name: String? = nil, minimumRSSI: Int? = nil, services: Set<BluetoothUUID> = [],
        companies: Set<CompanyIdentifier> = [], data: DataPattern? = nil, isConnectable: Bool? = nil,
        favouritesOnly: Bool = false
    ) {
        self.name = name
        self.minimumRSSI = minimumRSSI
        self.services = services
        self.companies = companies
        self.data = data
        self.isConnectable = isConnectable
        self.favouritesOnly = favouritesOnly
    }

    /// True if the filter hides nothing.
    package var isEmpty: Bool { self == DeviceFilter() }

    /// Returns true if a device of the model matches.
    package func shows(_ device: ExplorerDevice) -> Bool {
        if namedOnly, device.name == nil, device.alias == nil { return false }
        if beaconsOnly, !device.values.contains(where: \.isBeacon) { return false }
        if let kind, device.kind != kind { return false }
        return shows(
            names: [device.title, device.name ?? ""], texts: Self.texts(device.address, device.values),
            rssi: device.rssi, advertisement: device.advertisement,
            isConnectable: device.isConnectable, isFavourite: device.isFavourite)
    }

    /// Returns true if a scan result matches.
    package func shows(_ found: ScanResult, isFavourite: Bool = false) -> Bool {
        if namedOnly, found.name == nil { return false }
        if beaconsOnly, !found.values.contains(where: \.isBeacon) { return false }
        let isTag = SensorTag.model(named: found.name) != nil
        if let kind, DeviceKind(found.advertisement, values: found.values, isSensorTag: isTag) != kind { return false }
        return shows(
            names: [found.name ?? ""], texts: Self.texts(found.peripheral.address, found.values), rssi: found.rssi,
            advertisement: found.advertisement,
            isConnectable: found.isConnectable, isFavourite: isFavourite)
    }

    private func shows(
        names: [String], texts: @autoclosure () -> [String], rssi: Int?, advertisement: AdvertisingData,
        isConnectable: Bool, isFavourite: Bool
    ) -> Bool {
        if favouritesOnly, !isFavourite { return false }
        if let wanted = self.isConnectable, wanted != isConnectable { return false }
        if let minimumRSSI, rssi ?? .min < minimumRSSI { return false }
        if let name, !Self.isPart(name, of: names) { return false }
        if let text, !Self.isPart(text, of: names), !Self.isPart(text, of: texts()) { return false }
        if !services.isEmpty, services.isDisjoint(with: advertisement.serviceUUIDs),
            services.isDisjoint(with: advertisement.serviceData.keys)
        {
            return false
        }
        if !solicitedServices.isEmpty, solicitedServices.isDisjoint(with: advertisement.solicitedServiceUUIDs) {
            return false
        }
        if !companies.isEmpty, !advertisement.manufacturerData.contains(where: { companies.contains($0.company) }) {
            return false
        }
        return data.map { Self.data(of: advertisement).contains(where: $0.matches) } ?? true
    }

    private static func isPart(_ text: String, of all: [String]) -> Bool {
        text.isEmpty || all.contains { $0.lowercased().contains(text.lowercased()) }
    }

    /// The address, and the texts of advertised values: UUIDs and URLs of beacons.
    private static func texts(_ address: BluetoothAddress?, _ values: [AdvertisedValue]) -> [String] {
        let texts = values.flatMap(\.fields).compactMap { if case .text(let text) = $0.value { text } else { nil } }
        return (address.map { [$0.text] } ?? []) + texts
    }

    private static func data(of advertisement: AdvertisingData) -> [[UInt8]] {
        let companies = advertisement.manufacturerData.map { data in
            [UInt8(data.company.rawValue & 255), UInt8(data.company.rawValue >> 8)] + data.data
        }
        return companies + advertisement.allServiceData.map(\.data)
    }
}

/// The order of a list of devices.
package struct DeviceOrder: Hashable, Sendable {
    /// The property by which devices are sorted.
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// The order of discovery.
        case found
        /// The name, case-insensitive; devices without a name come last.
        case name
        /// The signal strength; devices without one come last.
        case rssi
        /// The time of the last advertisement.
        case lastSeen
        /// The advertising interval; devices without one come last.
        case interval
    }

    /// The property by which devices are sorted.
    package var key: Key
    /// True for ascending order.
    package var isAscending: Bool

    /// Creates an order. By default signal strength and last time are descending, and everything else ascending.
    package init(_ key: Key = .found, isAscending: Bool? = nil) {
        self.key = key
        self.isAscending = isAscending ?? !(key == .rssi || key == .lastSeen)
    }
}

/// A query for the list of devices.
package struct DeviceQuery: Hashable, Sendable {
    /// The filter of the list.
    package var filter: DeviceFilter
    /// The order of the list.
    package var order: DeviceOrder

    /// Creates a query; by default for all devices in the order of discovery.
    package init(filter: DeviceFilter = .init(), order: DeviceOrder = .init()) {
        self.filter = filter
        self.order = order
    }
}

/// A snapshot of the list of devices.
package struct DeviceListing: Sendable {
    /// The devices that match the filter, in order.
    package var devices: [ExplorerDevice]
    /// The number of devices that the filter hides.
    package var hiddenCount: Int
}
