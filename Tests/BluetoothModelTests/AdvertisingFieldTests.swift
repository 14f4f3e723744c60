import BluetoothModel
import Testing

@Suite struct AdvertisingFieldTests {
    @Test(arguments: [
        (0x01, "06", "LE General Discoverable, BR/EDR Not Supported"),
        (0x01, "", "none"), (0x01, "80", "reserved 0x80"), (0x01, "0101", "LE Limited Discoverable, more: 01"),
        (0x02, "0D180F18", "Heart Rate (180D), Battery Service (180F)"), (0x03, "", "none"),
        (0x03, "F0FF", "FFF0"), (0x05, "78563412", "12345678"), (0x03, "0D18AA", "malformed: 0D 18 AA"),
        (0x07, "9ECADC240EE5A9E093F3A3B50100406E", "Nordic UART Service (6E400001-B5A3-F393-E0A9-E50E24DCCA9E)"),
        (0x08, "506F", "Po"), (0x09, "506F00", "Po"), (0x09, "411B5B324A", "A\\u{1B}[2J"), (0x09, "C285", "\\u{85}"),
        (0x0A, "FC", "-4 dBm"), (0x0A, "", "malformed: "), (0x0D, "040424", "0x240404"),
        (0x10, "0102", "01 02"), (0x0E, "AABB", "AA BB"),
        (0x11, "09", "out of band data present, random address"),
        (0x12, "06001400", "7.5 ms to 25 ms"), (0x12, "0600FFFF", "7.5 ms to any"),
        (0x12, "060014", "malformed: 06 00 14"),
        (0x14, "0518", "Current Time Service (1805)"), (0x16, "0F1840", "Battery Service (180F): 40"),
        (0x16, "0F", "malformed: 0F"),
        (0x17, "0504030201E6", "E6:01:02:03:04:05"), (0x18, "050403", "malformed: 05 04 03"),
        (0x19, "4103", "Heart Rate Sensor: Heart Rate Belt (0x0341)"), (0x19, "FFFF", "0xFFFF"),
        (0x1A, "A000", "100 ms"), (0x1A, "0100", "0.625 ms"), (0x2F, "000001", "40960 ms"),
        (0x1B, "0504030201E601", "E6:01:02:03:04:05 (random)"),
        (0x1C, "03", "peripheral and central, central preferred"),
        (0x1C, "09", "role 0x09"), (0x24, "172F2F61", "https://a"), (0x27, "0F01", "bits 0-3, 8"),
        (0x27, "", "bits none"),
        (0x28, "FFFFFFFF1F0100", "channels 0-36 from event 1 on"),
        (0x2E, "010203040506", "hash 010203, random 040506"),
        (0x30, "4A", "J"), (0x31, "0102030405AABB06070809", "randomizer 0102030405, 2 bytes AABB, check 06070809"),
        (0x31, "0102", "malformed: 01 02"),
        (
            0x32, "D6BE898E0208040A",
            "access address 0x8E89BED6, 2 subevents every 10 ms, responses after 5 ms every 1.25 ms"
        ),
        (0x3D, "0140", "features 0x01, path loss threshold 64 dB"), (0x3E, "00FF", "00 FF"),
        (0xFF, "4C001005", "Apple, Inc. (0x004C): 10 05"), (0xFF, "FFFF01", "0xFFFF: 01"),
        (0xFF, "4C", "malformed: 4C"),
    ])
    func fieldsHaveReadableValues(type: Int, hex: String, value: String) throws {
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { offset in
            UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
        }
        let field = AdvertisingField(.init(type: ADType(rawValue: UInt8(type)), data: bytes))
        #expect(field.value == value)
        #expect(field.raw == bytes && field.type?.rawValue == UInt8(type))
    }

    @Test func everyTypeHasAName() {
        let names = (UInt8.min...UInt8.max).map { AdvertisingField(.init(type: ADType(rawValue: $0), data: [])).name }
        #expect(names[0x09] == "Complete Local Name" && names[0xFF] == "Manufacturer Specific Data")
        #expect(names[0x3E] == "type 0x3E")
        #expect(Set(names).count == 256)
        #expect(
            !names[0x01...0x32].filter { $0.hasPrefix("type") }.contains {
                !["type 0x0B", "type 0x0C", "type 0x13"].contains($0)
            })
    }

    @Test func fieldsFollowThePacket() {
        let data = AdvertisingData(parsing: AdvertisingDataParsingTests.strap + [0x05, 0xFF, 0x4C])
        #expect(data.fields.map(\.name) == ["Flags", "Service UUIDs (16 bit)", "Complete Local Name", "Truncated"])
        #expect(data.fields.last?.value == "05 FF 4C")
    }
}
