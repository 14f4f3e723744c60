import BluetoothProfiles
import Harald

/// A scan result, as a line of a table and as a JSON object.
package struct DeviceRow: Hashable, Sendable {
    package var id: PeripheralID
    package var name: String?
    package var address: BluetoothAddress?
    package var rssi: Int?
    package var isConnectable: Bool
    package var advertisement: AdvertisingData
    /// The advertised values.
    package var values: [AdvertisedValue] = []
    /// The estimated distance; nil if it was not requested or is unknown.
    package var distance: DistanceEstimate?

    package init(
        id: PeripheralID, name: String?, address: BluetoothAddress?, rssi: Int?, isConnectable: Bool,
        advertisement: AdvertisingData
    ) {
        self.id = id
        self.name = name
        self.address = address
        self.rssi = rssi
        self.isConnectable = isConnectable
        self.advertisement = advertisement
    }

    package init(_ result: ScanResult) {
        self.init(
            id: result.id, name: AdvertisedReader.shared.name(of: result.peripheral.address) ?? result.name,
            address: result.peripheral.address, rssi: result.rssi, isConnectable: result.isConnectable,
            advertisement: result.advertisement)
        values = AdvertisedReader.shared.values(of: result)
    }

    /// A short summary of the advertisement without the name.
    package var summary: String {
        var parts = advertisement.serviceUUIDs.map { AssignedNumbers.serviceName($0) ?? $0.description }
        for uuid in advertisement.serviceData.keys.sorted() where !advertisement.serviceUUIDs.contains(uuid) {
            parts.append(AssignedNumbers.name(of: uuid) ?? uuid.description)
        }
        for data in advertisement.manufacturerData {
            parts.append(data.company.name ?? "company \(data.company)")
        }
        if !isConnectable { parts.append("not connectable") }
        return parts.joined(separator: ", ")
    }

    /// The advertised values in one line.
    package var valueText: String { values.map(\.summary).joined(separator: "; ") }

    /// The service data by service: a string, or a list of strings where a service has several structures.
    private var serviceData: [String: JSONValue] {
        Dictionary(grouping: advertisement.allServiceData, by: \.service.description).mapValues { all in
            let texts = all.map { JSONValue.string($0.data.hexText()) }
            return texts.count == 1 ? texts[0] : .array(texts)
        }
    }

    /// The row as a JSON object.
    package var json: JSONValue {
        var object: [String: JSONValue] = [
            "id": .string(id.description), "name": .optional(name), "rssi": .optional(rssi),
            "services": .array(advertisement.serviceUUIDs.map { .string($0.description) }),
            "connectable": .bool(isConnectable),
            "manufacturer": .array(
                advertisement.manufacturerData.map { data in
                    [
                        "company": .int(Int(data.company.rawValue)), "name": .optional(data.company.name),
                        "data": .string(data.data.hexText()),
                    ]
                }),
            "serviceData": .object(serviceData), "values": .array(values.map(\.json)),
            "txPower": .optional(advertisement.txPower.map { Int($0) }),
            "appearance": .optional(advertisement.appearance.map { Int($0.rawValue) }),
        ]
        if let distance { object["distance"] = distance.json }
        if let address {
            object["address"] = .string(address.text)
            object["addressType"] = .string(address.kind == .public ? "public" : "random")
        }
        return .object(object)
    }
}
