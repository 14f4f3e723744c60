import Explorer
import Testing
import VirtualDevices

@testable import Workbench

@Suite("Values as numbers")
struct NumberColumnsTests {
    @Test(
        "Numbers of every format",
        arguments: [
            ("u8", [0xFF], "255"), ("i8", [0xFF], "-1"), ("u16", [0x01, 0x02], "513"), ("i16be", [0xFF, 0xFE], "-2"),
            ("u24", [1, 0, 1], "65537"), ("i24be", [0x80, 0, 0], "-8388608"), ("u32", [1, 0, 0, 0x80], "2147483649"),
            ("u64", [UInt8](repeating: 0xFF, count: 8), "18446744073709551615"),
            ("i64", [UInt8](repeating: 0xFF, count: 8), "-1"), ("f32", [0, 0, 0xC0, 0x3F], "1.5"),
            ("f32be", [0x42, 0x28, 0, 0], "42"), ("f64", [0, 0, 0, 0, 0, 0, 0xF8, 0x7F], "nan"),
            ("f32", [0, 0, 0x80, 0x7F], "inf"), ("sfloat", [0x6E, 0xF1], "36.6"),
            ("medfloat", [0x6E, 0x01, 0, 0xFF], "36.6"),
            ("u16,i8", [1, 0, 0xFF, 2, 0, 0xFE], "1 -1 2 -2"), ("u16", [1, 0, 2], "1 (and 02)"),
            ("u32", [1], "(and 01)"),
        ] as [(String, [UInt8], String)])
    func numbers(_ formats: String, _ bytes: [UInt8], _ line: String) throws {
        #expect(try NumberColumns(formats).numbers(in: bytes).line == line)
    }

    @Test("Encoded numbers decode to the same values", arguments: NumberFormat.names)
    func roundTrip(_ name: String) throws {
        for name in [name, name + "be"] {
            let format = try #require(NumberFormat(name))
            for text in ["0", "1", "42", "100"] {
                let bytes = try #require(format.encoded(text))
                #expect(format.decoded(bytes) == text, "\(name)")
                #expect(format.decoded(bytes + [0]) == nil)
            }
        }
    }

    @Test("Unknown formats are errors", arguments: ["", "u8,", "x16", "u8;u8"])
    func unknown(_ text: String) {
        let error = #expect(throws: InputError.self) { try NumberColumns(text) }
        #expect(error?.message.contains("sfloat") == true)
    }

    @Test("Values in text and in JSON")
    func forms() throws {
        let numbers = ValueForm.numbers(try NumberColumns("f32,u8"))
        #expect(numbers.json([0, 0, 0x80, 0x7F, 7])["as"] == .array([.string("inf"), .decimal("7")]))
        #expect(numbers.text([]) == "(empty)")
        #expect(ValueForm.base64.text([0xFB, 0xFF]) == "+/8=")
        #expect(ValueForm.raw.text([0xFB, 0xFF]) == "FBFF")
        #expect(ValueForm.decoded.text([1]) == nil)
    }
}
