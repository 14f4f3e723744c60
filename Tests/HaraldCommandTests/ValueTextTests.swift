#if Programs
import BluetoothProfiles
import Harald
import Testing

@testable import HaraldCommand

@Suite struct ValueTextTests {
    @Test(
        arguments: [
            ("2A19", [85], "85 %"),
            ("2A37", [0x16, 72, 0x00, 0x04], "heart rate 72 bpm, sensor contact status detected, rr interval 1000 ms"),
            ("2A38", [1], "chest"), ("2A29", Array("Polar".utf8) + [0], "\"Polar\""),
            ("2A01", [0x41, 0x03], "Heart Rate Sensor: Heart Rate Belt (0x0341)"),
            (
                "2A50", [1, 0x6B, 0, 0x11, 0, 0x10, 3],
                "vendor ID source Bluetooth, vendor ID Polar Electro OY, product ID 0x0011, product version 0x0310"
            ),
            ("2A1C", [0, 0x6E, 0x01, 0x00, 0xFF], "36.6 °C"), ("2A6E", [0x9C, 0xFF], "-1.00 °C"),
            ("2A5F", [0, 98, 0, 64, 0], "SpO2 98 %, pulse rate 64 bpm"), ("2902", [1, 0], "notifications"),
        ] as [(BluetoothUUID, [UInt8], String)])
    func knownTypesAreDecoded(_ uuid: BluetoothUUID, _ bytes: [UInt8], _ text: String) {
        #expect(ValueText(bytes, of: uuid).fields?.text == text)
    }

    @Test func valuesHaveHexTextAndValue() {
        #expect(
            ValueText([85], of: "2A19").json
                == ["hex": "55", "value": 85, "fields": ["batteryLevel": ["value": 85, "unit": "%"]]])
        #expect(
            ValueText(Array("H7".utf8), of: "2A24").json
                == ["hex": "4837", "text": "H7", "value": "H7", "fields": ["modelNumber": "H7"]])
        #expect(ValueText([0xAA, 0xBB], of: "FFF1").json == ["hex": "AABB"])
        #expect(ValueText([], of: "FFF1").line == "(empty)")
        #expect(ValueText(Array("hi".utf8), of: "FFF1").line == "68 69  \"hi\"")
        #expect(ValueText([85], of: "2A19").line == "85 %  (55)")
        #expect(ValueText([101], of: "2A19").line == "65  (batteryLevel: 101 is out of 0...100)")
        // A terminal obeys nothing that comes from a device.
        #expect(ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "FFF1").text == nil)
        #expect(!ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "2A29").line.unicodeScalars.contains("\u{1B}"))
    }
}
#endif
