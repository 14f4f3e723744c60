extension AdvertisingData {
    /// Creates the advertising data of a device.
    ///
    /// The order is: flags, services, solicited services, name, appearance, transmit power, service data, manufacturer
    /// data. Other structures can be set afterwards.
    public init(
        localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [], flags: AdvertisingFlags? = nil,
        solicitedServiceUUIDs: [BluetoothUUID] = [], serviceData: [BluetoothUUID: [UInt8]] = [:],
        manufacturerData: [ManufacturerData] = [], txPower: Int8? = nil, appearance: Appearance? = nil
    ) {
        self.init()
        if let flags { self.flags = flags }
        if !serviceUUIDs.isEmpty { self.serviceUUIDs = serviceUUIDs }
        if !solicitedServiceUUIDs.isEmpty { self.solicitedServiceUUIDs = solicitedServiceUUIDs }
        if let localName { self.localName = localName }
        if let appearance { self.appearance = appearance }
        if let txPower { self.txPower = txPower }
        if !serviceData.isEmpty { self.serviceData = serviceData }
        if !manufacturerData.isEmpty { self.manufacturerData = manufacturerData }
    }

    /// Encodes the data for one packet or one chain of packets with `limit` bytes.
    ///
    /// With `shortensName`, a complete name that does not fit becomes a shortened one of at least one character (Core
    /// Specification Supplement, Part A, 1.2.1).
    /// - Throws: ``AdvertisingDataError`` if the rest does not fit.
    public func encoded(limit: Int, shortensName: Bool = false) throws(AdvertisingDataError) -> [UInt8] {
        try split(advertisingLimit: limit, scanResponseLimit: 0, shortensName: shortensName).advertisingData
    }

    /// Encodes the data for an advertising packet and its scan response.
    ///
    /// Flags and service lists are placed in the advertising packet first, which passive scanners receive. Flags are
    /// never placed in the scan response. Structures are not split. With `shortensName`, a name that does not fit is
    /// shortened as in ``encoded(limit:shortensName:)``.
    /// - Throws: ``AdvertisingDataError`` that names the structures that do not fit.
    public func split(
        advertisingLimit: Int = 31, scanResponseLimit: Int = 31, shortensName: Bool = true
    ) throws(AdvertisingDataError) -> AdvertisingPayload {
        if let tooLong = oversized.first(where: {
            !shortensName || ($0.type != .completeLocalName && $0.type != .shortenedLocalName)
        }) {
            throw .structureTooLong(tooLong)
        }
        let placement = AdvertisingPlacement(advertisingLimit: advertisingLimit, scanResponseLimit: scanResponseLimit)
        let all = structures
        if oversized.isEmpty, let payload = placement.payload(all) { return payload }
        if shortensName, let name = localName {
            // Characters are never split.
            for length in stride(from: name.count - 1, through: 1, by: -1) {
                let beginning = name.prefix(length)
                guard beginning.utf8.count <= Self.maximumStructureLength else { continue }
                var shortened = self
                shortened.setLocalName(String(beginning), isComplete: false)
                if let payload = placement.payload(shortened.structures) { return payload }
            }
        }
        throw .doesNotFit(
            structures: placement.leftOver(all), needed: encodedLength, advertising: advertisingLimit,
            scanResponse: scanResponseLimit)
    }
}
