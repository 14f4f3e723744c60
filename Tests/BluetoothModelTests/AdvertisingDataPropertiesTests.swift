import BluetoothModel
import Testing

/// Each property writes the bytes of the specification, reads them back, and is absent if they do not fit.
@Suite struct AdvertisingDataPropertiesTests {
    private func check<Value: Equatable>(
        _ property: WritableKeyPath<AdvertisingData, Value?>, _ value: Value, _ bytes: [UInt8],
        _ location: SourceLocation = #_sourceLocation
    ) {
        var data = AdvertisingData(parsing: [0x02, 0x3E, 0x77])
        #expect(data[keyPath: property] == nil, sourceLocation: location)
        data[keyPath: property] = value
        #expect(data.encoded == [0x02, 0x3E, 0x77] + bytes, sourceLocation: location)
        #expect(AdvertisingData(parsing: bytes)[keyPath: property] == value, sourceLocation: location)
        // A second one replaces the first.
        data[keyPath: property] = value
        #expect(data.structures.count == 2, sourceLocation: location)
        data[keyPath: property] = nil
        #expect(data.encoded == [0x02, 0x3E, 0x77], sourceLocation: location)
    }

    @Test func valuesOfOneStructure() {
        check(\.flags, [.limitedDiscoverable, .classicNotSupported], [0x02, 0x01, 0x05])
        check(\.localName, "Ä", [0x03, 0x09, 0xC3, 0x84])
        check(\.txPower, -4, [0x02, 0x0A, 0xFC])
        check(\.classOfDevice, 0x24_0404, [0x04, 0x0D, 0x04, 0x04, 0x24])
        check(\.appearance, .heartRateBelt, [0x03, 0x19, 0x41, 0x03])
        check(\.leRole, .peripheralPreferred, [0x02, 0x1C, 0x02])
        check(\.broadcastName, "Gate 7", [0x07, 0x30, 0x47, 0x61, 0x74, 0x65, 0x20, 0x37])
        check(
            \.connectionIntervalRange, PreferredConnectionInterval(minimum: 6, maximum: 3200),
            [0x05, 0x12, 0x06, 0x00, 0x80, 0x0C])
        check(
            \.connectionIntervalRange, PreferredConnectionInterval(minimum: nil, maximum: nil),
            [0x05, 0x12, 0xFF, 0xFF, 0xFF, 0xFF])
        check(
            \.deviceAddress, BluetoothAddress(value: 0xE601_0203_0405, kind: .random),
            [0x08, 0x1B, 0x05, 0x04, 0x03, 0x02, 0x01, 0xE6, 0x01])
        check(
            \.channelMapUpdate, ChannelMapUpdate(channelMap: 0x1F_FFFF_FFFE, instant: 0xABCD),
            [0x08, 0x28, 0xFE, 0xFF, 0xFF, 0xFF, 0x1F, 0xCD, 0xAB])
        check(
            \.encryptedData,
            EncryptedAdvertisingData(randomizer: [1, 2, 3, 4, 5], payload: [9], messageIntegrityCheck: [6, 7, 8, 9]),
            [0x0B, 0x31, 1, 2, 3, 4, 5, 9, 6, 7, 8, 9])
    }

    @Test func numbersUseTheShortestForm() {
        check(\.advertisingInterval, 0xFFFF, [0x03, 0x1A, 0xFF, 0xFF])
        check(\.advertisingInterval, 0x01_0000, [0x04, 0x2F, 0x00, 0x00, 0x01])
        check(\.advertisingInterval, 0x0100_0000, [0x05, 0x2F, 0x00, 0x00, 0x00, 0x01])
        check(\.leSupportedFeatures, 0, [0x01, 0x27])
        check(\.leSupportedFeatures, 0x0101, [0x03, 0x27, 0x01, 0x01])
        check(\.leSupportedFeatures, 1 << 63, [0x09, 0x27, 0, 0, 0, 0, 0, 0, 0, 0x80])
    }

