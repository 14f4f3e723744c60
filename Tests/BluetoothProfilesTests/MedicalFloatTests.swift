import Testing

@testable import BluetoothProfiles

/// IEEE 11073 numbers: bytes, least significant first, and what they are.
@Suite struct MedicalFloatTests {
    @Test(
        arguments: [
            (0x0002, "2"), (0xE0C8, "2.00"), (0x2002, "2E+2"), (0x04D2, "1234"), (0x07FF, "NaN"), (0x0800, "NRes"),
            (0x0802, "-INF"), (0x07FE, "+INF"), (0x0801, "reserved"), (0x07FD, "2045"), (0xF16C, "36.4"),
            (0x016C, "364"),
            (0xFE94, "-36.4"), (0x1E94, "-3.64E+3"), (0x77FD, "2.045E+10"), (0x8001, "1E-8"), (0x0FFF, "-1"),
        ] as [(UInt32, String)])
    func sfloatHasTheSpecifiedValues(bits: UInt32, text: String) {
        let number = MedicalFloat.sfloat.number(bits: bits)
        #expect(number.description == text)
        #expect(MedicalFloat.sfloat.bits(number) == bits)
        #expect((number.value == nil) == (number.special != nil))
    }

    @Test(
        arguments: [
            (0x0000_0002, "2"), (0xFE00_00C8, "2.00"), (0x0200_0002, "2E+2"), (0x0000_04D2, "1234"),
            (0x007F_FFFF, "NaN"),
            (0x0080_0000, "NRes"), (0x0080_0002, "-INF"), (0x007F_FFFE, "+INF"), (0x0080_0001, "reserved"),
            (0x007F_FFFD, "8388605"), (0xFF00_016C, "36.4"), (0xFFFF_FE94, "-36.4"), (0x8000_0001, "1E-128"),
            (0xFD00_907D, "36.989"),
        ] as [(UInt32, String)])
    func floatHasTheSpecifiedValues(bits: UInt32, text: String) {
        let number = MedicalFloat.float.number(bits: bits)
        #expect(number.description == text)
        #expect(MedicalFloat.float.bits(number) == bits)
    }

    @Test func everySFLOATRoundTrips() {
        for bits in UInt32(0)...0xFFFF {
            let number = MedicalFloat.sfloat.number(bits: bits)
            #expect(MedicalFloat.sfloat.bits(number) == bits)
        }
    }

    @Test func precisionIsPreserved() {
        #expect(ProfileNumber(20, exponent: -1) != ProfileNumber(200, exponent: -2))
        #expect(ProfileNumber(20, exponent: -1).value == ProfileNumber(200, exponent: -2).value)
        #expect(ProfileNumber.special(.notANumber).value == nil)
        #expect(ExactDecimal("36.60")?.description == "36.60")
        #expect(ExactDecimal("-0.05") == ExactDecimal(-5, exponent: -2))
        for text in ["", ".", "1.", ".5", "a", "1.2.3", "1e3", "--1"] { #expect(ExactDecimal(text) == nil) }
        #expect(ProfileNumber(36.66, decimals: 1).description == "36.7")
        #expect(ProfileNumber(.nan, decimals: 1) == .special(.notANumber))
    }

    @Test func theNearestNumberHasTheMaximumNumberOfDecimals() {
        #expect(MedicalFloat.sfloat.number(bits: MedicalFloat.sfloat.bits(36.64, decimals: 1)).description == "36.6")
        #expect(MedicalFloat.sfloat.number(bits: MedicalFloat.sfloat.bits(360.64, decimals: 1)).description == "361")
        #expect(
            MedicalFloat.sfloat.number(bits: MedicalFloat.sfloat.bits(.infinity, decimals: 1))
                == .special(.positiveInfinity))
        #expect(MedicalFloat.sfloat.number(bits: MedicalFloat.sfloat.bits(2046, decimals: 0)).value == 2050)
    }

    @Test func numbersOutOfRangeCannotBeEncoded() {
        #expect(MedicalFloat.sfloat.bits(2047) == nil)
        #expect(MedicalFloat.sfloat.bits(ProfileNumber(2047, exponent: 1)) != nil)
        #expect(MedicalFloat.sfloat.bits(ProfileNumber(1, exponent: 8)) == nil)
        #expect(MedicalFloat.sfloat.bits(ProfileNumber(2048)) == nil)
        #expect(MedicalFloat.float.bits(ProfileNumber(1, exponent: -129)) == nil)
        #expect(MedicalFloat.sfloat.bits(.special(.unknown)) == nil)
    }
}
