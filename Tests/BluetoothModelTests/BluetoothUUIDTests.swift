import BluetoothModel
import Testing

@Suite struct BluetoothUUIDTests {
    static let uart: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

    @Test(arguments: [
        "180D", "180d", "0x180D", "0X180d", "0000180D", "0x0000180d", "0000180D-0000-1000-8000-00805F9B34FB",
        "0000180d-0000-1000-8000-00805f9b34fb",
    ])
    func allFormsOfAUUIDAreEqual(text: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid == BluetoothUUID(UInt16(0x180D)))
        #expect(uuid == BluetoothUUID(UInt32(0x180D)))
        #expect(Set([uuid, 0x180D]).count == 1)
        #expect(uuid.shortValue == 0x180D && uuid.mediumValue == 0x180D && uuid.attLength == 2)
        #expect(uuid.description == "180D")
        #expect(uuid.fullText == "0000180D-0000-1000-8000-00805F9B34FB")
    }

    @Test(arguments: [
        "", "0x", "180", "180D0", "18 D", "+80D", "-123", "180G", "0x18", "0x180D0", "٠١٢٣", "１８０Ｄ",
        "0000180D-0000-1000-8000-00805F9B34F", "0000180D00000-1000-8000-00805F9B34FB",
        "0000180D-0000-1000-8000-00805F9B34FBA", "0x00180D-0000-1000-8000-00805F9B34FB",
        "0000180D-0000-1000-800-000805F9B34FB", "0000180D-0000-1000-8000-00805F9B34FG",
        "0000180D00001000800000805F9B34FB", "{000180D-0000-1000-8000-00805F9B34F}",
    ])
    func otherTextIsNotAUUID(text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func thirtyTwoBitsHaveNoShortForm() {
        let uuid: BluetoothUUID = 0x1234_5678
        #expect(uuid.description == "12345678" && uuid.shortValue == nil && uuid.mediumValue == 0x1234_5678)
        #expect(uuid.fullText == "12345678-0000-1000-8000-00805F9B34FB")
        #expect(uuid.attLength == 16)
        #expect(BluetoothUUID("12345678") == uuid)
    }

    @Test func ownUUIDsHaveOneForm() {
        #expect(Self.uart.description == "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
        #expect(Self.uart.high == 0x6E40_0001_B5A3_F393 && Self.uart.low == 0xE0A9_E50E_24DC_CA9E)
        #expect(Self.uart.shortValue == nil && Self.uart.mediumValue == nil)
        // One bit off the base is not on the base.
        #expect(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FA").mediumValue == nil)
        #expect(BluetoothUUID("0000180D-0001-1000-8000-00805F9B34FB").shortValue == nil)
    }

    @Test func bytesAreLittleEndian() {
        var writer = ByteWriter()
        BluetoothUUID(0x180D).write(to: &writer)
        #expect(writer.bytes == [0x0D, 0x18])
        writer.reset()
        Self.uart.write(to: &writer)
        let uart: [UInt8] = [
            0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 0x01, 0x00, 0x40, 0x6E,
        ]
        #expect(writer.bytes == uart)
        writer.reset()
        BluetoothUUID(0x180D).write128(to: &writer)
        #expect(writer.count == 16)
        #expect(writer.bytes.withByteView { BluetoothUUID(littleEndian: $0) } == 0x180D)
        #expect(uart.withByteView { BluetoothUUID(littleEndian: $0) } == Self.uart)
        let medium: [UInt8] = [0x78, 0x56, 0x34, 0x12]
        #expect(medium.withByteView { BluetoothUUID(littleEndian: $0) } == 0x1234_5678)
        #expect(medium.withByteView { $0.description } == "78563412")
    }

    @Test func onlyThreeLengthsAreUUIDs() {
        let bytes = [UInt8](repeating: 0x11, count: 40)
        for length in 0...40 {
            let uuid = bytes.withByteView { BluetoothUUID(littleEndian: $0.prefix(length)) }
            #expect((uuid != nil) == [2, 4, 16].contains(length), "\(length) bytes")
        }
    }

    @Test func unalignedBytesAreRead() {
        let bytes = [UInt8](0...20)
        let uuid = bytes.withByteView { BluetoothUUID(littleEndian: $0.dropFirst(3).prefix(16)) }
        #expect(uuid?.fullText == "1211100F-0E0D-0C0B-0A09-080706050403")
    }

    @Test func orderIsThatOfTheText() throws {
        let texts = [
            "180D", "2A37", "12345678", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "F000AA00-0451-4000-B000-000000000000",
        ]
        let uuids = try texts.map { try #require(BluetoothUUID($0)) }
        #expect(uuids.shuffled().sorted() == uuids.sorted { $0.fullText < $1.fullText })
        #expect(!(uuids[0] < uuids[0]))
    }

    @Test func textRoundTripsForRandomUUIDs() {
        var random = FuzzRandom()
        for _ in 0..<1000 {
            let uuid = BluetoothUUID(high: random.next(), low: random.next())
            #expect(BluetoothUUID(uuid.description) == uuid)
            var writer = ByteWriter()
            uuid.write(to: &writer)
            #expect(writer.bytes.withByteView { BluetoothUUID(littleEndian: $0) } == uuid)
        }
    }
}
