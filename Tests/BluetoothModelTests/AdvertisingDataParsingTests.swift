import BluetoothModel
import Testing

@Suite struct AdvertisingDataParsingTests {
    /// Flags, heart rate and battery, "Polar H7".
    static let strap: [UInt8] = [
        0x02, 0x01, 0x06, 0x05, 0x03, 0x0D, 0x18, 0x0F, 0x18, 0x09, 0x09, 0x50, 0x6F, 0x6C, 0x61, 0x72, 0x20, 0x48,
        0x37,
    ]

    @Test func aCompletePacketRoundTrips() {
        let data = AdvertisingData(parsing: Self.strap)
        #expect(data.structures.map(\.type) == [.flags, .completeServiceUUIDs16, .completeLocalName])
        #expect(data.structures[1].data == [0x0D, 0x18, 0x0F, 0x18])
        #expect(data.flags == .standard)
        #expect(data.serviceUUIDs == [0x180D, 0x180F])
        #expect(data.localName == "Polar H7" && data.isNameComplete && data.isServiceListComplete)
        #expect(data.advertises(0x180F) && !data.advertises(0x180A))
        #expect(data.encoded == Self.strap && data.encodedLength == Self.strap.count)
        #expect(data.malformedTail.isEmpty && !data.isEmpty)
    }

    @Test func emptyDataHasNoStructures() {
        let data = AdvertisingData(parsing: [])
        #expect(data.isEmpty && data == AdvertisingData() && data.localName == nil && data.flags == nil)
        #expect(data.serviceUUIDs.isEmpty && data.fields.isEmpty && data.serviceData.isEmpty)
    }

    @Test func aZeroLengthEndsTheDataAndTheRestIsPadding() {
        let data = AdvertisingData(parsing: Self.strap + [0x00, 0x02, 0x0A, 0x04, 0xFF])
        #expect(data.encoded == Self.strap)
        #expect(data.txPower == nil && data.malformedTail.isEmpty)
        #expect(data == AdvertisingData(parsing: Self.strap))
    }

    @Test(arguments: 1..<19)
    func aTruncatedStructureIsKeptSeparately(length: Int) {
        let data = AdvertisingData(parsing: Array(Self.strap.prefix(length)))
        #expect(data.encoded + data.malformedTail == Array(Self.strap.prefix(length)))
        #expect(data.malformedTail.isEmpty == [3, 9].contains(length))
        #expect(data.localName == nil)
    }

    @Test func anOverlongStructureIncludesTheFollowingBytes() {
        let data = AdvertisingData(parsing: [0x02, 0x01, 0x06, 0xFF, 0x09, 0x41, 0x02, 0x0A, 0x00])
        #expect(data.structures.count == 1 && data.flags == .standard)
        #expect(data.malformedTail == [0xFF, 0x09, 0x41, 0x02, 0x0A, 0x00])
        #expect(data.fields.last?.name == "Truncated" && data.fields.last?.type == nil)
    }

    @Test func aStructureMayHoldNoData() {
        let data = AdvertisingData(parsing: [0x01, 0x09, 0x01, 0x01, 0x01, 0x16, 0x01, 0xFF, 0x01, 0x0A])
        #expect(data.structures.count == 5 && data.structures.allSatisfy { $0.data.isEmpty })
        #expect(data.localName == "" && data.flags == [] && data.txPower == nil)
        #expect(data.serviceData.isEmpty && data.manufacturerData.isEmpty)
    }

    @Test func unknownAndRepeatedStructuresKeepTheirOrder() {
        let bytes: [UInt8] = [
            0x03, 0x3E, 0xAA, 0xBB, 0x04, 0xFF, 0x4C, 0x00, 0x01, 0x03, 0x3E, 0xCC, 0xDD, 0x04, 0xFF, 0x59, 0x00, 0x02,
            0x04, 0xFF, 0x4C, 0x00, 0x03,
        ]
        let data = AdvertisingData(parsing: bytes)
        #expect(data.encoded == bytes && data.structures.count == 5)
        #expect(data.manufacturerData.map(\.company) == [.apple, .nordicSemiconductor, .apple])
        #expect(data.manufacturerData.map(\.data) == [[1], [2], [3]])
        #expect(data.manufacturerData(of: .apple) == [1] && data.manufacturerData(of: .google) == nil)
        #expect(data[ADType(rawValue: 0x3E)] == [0xAA, 0xBB])
        #expect(AdvertisingData(structures: data.structures) == data)
    }

    @Test func serviceListsAreMerged() {
        var bytes: [UInt8] = [
            0x03, 0x02, 0x0D, 0x18, 0x05, 0x03, 0x0F, 0x18, 0x0D, 0x18, 0x05, 0x05, 0x78, 0x56, 0x34, 0x12,
        ]
        var writer = ByteWriter()
        BluetoothUUIDTests.uart.write128(to: &writer)
        bytes += [0x11, 0x06] + writer.bytes
        // The long form of one that is there already, and half a UUID at the end of a list.
        writer.reset()
        BluetoothUUID(0x180F).write128(to: &writer)
        bytes += [0x12, 0x07] + writer.bytes + [0xEE]
        let data = AdvertisingData(parsing: bytes)
        #expect(data.serviceUUIDs == [0x180D, 0x180F, 0x1234_5678, BluetoothUUIDTests.uart])
        #expect(!data.isServiceListComplete)
        #expect(data.advertises(BluetoothUUIDTests.uart) && data.advertises(0x1234_5678))
        #expect(data.encoded == bytes)
    }

    @Test func completeAndShortenedNamesAreRead() {
        func name(_ type: UInt8, _ bytes: [UInt8]) -> String? {
            AdvertisingData(parsing: [UInt8(bytes.count + 1), type] + bytes).localName
        }
        #expect(name(0x08, Array("Pol".utf8)) == "Pol")
        #expect(name(0x09, Array("Größe 🎈".utf8)) == "Größe 🎈")
        #expect(name(0x09, [0x41, 0x00, 0x00]) == "A")
        #expect(name(0x09, [0x41, 0xFF, 0x42]) == "A\u{FFFD}B")
        #expect(name(0x09, [0xC3]) == "\u{FFFD}")
        let both = AdvertisingData(parsing: [0x03, 0x08, 0x41, 0x42, 0x04, 0x09, 0x41, 0x42, 0x43])
        #expect(both.localName == "ABC" && both.isNameComplete)
        #expect(!AdvertisingData(parsing: [0x03, 0x08, 0x41, 0x42]).isNameComplete)
    }

    @Test func aScanResponseIsMergedWithTheAdvertisingData() {
        let advertising = AdvertisingData(parsing: [0x02, 0x01, 0x06, 0x03, 0x08, 0x50, 0x6F, 0x03, 0x03, 0x0D, 0x18])
        let response = AdvertisingData(
            parsing: [
                0x03, 0x03, 0x0D, 0x18, 0x03, 0x03, 0x0F, 0x18, 0x06, 0x09, 0x50, 0x6F, 0x6C, 0x61, 0x72, 0x09, 0x01,
            ])
        let merged = advertising.merging(scanResponse: response)
        #expect(merged.localName == "Polar" && merged.isNameComplete)
        #expect(merged.serviceUUIDs == [0x180D, 0x180F] && merged.structures.count == 5)
        #expect(merged.malformedTail == [0x09, 0x01])
        #expect(merged.merging(scanResponse: AdvertisingData()) == merged)
        #expect(AdvertisingData().merging(scanResponse: response).localName == "Polar")
    }
}
