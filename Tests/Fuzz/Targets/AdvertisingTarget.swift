import BluetoothModel

extension FuzzTarget {
    /// The data of one packet: it is encoded as it was parsed, its typed values survive, and every field has words
    /// without a control character.
    static let advertising = FuzzTarget(
        "advertising", "advertising data", maximumLength: 254,
        seeds: {
            var data = AdvertisingData(
                localName: "Pulse", serviceUUIDs: [0x180D, 0x180F], flags: [.generalDiscoverable],
                serviceData: [0x180F: [80]], manufacturerData: [ManufacturerData(company: .apple, data: [2, 21])],
                txPower: -4, appearance: Appearance(rawValue: 833))
            data.leRole = LERole(rawValue: 1)
            return [
                data.encoded, [0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18], [0x05, 0x12, 6, 0, 0x80, 0x0C],
                [0x11, 0x07] + Array(1...16), [0x08, 0x1B, 1, 2, 3, 4, 5, 0xC6, 1], [0x02, 0x0A],
                [0x08, 0x28, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1, 0], [0x0B, 0x31, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
                [0x04, 0x24, 0x16, 0x2F, 0x61], [0x03, 0x1A, 0xA0, 0x00, 0x02, 0x27, 0x0F],
            ]
        },
        run: { (view) throws(Finding) in
            let data = AdvertisingData(parsing: view)
            try isStable(data, view.array)
            try hasWords(data)
            try isRebuilt(data)
            try isSplit(data)
        })

    private static func isStable(_ data: AdvertisingData, _ input: [UInt8]) throws(Finding) {
        let encoded = data.encoded
        let again = AdvertisingData(parsing: encoded)
        try require(input.starts(with: encoded), "encoded as \(encoded.hexText())")
        try require(again.encoded == encoded && again.malformedTail.isEmpty, "parsed again as \(again)")
        try require(AdvertisingData(structures: data.structures) == again, "the structures make something else")
        try require(data.encodedLength == encoded.count, "a length of \(data.encodedLength)")
        try require(
            data.malformedTail.isEmpty || encoded + data.malformedTail == input, "the tail is \(data.malformedTail)")
        try require(data.merging(scanResponse: data).structures == data.structures, "not its own scan response")
    }

    private static func hasWords(_ data: AdvertisingData) throws(Finding) {
        let fields = data.fields
        let count = data.structures.count + (data.malformedTail.isEmpty ? 0 : 1)
        try require(fields.count == count, "\(fields.count) fields")
        for field in fields {
            let isPrintable = field.value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            try require(isPrintable, "a control character in \(field)")
        }
        _ = (data.localName, data.uri, data.broadcastName)
    }

    /// Checks that data rebuilt from its decoded properties decodes to the same properties.
    private static func isRebuilt(_ data: AdvertisingData) throws(Finding) {
        var rebuilt = AdvertisingData()
        rebuilt.serviceUUIDs = data.serviceUUIDs
        rebuilt.solicitedServiceUUIDs = data.solicitedServiceUUIDs
        rebuilt.serviceData = data.serviceData
        rebuilt.manufacturerData = data.manufacturerData
        rebuilt.targetAddresses = data.targetAddresses
        rebuilt.txPower = data.txPower
        rebuilt.appearance = data.appearance
        rebuilt.classOfDevice = data.classOfDevice
        rebuilt.connectionIntervalRange = data.connectionIntervalRange
        rebuilt.advertisingInterval = data.advertisingInterval
        rebuilt.leRole = data.leRole
        rebuilt.deviceAddress = data.deviceAddress
        rebuilt.channelMapUpdate = data.channelMapUpdate
        rebuilt.encryptedData = data.encryptedData
        try require(Set(rebuilt.serviceUUIDs) == Set(data.serviceUUIDs), "other services: \(rebuilt)")
        try require(
            Set(rebuilt.solicitedServiceUUIDs) == Set(data.solicitedServiceUUIDs), "other solicited services")
        try require(rebuilt.serviceData == data.serviceData, "other service data: \(rebuilt)")
        try require(rebuilt.manufacturerData == data.manufacturerData, "other manufacturer data: \(rebuilt)")
        try require(Set(rebuilt.targetAddresses) == Set(data.targetAddresses), "other targets: \(rebuilt)")
        try require(rebuilt.txPower == data.txPower, "another power: \(rebuilt)")
        try require(rebuilt.appearance == data.appearance, "another appearance: \(rebuilt)")
        try require(rebuilt.classOfDevice == data.classOfDevice, "another class: \(rebuilt)")
        try require(
            rebuilt.connectionIntervalRange == data.connectionIntervalRange, "another interval range: \(rebuilt)")
        try require(rebuilt.advertisingInterval == data.advertisingInterval, "another interval: \(rebuilt)")
        try require(rebuilt.leRole == data.leRole, "another role: \(rebuilt)")
        try require(rebuilt.deviceAddress == data.deviceAddress, "another address: \(rebuilt)")
        try require(rebuilt.channelMapUpdate == data.channelMapUpdate, "other channels: \(rebuilt)")
        try require(rebuilt.encryptedData == data.encryptedData, "other encrypted data: \(rebuilt)")
    }

    /// Checks that each part keeps its limit, and that unshortened data is complete.
    private static func isSplit(_ data: AdvertisingData) throws(Finding) {
        guard let payload = try? data.split(shortensName: false) else { return }
        try require(
            payload.advertisingData.count <= 31 && payload.scanResponse.count <= 31, "a part is too long: \(payload)")
        let parts =
            AdvertisingData(parsing: payload.advertisingData).structures
            + AdvertisingData(parsing: payload.scanResponse).structures
        try require(parts.count == data.structures.count, "structures were lost: \(payload)")
        try require(Set(parts) == Set(data.structures), "structures were changed: \(payload)")
    }
}
