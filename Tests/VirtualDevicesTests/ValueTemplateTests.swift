import Harald
import Testing

@testable import VirtualDevices

@Suite struct ValueTemplateTests {
    @Test func partsAreConcatenated() {
        let template = ValueTemplate([
            .bytes([0xAA]), .number(NumberFormat(.u16), .ramp(0...1000, period: .seconds(10), falls: false), digits: 0),
            .bytes([0xBB]),
        ])
        var player = ValuePlayer(template)
        #expect(player.bytes(at: .zero) == [0xAA, 0, 0, 0xBB])
        #expect(player.bytes(at: .seconds(5)) == [0xAA, 0xF4, 0x01, 0xBB])
        #expect(template.fixedBytes == nil)
        #expect(ValueTemplate([.bytes([1]), .bytes([2])]).fixedBytes == [1, 2])
    }

    @Test func aHeartRateContainsTheBeatsSinceThePreviousValue() throws {
        var player = ValuePlayer(ValueTemplate([.heartRate(.init(rate: .constant(60), contact: true))]))
        _ = player.bytes(at: .zero)
        var beats = 0
        for second in 1...30 {
            let bytes = player.bytes(at: .seconds(second))
            #expect(bytes[1] == 60)
            #expect(bytes[0] & 0x06 == 0x06)
            let hasIntervals = bytes[0] & 0x10 != 0
            #expect(hasIntervals == (bytes.count > 2))
            for place in stride(from: 2, to: bytes.count, by: 2) {
                let interval = Int(bytes[place]) | Int(bytes[place + 1]) << 8
                #expect((990...1060).contains(interval))
                beats += 1
            }
        }
        #expect((28...31).contains(beats))
    }

    @Test func fastRatesUseTwoBytesAndPausesAreSkipped() {
        var player = ValuePlayer(ValueTemplate([.heartRate(.init(rate: .constant(300), energy: .constant(513)))]))
        let bytes = player.bytes(at: .seconds(3600))
        #expect(bytes[0] == 0x19)
        #expect(Array(bytes[1...4]) == [0x2C, 0x01, 0x01, 0x02])
        #expect(bytes.count <= 20)
    }

    @Test(
        arguments: [
            ("01 ?? 03", [1, 9, 3], true), ("01 ?? 03", [1, 9], false), ("01*", [1], true), ("01 *", [1, 2, 3], true),
            ("01*", [2], false), ("*", [], true), ("", [], true), ("", [1], false),
        ] as [(String, [UInt8], Bool)])
    func patternsMatch(_ text: String, _ value: [UInt8], _ fits: Bool) throws {
        #expect(try #require(BytePattern(text)).matches(value) == fits)
    }

    @Test(arguments: ["0", "0x01", "GG", "** 01", "01 ?"]) func invalidPatternsAreNil(_ text: String) {
        #expect(BytePattern(text) == nil)
    }

    @Test(
        arguments: [
            ("AA BB", [0xAA, 0xBB]), ("0xAABB", [0xAA, 0xBB]), ("aa:bb-cc", [0xAA, 0xBB, 0xCC]), ("", []), ("5", [5]),
            ("0x1 0x2", [1, 2]),
        ] as [(String, [UInt8])])
    func hexIsParsed(_ text: String, _ bytes: [UInt8]) { #expect([UInt8](hexText: text) == bytes) }

    @Test(arguments: ["ABC", "GG", "0xZZ", "+1"]) func invalidHexIsNil(_ text: String) {
        #expect([UInt8](hexText: text) == nil)
    }
}
