import BluetoothBackend
import BluetoothModel
import BluetoothRuntime
import SystemBus

extension AdvertisingRequest {
    /// The properties of `org.bluez.LEAdvertisement1`. BlueZ divides them between advertisement and scan response.
    var bluezProperties: [String: BusValue] {
        var all = data
        if let scanResponse { all = all.merging(scanResponse: scanResponse) }
        var properties: [String: BusValue] = ["Type": .string(isConnectable ? "peripheral" : "broadcast")]
        func uuids(_ uuids: [BluetoothUUID]) -> BusValue { .strings(uuids.map { $0.fullText.lowercased() }) }
        if !all.serviceUUIDs.isEmpty { properties["ServiceUUIDs"] = uuids(all.serviceUUIDs) }
        if !all.solicitedServiceUUIDs.isEmpty { properties["SolicitUUIDs"] = uuids(all.solicitedServiceUUIDs) }
        if !all.manufacturerData.isEmpty {
            var entries: [BusValue: BusValue] = [:]
            for entry in all.manufacturerData {
                entries[.uint16(entry.company.rawValue)] = .variant(.bytes(entry.data))
            }
            properties["ManufacturerData"] = .dictionary(entries, key: "q", value: "v")
        }
        if !all.serviceData.isEmpty {
            var entries: [BusValue: BusValue] = [:]
            for (uuid, data) in all.serviceData {
                entries[.string(uuid.fullText.lowercased())] = .variant(.bytes(data))
            }
            properties["ServiceData"] = .dictionary(entries, key: "s", value: "v")
        }
        if let name = all.localName { properties["LocalName"] = .string(name) }
        if let appearance = all.appearance { properties["Appearance"] = .uint16(appearance.rawValue) }
        if let flags = all.flags, isConnectable {
            properties["Discoverable"] = .bool(!flags.isDisjoint(with: [.generalDiscoverable, .limitedDiscoverable]))
        }
        if all.txPower != nil { properties["Includes"] = .strings(["tx-power"]) }
        // Used by a bluetoothd that runs with --experimental; in milliseconds.
        let milliseconds = UInt32(clamping: interval.wholeNanoseconds / 1_000_000)
        properties["MinInterval"] = .uint32(milliseconds)
        properties["MaxInterval"] = .uint32(milliseconds)
        return properties
    }
}
