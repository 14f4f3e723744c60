import BluetoothModel
import Testing

@testable import BluetoothTransport

/// A capture contains no octets of keys.
@Suite struct KeyConcealmentTests {
    private static let key = [UInt8](0xA0...0xAF)

    private func conceal(
        _ packet: [UInt8], _ direction: BtsnoopWriter.Direction, _ concealment: inout KeyConcealment
    ) -> [UInt8] {
        packet.withByteView { concealment.conceal($0, direction) } ?? packet
    }

    private func conceal(_ packet: [UInt8]) -> [UInt8] {
        var concealment = KeyConcealment()
        return conceal(packet, .sent, &concealment)
    }

    @Test(arguments: [
        ([0x19, 0x20] as [UInt8], 12), ([0x1A, 0x20], 2), ([0x27, 0x20], 7), ([0x17, 0x20], 0),
    ])
    func keysInCommandsAreZeroed(opcode: [UInt8], place: Int) {
        let head = [1] + opcode + [UInt8(place + 16)] + [UInt8](repeating: 5, count: place)
        #expect(conceal(head + Self.key) == head + [UInt8](repeating: 0, count: 16))
        // A truncated command is returned unchanged.
        #expect(conceal(Array(head.prefix(4))) == Array(head.prefix(4)))
    }

    @Test(arguments: [0x06, 0x08, 0x0A] as [UInt8]) func keysSentToAPeerAreZeroed(code: UInt8) {
        let head: [UInt8] = [2, 0x40, 0x20, 21, 0, 17, 0, 6, 0, code]
        #expect(conceal(head + Self.key) == head + [UInt8](repeating: 0, count: 16))
        // In fragments of each length, separately for each direction.
        for cut in 0...16 {
            var concealment = KeyConcealment()
            let (first, rest) = (Self.key.prefix(cut), Self.key.dropFirst(cut))
            let begin: [UInt8] = [2, 0x40, 0x00, UInt8(5 + cut), 0, 17, 0, 6, 0, code]
            #expect(conceal(begin + first, .received, &concealment) == begin + [UInt8](repeating: 0, count: cut))
            let other: [UInt8] = [2, 0x41, 0x10, 2, 0, 0xA1, 0xA2]
            #expect(conceal(other, .received, &concealment) == other)
            let end: [UInt8] = [2, 0x40, 0x10, UInt8(16 - cut), 0]
            #expect(conceal(end + rest, .received, &concealment) == end + [UInt8](repeating: 0, count: 16 - cut))
        }
        // The packet is truncated before its opcode.
        var concealment = KeyConcealment()
        let begin: [UInt8] = [2, 0x40, 0x00, 4, 0, 17, 0, 6, 0], end: [UInt8] = [2, 0x40, 0x10, 17, 0]
        #expect(conceal(begin, .sent, &concealment) == begin)
        #expect(conceal(end + [code] + Self.key, .sent, &concealment) == end + [UInt8](repeating: 0, count: 17))
    }

    @Test func otherBytesAreUnchanged() {
        let values: [[UInt8]] = [
            [2, 0x40, 0x20, 21, 0, 17, 0, 4, 0, 6] + Self.key, [2, 0x40, 0x20, 21, 0, 17, 0, 6, 0, 3] + Self.key,
            [1, 0x03, 0x0C, 0], [4, 0x0E, 4, 1, 3, 0x0C, 0], [], [2], [4, 0x3E, 3, 0x01, 0, 0],
        ]
        for packet in values { #expect(conceal(packet) == packet) }
        let secret: [UInt8] = [4, 0x3E, 34, 0x09, 0]
        #expect(conceal(secret + Self.key + Self.key) == secret + [UInt8](repeating: 0, count: 32))
    }
}