    @Test func aURIHasItsSchemeInOneCharacter() {
        check(\.uri, "https://www.bluetooth.com", [0x15, 0x24, 0x17] + Array("//www.bluetooth.com".utf8))
        check(\.uri, "tel:123", [0x05, 0x24, 0x45] + Array("123".utf8))
        check(\.uri, "ymsgr:a", [0x04, 0x24, 0xC2, 0xB8, 0x61])
        check(\.uri, "harald:a", [0x0A, 0x24, 0x01] + Array("harald:a".utf8))
        check(\.uri, "no scheme", [0x0B, 0x24, 0x01] + Array("no scheme".utf8))
        var data = AdvertisingData()
        data.uri = "HTTP://A"
        #expect(data.uri == "http://A")
        #expect(AdvertisingData(parsing: [0x01, 0x24]).uri == "")
        #expect(AdvertisingData(parsing: [0x03, 0x24, 0xC3, 0xBF]).uri == "\u{FF}")
    }

    @Test func servicesHaveOneListPerUUIDLength() {
        var data = AdvertisingData()
        data.serviceUUIDs = [BluetoothUUIDTests.uart, 0x180D, 0x1234_5678, 0x180F]
        #expect(
            data.structures.map(\.type) == [.completeServiceUUIDs16, .completeServiceUUIDs32, .completeServiceUUIDs128])
        #expect(data.structures[0].data == [0x0D, 0x18, 0x0F, 0x18])
        #expect(data.serviceUUIDs == [0x180D, 0x180F, 0x1234_5678, BluetoothUUIDTests.uart])
        #expect(data.solicitedServiceUUIDs.isEmpty)
        data.solicitedServiceUUIDs = [0x1805, BluetoothUUIDTests.uart]
        #expect(data.solicitedServiceUUIDs == [0x1805, BluetoothUUIDTests.uart] && !data.advertises(0x1805))
        data.serviceUUIDs = []
        #expect(data.structures.map(\.type) == [.solicitedServiceUUIDs16, .solicitedServiceUUIDs128])
    }

    @Test func aServiceMayHaveSeveralStructuresOfData() {
        let data = AdvertisingData(parsing: [5, 0x16, 0x95, 0xFE, 1, 2, 3, 0x16, 0x1A, 0x18, 5, 0x16, 0x95, 0xFE, 3, 4])
        #expect(data.allServiceData.map(\.service) == ["FE95", "181A", "FE95"])
        #expect(data.allServiceData.map(\.data) == [[1, 2], [], [3, 4]])
        #expect(data.serviceData == ["FE95": [1, 2], "181A": []])
    }

    @Test func serviceDataRoundTripsForEachUUIDLength() {
        let values: [BluetoothUUID: [UInt8]] = [0x180F: [64], 0x1234_5678: [1, 2], BluetoothUUIDTests.uart: []]
        var data = AdvertisingData()
        data.serviceData = values
        #expect(data.structures.map(\.type) == [.serviceData16, .serviceData32, .serviceData128])
        #expect(AdvertisingData(parsing: data.encoded).serviceData == values)
        data.append(.init(type: .serviceData16, data: [0x0F, 0x18, 99]))
        #expect(data.serviceData == values, "the first of two stays")
    }

    @Test func targetAddressesArePublicOrRandom() {
        let targets = [
            BluetoothAddress(value: 1, kind: .public), BluetoothAddress(value: 2, kind: .public),
            BluetoothAddress(value: 3, kind: .random),
        ]
        var data = AdvertisingData()
        data.targetAddresses = targets.reversed()
        #expect(data.structures.map(\.type) == [.publicTargetAddress, .randomTargetAddress])
        #expect(Set(data.targetAddresses) == Set(targets))
    }

    @Test func valuesOfTheWrongLengthAreIgnored() {
        for type in UInt8.min...UInt8.max {
            for length in [0, 1, 2, 3, 5, 8, 20] {
                let data = AdvertisingData(structures: [
                    .init(type: ADType(rawValue: type), data: Array(repeating: 0xA5, count: length))
                ])
                #expect((data.txPower != nil) == (type == 0x0A && length == 1))
                #expect((data.appearance != nil) == (type == 0x19 && length == 2))
                #expect((data.classOfDevice != nil) == (type == 0x0D && length == 3))
                #expect(
                    data.connectionIntervalRange == nil && data.deviceAddress == nil && data.channelMapUpdate == nil)
                #expect((data.encryptedData != nil) == (type == 0x31 && length == 20))
                #expect(data.advertises(0xA5A5) == ((type == 2 || type == 3) && length >= 2))
            }
        }
    }
}
