import BluetoothProfiles
import Harald
import Testing

@testable import Explorer
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

    /// All values of a characteristic in one stream have the same form, independent of their bytes.
    @Test func aFormIsUsedForAllValuesOfACharacteristic() {
        let (text, bytes) = (ValueText(Array("hi".utf8), of: "FFF1"), ValueText([0, 1], of: "FFF1"))
        #expect(text.form == .text && bytes.form == .hex)
        #expect(text.line(.hex) == "68 69" && bytes.line(.hex) == "00 01")
        #expect(text.line(.text) == "68 69  \"hi\"" && bytes.line(.text) == "00 01  \"\\u{0}\\u{1}\"")
        #expect(ValueText([85], of: "2A19").line(.text) == "85 %  (55)")
    }

    @Test(
        arguments: [
            (
                "2A18", "03 0100 E607 0101 0000 00 FF7F 78B0 11",
                #""timeOffset":{"special":"overrun","unit":"min","value":null}"#
            ),
            (
                "2A18", "03 0100 E607 0101 0000 00 0080 78B0 11",
                #""timeOffset":{"special":"underrun","unit":"min","value":null}"#
            ),
            (
                "2A18", "03 0100 E607 0101 0000 00 0000 78B0 11",
                #""display":[{"unit":"mg/dL","value":120},{"unit":"mmol/L","value":6.7}]"#
            ),
            (
                "2A18", "06 0100 E607 0101 0000 00 3DC0 11",
                #""display":[{"unit":"mg/dL","value":110},{"unit":"mmol/L","value":6.1}]"#
            ),
            ("2A35", "08 7800 5000 5D00 FF", #""userID":{"special":"unknown","value":null}"#),
            ("2A35", "08 7800 5000 5D00 01", #""userID":1"#),
            ("2A9D", "04 0000 FF", #""userID":{"special":"unknown","value":null}"#),
            ("2A9C", "0400 6400 FF", #""userID":{"special":"unknown","value":null}"#),
            ("2A9A", "FF", #"{"userIndex":{"special":"unknown","value":null}}"#),
            ("2A34", "08 0100 FFFF 32", #""exerciseDuration":{"special":"overrun","unit":"s","value":null}"#),
            ("2A14", "01 FE FF FF", #""timeAccuracy":{"special":"overrun","unit":"s","value":null}"#),
            ("2A14", "01 FF FF FF", #""daysSinceUpdate":{"special":"overrun","value":null}"#),
            ("2A0F", "80 FF", #""timeZone":{"special":"unknown","unit":"h","value":null}"#),
            ("2A0F", "7F FF", #""timeZone":{"special":"reserved","unit":"h","value":null}"#),
            (
                "2A04", "FFFF FFFF 0000 FFFF",
                #""minimumConnectionInterval":{"special":"unspecified","unit":"ms","value":null}"#
            ),
            (
                "2A37", "10 48 E802 0004",
                #""rrInterval":{"display":[{"unit":"s","value":[0.7265625,1]}],"unit":"ms","value":[726.5625,1000]}"#
            ),
            ("2AA7", "06 00 7800 0500", #""display":[{"unit":"mg/dL","value":120},{"unit":"mmol/L","value":6.7}]"#),
        ] as [(BluetoothUUID, String, String)])
    func specialValuesAreNotNumbers(_ uuid: BluetoothUUID, _ hex: String, _ part: String) throws {
        let bytes = try #require([UInt8](hexText: hex.filter { $0 != " " }))
        let fields = try #require(ValueText(bytes, of: uuid).fields, "\(ValueText(bytes, of: uuid).line)")
        #expect(JSONValue(fields).text.contains(part), "\(JSONValue(fields).text)")
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
        #expect(ValueText([], of: "2A29").line == "\"\"  (empty)")
        #expect(ValueText([101], of: "2A19").line == "65  (batteryLevel: 101 is outside 0...100)")
        // Data of a device contains no control sequence for the terminal.
        #expect(ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "FFF1").text == nil)
        #expect(!ValueText([0x1B, 0x5B, 0x32, 0x4A], of: "2A29").line.unicodeScalars.contains("\u{1B}"))
    }
}
