#if Programs
import Harald

/// Bytes that manufacturer or service data begins with: hexadecimal, `??` for any byte; with `*` in front anywhere.
package struct DataPattern: Hashable, Sendable, CustomStringConvertible {
    private let bytes: [UInt8?]
    private let isAnywhere: Bool

    /// A pattern from its text, "4C 00 02 15 ??", "* 01 02"; a `*` at the end changes nothing.
    package init(_ text: String) throws(InputError) {
        var rest = text.filter { !$0.isWhitespace }[...]
        isAnywhere = rest.hasPrefix("*")
        if isAnywhere { rest = rest.dropFirst() }
        if rest.hasSuffix("*") { rest = rest.dropLast() }
        var bytes: [UInt8?] = []
        while !rest.isEmpty {
            let pair = rest.prefix(2)
            rest = rest.dropFirst(2)
            if pair == "??" {
                bytes.append(nil)
            } else if pair.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) {
                bytes.append(byte)
            } else {
                throw InputError(
                    "'\(text)' is no pattern of bytes; expected hexadecimal such as '4C 00 02 15', ?? for any byte, "
                        + "* in front for anywhere")
            }
        }
        self.bytes = bytes
    }

    /// Whether `data` fits.
    package func matches(_ data: [UInt8]) -> Bool {
        guard data.count >= bytes.count else { return false }
        let starts = isAnywhere ? data.count - bytes.count : 0
        return (0...starts).contains { start in
            bytes.indices.allSatisfy { bytes[$0] == nil || bytes[$0] == data[start + $0] }
        }
    }

    /// The text.
    package var description: String {
        (isAnywhere ? "* " : "") + bytes.map { $0.map { [$0].hexText() } ?? "??" }.joined(separator: " ")
    }
}

/// Which devices are shown. Every condition that is set has to hold; `harald scan` has the same.
package struct DeviceFilter: Hashable, Sendable {
    /// A part of the name, case aside.
    package var name: String?
    /// The least signal strength in dBm.
    package var minimumRSSI: Int?
    /// One of these services is advertised, or has service data; empty for any.
    package var services: Set<BluetoothUUID>
    /// One of these companies has manufacturer data; empty for any.
    package var companies: Set<CompanyIdentifier>
    /// What manufacturer data (the company's two bytes first, the less significant one before the other) or service data
    /// (without the UUID) begins with.
    package var data: DataPattern?
    /// Whether the device accepts connections; nil for both.
    package var isConnectable: Bool?
    /// Only favourites.
    package var favouritesOnly: Bool

    /// A filter; by default it hides nothing.
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

    /// Whether nothing is hidden.
    package var isEmpty: Bool { self == DeviceFilter() }

    /// Whether a device of the model is shown.
    package func shows(_ device: ExplorerDevice) -> Bool {
        shows(
            name: device.name, rssi: device.rssi, advertisement: device.advertisement,
            isConnectable: device.isConnectable, isFavourite: device.isFavourite)
    }

    /// Whether a device that a scan found is shown; no device is a favourite there.
    package func shows(_ found: Discovery, isFavourite: Bool = false) -> Bool {
        shows(
            name: found.name, rssi: found.rssi, advertisement: found.advertisement, isConnectable: found.isConnectable,
            isFavourite: isFavourite)
    }

    private func shows(
        name: String?, rssi: Int?, advertisement: AdvertisingData, isConnectable: Bool, isFavourite: Bool
    ) -> Bool {
        if favouritesOnly, !isFavourite { return false }
        if let wanted = self.isConnectable, wanted != isConnectable { return false }
        if let minimumRSSI, rssi ?? .min < minimumRSSI { return false }
        if let wanted = self.name, !wanted.isEmpty {
            guard let name, name.lowercased().contains(wanted.lowercased()) else { return false }
        }
        if !services.isEmpty, services.isDisjoint(with: advertisement.serviceUUIDs),
            services.isDisjoint(with: advertisement.serviceData.keys)
        {
            return false
        }
        if !companies.isEmpty, !advertisement.manufacturerData.contains(where: { companies.contains($0.company) }) {
            return false
        }
        return data.map { Self.data(of: advertisement).contains(where: $0.matches) } ?? true
    }

    private static func data(of advertisement: AdvertisingData) -> [[UInt8]] {
        let companies = advertisement.manufacturerData.map { data in
            [UInt8(data.company.rawValue & 255), UInt8(data.company.rawValue >> 8)] + data.data
        }
        return companies + Array(advertisement.serviceData.values)
    }
}

/// The order of a list of devices.
package struct DeviceOrder: Hashable, Sendable {
    /// What devices are compared by.
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// The order in which they were heard first.
        case found
        /// The name, case aside; those without one come last.
        case name
        /// The signal strength; those without one come last.
        case rssi
        /// When they were heard last.
        case lastSeen
        /// The advertising interval; those without one come last.
        case interval
    }

    /// What devices are compared by.
    package var key: Key
    /// Whether the smallest, the earliest or the first of the alphabet comes first.
    package var isAscending: Bool

    /// An order; without a direction the one that people expect: the strongest and the newest first, all else ascending.
    package init(_ key: Key = .found, isAscending: Bool? = nil) {
        self.key = key
        self.isAscending = isAscending ?? !(key == .rssi || key == .lastSeen)
    }
}

/// What of the list of devices is asked for.
package struct DeviceQuery: Hashable, Sendable {
    /// Which devices are shown.
    package var filter: DeviceFilter
    /// Their order.
    package var order: DeviceOrder

    /// A query; by default for all devices in the order in which they were heard.
    package init(filter: DeviceFilter = .init(), order: DeviceOrder = .init()) {
        self.filter = filter
        self.order = order
    }
}

/// The list of devices at a moment.
package struct DeviceListing: Sendable {
    /// The devices that the filter shows, in order.
    package var devices: [ExplorerDevice]
    /// How many devices the filter hides.
    package var hiddenCount: Int
}
#endif
