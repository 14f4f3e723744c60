import BluetoothProfiles
import Testing

@testable import Explorer

@Suite struct FieldJSONTests {
    @Test func namesOfBitsAndCodesAreWordsInTheParts() {
        let parts = ValuePart.parts(of: [
            Field("feature", .bits(["lowBatteryDetection", "timeFault"], 3)), Field("site", .code(2, "leftWrist")),
            Field("kind", .code(3, "Heart Rate Belt")), Field("none", .bits([], 0)),
        ])
        #expect(parts.map(\.text) == ["low battery detection, time fault", "left wrist", "Heart Rate Belt", "none"])
    }

    @Test func numbersBeyondIntKeepTheirDigits() {
        for value in [
            FieldValue.hex(.max, digits: 16), .bits([], .max), .list([.hex(1 << 63, digits: 16)]), .group([]),
        ] {
            let text = JSONValue(single: Field("x", value)).text + JSONValue(Field("x", value)).text
            guard value != .group([]) else { continue }
            #expect(text.contains("18446744073709551615") || text.contains("9223372036854775808"), "\(text)")
        }
        #expect(JSONValue(single: Field("x", .integer(-5))).text == "-5")
        #expect(JSONValue(single: Field("x", .code(.min, nil))).text == "-9223372036854775808")
    }
}
