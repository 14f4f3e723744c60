import BluetoothProfiles
import Testing

@testable import VirtualDevices

@Suite struct NumberFormatTests {
    @Test(
        arguments: [
            ("u8", "255", [0xFF]), ("u16", "500", [0xF4, 0x01]), ("u16be", "500", [0x01, 0xF4]), ("i8", "-3", [0xFD]),
            ("i16", "-2", [0xFE, 0xFF]), ("u24", "0x010203", [0x03, 0x02, 0x01]), ("f32", "1.5", [0, 0, 0xC0, 0x3F]),
            ("u64", "18446744073709551615", [255, 255, 255, 255, 255, 255, 255, 255]),
            ("i64", "-9223372036854775808", [0, 0, 0, 0, 0, 0, 0, 0x80]),
            // 36.6 is 366 times ten to the power of -1
            ("sfloat", "36.6", [0x6E, 0xF1]), ("medfloat", "36.6", [0x6E, 0x01, 0x00, 0xFF]),
            ("sfloat", "120", [0x78, 0x00]),
        ] as [(String, String, [UInt8])])
    func textIsEncoded(_ format: String, _ text: String, _ bytes: [UInt8]) throws {
        #expect(try #require(NumberFormat(format)).encoded(text) == bytes)
    }

    @Test(arguments: [
        ("u8", "256"), ("u8", "-1"), ("i8", "128"), ("i8", "-129"), ("u16", "1.5"), ("u16", ""), ("u16", "0x"),
        ("u16", "--1"), ("u16", "-"), ("f32", "x"), ("i64", "9223372036854775808"), ("u8", "+-1"),
        ("f32", "1e39"), ("f32", "-1e400"), ("f64", "1e400"), ("sfloat", "1e400"),
    ])
    func numbersOutOfRangeAreRefused(_ format: String, _ text: String) throws {
        #expect(try #require(NumberFormat(format)).encoded(text) == nil)
    }

    @Test func numbersOfAWaveformAreClampedToTheRange() {
        #expect(NumberFormat(.u8).encoded(300.0) == [0xFF])
        #expect(NumberFormat(.u8).encoded(-1.0) == [0])
        #expect(NumberFormat(.i16).encoded(-1e9) == [0x00, 0x80])
        #expect(NumberFormat(.u64).encoded(1e30) == Array(repeating: 0xFF, count: 8))
        #expect(NumberFormat(.i32).encoded(Double.nan) == [0, 0, 0, 0])
    }

    @Test func unknownFormatsAreRefused() {
        #expect(NumberFormat("u12") == nil)
        #expect(NumberFormat("be") == nil)
        #expect(NumberFormat("U16BE")?.isBigEndian == true)
    }

    @Test(arguments: [36.6, -40, 0, 2.5, 204.3, 1234.5])
    func medicalFloatsRoundTrip(_ value: Double) throws {
        let long = NumberFormat(.medfloat).encoded(value)
        let bits = long.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let back = try #require(MedicalFloat.float.number(bits: bits).value)
        #expect(abs(back - value) < 0.05)
        let short = NumberFormat(.sfloat).encoded(value)
        let shortBack = try #require(MedicalFloat.sfloat.number(bits: UInt32(short[0]) | UInt32(short[1]) << 8).value)
        #expect(abs(shortBack - value) < 1)
    }
}
