import Testing

@testable import Explorer
@testable import HaraldCommand

@Suite struct ValueInputTests {
    @Test(
        arguments: [
            (["AA", "BB"], [0xAA, 0xBB]), (["AA BB"], [0xAA, 0xBB]), (["0xAABB"], [0xAA, 0xBB]),
            (["AA:BB"], [0xAA, 0xBB]), (["text:hi there"], Array("hi there".utf8)),
            (["u16:500", "i8:-3"], [0xF4, 0x01, 0xFD]),
            (["f32:1.5"], [0, 0, 0xC0, 0x3F]), (["u32be:1 u8:2"], [0, 0, 0, 1, 2]), (["hex:01"], [1]), ([""], []),
            (["text:"], []), (["U8:0x10"], [0x10]),
        ] as [([String], [UInt8])])
    func valuesAreParsed(_ words: [String], _ bytes: [UInt8]) throws { #expect(try ValueInput.bytes(words) == bytes) }

    @Test(arguments: [
        ("u8:256", "fits in u8"), ("ABC", "is not a value"), ("u17:3", "did you mean 'u16:'"), ("hello", "a value is"),
        ("i8:", "fits in i8"),
    ])
    func invalidValuesAreUsageErrors(_ word: String, _ part: String) throws {
        let error = try #require(throws: InputError.self) { try ValueInput.bytes([word]) }
        #expect(ProgramError(error).status == .usage)
        #expect(error.message.contains(part))
    }
}
