#if Programs
import Harald
import Testing

@testable import HaraldCommand

@Suite struct ValueDecoderTests {
    @Test(
        arguments: [
            ("2A19", [85], "85 %"), ("2A37", [0x16, 72, 0x00, 0x04], "72 bpm, RR 1000 ms"),
            ("2A37", [0x0D, 0x2C, 0x01, 0x02, 0x00], "300 bpm, no contact, 2 kJ"), ("2A38", [1], "Chest"),
            ("2A29", Array("Polar".utf8) + [0], "\"Polar\""),
            ("2A01", [0x41, 0x03], "Heart Rate Sensor: Heart Rate Belt (0x0341)"),
            ("2A50", [1, 0x6B, 0, 0x11, 0, 0x10, 3], "Polar Electro OY (Bluetooth), product 0x0011, version 0x0310"),
            ("2A23", [0x2B, 0x1A, 0x4C, 0xFE, 0xFF, 0xD0, 0x22, 0x00], "manufacturer FFFE4C1A2B, organisation 0022D0"),
            ("2A1C", [0, 0x6E, 0x01, 0x00, 0xFF], "36.6 °C"), ("2A6E", [0x9C, 0xFF], "-1.0 °C"),
            ("2A5F", [0, 98, 0, 64, 0], "SpO2 98 %, 64 bpm"),
            ("2A04", [6, 0, 12, 0, 0, 0, 100, 0], "interval 7.5 to 15.0 ms, latency 0, timeout 1000 ms"),
            ("2902", [1, 0], "notifications"),
        ] as [(BluetoothUUID, [UInt8], String)])
    func knownTypesAreDecoded(_ uuid: BluetoothUUID, _ bytes: [UInt8], _ text: String) {
        #expect(ValueDecoder.decode(bytes, of: uuid)?.text == text)
    }

    @Test(
        arguments: ["2A19", "2A37", "2A38", "2A01", "2A50", "2A23", "2A1C", "2A6E", "2A5F", "2A04", "2902"]
            as [BluetoothUUID])
    func shortValuesAreNotDecoded(_ uuid: BluetoothUUID) {
        #expect(ValueDecoder.decode([], of: uuid) == nil)
        // Whatever comes from the air, nothing traps.
        for length in 0..<24 {
            _ = ValueDecoder.decode(Array(repeating: 0xFF, count: length), of: uuid)
            _ = ValueDecoder.decode((0..<UInt8(length)).map { $0 }, of: uuid)
        }
    }

    @Test func valuesHaveHexTextAndValue() {
        #expect(ValueText([85], of: "2A19").json == ["hex": "55", "value": 85])
        #expect(ValueText(Array("H7".utf8), of: "2A24").json == ["hex": "4837", "text": "H7", "value": "H7"])
        #expect(ValueText([0xAA, 0xBB], of: "FFF1").json == ["hex": "AABB"])
        #expect(ValueText([], of: "FFF1").line == "(empty)")
        #expect(ValueText(Array("hi".utf8), of: "FFF1").line == "68 69  \"hi\"")
        #expect(ValueText([85], of: "2A19").line == "85 %  (55)")
        // A terminal obeys nothing that comes from a device.
        #expect(ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "FFF1").text == nil)
        #expect(!ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "2A29").line.unicodeScalars.contains("\u{1B}"))
    }
}
#endif
