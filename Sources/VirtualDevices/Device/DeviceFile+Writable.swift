import Harald

extension DeviceFile {
    /// Makes the characteristics with these UUIDs writable, with response. A write stores the value.
    /// - Returns: True if there is such a characteristic.
    public mutating func makeWritable(_ uuids: [BluetoothUUID]) -> Bool {
        var isThere = false
        for service in services.indices {
            for index in services[service].characteristics.indices {
                guard uuids.contains(services[service].characteristics[index].uuid) else { continue }
                services[service].characteristics[index].properties.insert(.write)
                services[service].characteristics[index].permissions?.insert(.writeable)
                isThere = true
            }
        }
        return isThere
    }
}
