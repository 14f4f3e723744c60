import BluetoothModel
import Testing

@Suite struct HexTextTests {
    @Test func digitsAreOctets() {
        #expect([UInt8](hexDigits: "00fFa9") == [0x00, 0xFF, 0xA9])
        #expect([UInt8](hexDigits: "") == [])
        for text in ["0", "0g", "+1", "00 11", "é0", "１２"] { #expect([UInt8](hexDigits: text) == nil, "\(text)") }
    }

    @Test func numbersAreDecimalOrHexadecimal() {
        #expect(UInt16(decimalOrHex: "18") == 18)
        #expect(UInt16(decimalOrHex: "0x18") == 0x18)
        #expect(UInt16(decimalOrHex: "0Xff") == 0xFF)
        #expect(Int(decimalOrHex: "-5") == -5)
        for text in ["", "0x", "FF", "0x10000", "65536", "1 "] { #expect(UInt16(decimalOrHex: text) == nil, "\(text)") }
    }

    @Test func numbersArePadded() {
        #expect(UInt16(0x12).hexText(digits: 4) == "0012")
        #expect(UInt32(0xABCDE).hexText(digits: 4) == "ABCDE")
    }
}
