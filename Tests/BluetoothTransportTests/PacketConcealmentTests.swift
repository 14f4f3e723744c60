import BluetoothHCI
import BluetoothModel
import Testing

@testable import BluetoothTransport

/// A capture contains no octets of keys.
@Suite struct PacketConcealmentTests {
    private static let key = [UInt8](0xA0...0xAF)
    private static let zeros = [UInt8](repeating: 0, count: 16)

    private func conceal(
        _ packet: [UInt8], _ direction: BtsnoopWriter.Direction?, _ concealment: inout PacketConcealment
    ) -> [UInt8] {
        packet.withByteView { concealment.conceal($0, direction) } ?? packet
    }

    private func conceal(_ packet: [UInt8]) -> [UInt8] {
        var concealment = PacketConcealment()
        return conceal(packet, .sent, &concealment)
    }

    private func command(_ opcode: UInt16, _ parameters: [UInt8]) -> [UInt8] {
        [1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
    }

    @Test(arguments: [(0x2019, 2), (0x201A, 2), (0x2027, 7), (0x2017, 0), (0x040B, 6)] as [(UInt16, Int)])
    func keysInCommandsAreZeroed(opcode: UInt16, place: Int) {
        let head = command(opcode, [UInt8](repeating: 5, count: place) + Self.key).dropLast(16)
        let tail: [UInt8] = opcode == 0x2019 ? [1, 2] + Self.key : []
        let hidden: [UInt8] = opcode == 0x2019 ? [1, 2] + Self.zeros : []
        // The random number of LE Enable Encryption precedes its diversifier.
        let first = opcode == 0x2019 ? 8 : 16
        #expect(conceal(head + Self.key.prefix(first) + tail) == head + Self.zeros.prefix(first) + hidden)
        // A truncated command has no octets of the key either.
        #expect(conceal(head + [0xA0]) == head + [0])
    }

    @Test func unknownCommandsAndEventsAreZeroed() {
        for opcode in UInt16.min ... .max where PacketLayouts.commands[opcode] == nil {
            let packet = command(opcode, Self.key)
            #expect(conceal(packet) == packet.prefix(4) + Self.zeros, "\(opcode)")
        }
        for opcode in UInt16.min ... .max where PacketLayouts.returns[opcode] == nil {
            let head: [UInt8] = [4, 0x0E, 20, 1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), 0]
            #expect(conceal(head + Self.key) == head + Self.zeros, "\(opcode)")
        }
        for code in UInt8.min ... .max {
            if PacketLayouts.events[UInt16(code)] == nil, code != 0x0E, code != 0x3E {
                #expect(conceal([4, code, 16] + Self.key) == [4, code, 16] + Self.zeros)
            }
            if PacketLayouts.lowEnergyEvents[UInt16(code)] == nil {
                #expect(conceal([4, 0x3E, 17, code] + Self.key) == [4, 0x3E, 17, code] + Self.zeros)
            }
        }
        #expect(conceal([9] + Self.key) == [9] + Self.zeros)
    }

    @Test(arguments: [0x03, 0x04, 0x06, 0x07, 0x08, 0x0A, 0x0C, 0x0D, 0x0F] as [UInt8], [6, 7] as [UInt8])
    func keysSentToAPeerAreZeroed(code: UInt8, channel: UInt8) {
        let head: [UInt8] = [2, 0x40, 0x20, 21, 0, 17, 0, channel, 0, code]
        #expect(conceal(head + Self.key) == head + Self.zeros)
        // In fragments of each length, separately for each direction.
        for cut in 0...16 {
            var concealment = PacketConcealment()
            let (first, rest) = (Self.key.prefix(cut), Self.key.dropFirst(cut))
            let begin: [UInt8] = [2, 0x40, 0x00, UInt8(5 + cut), 0, 17, 0, channel, 0, code]
            let data: [UInt8] = [2, 0x41, 0x20, 6, 0, 4, 0, 4, 0, 0x1B, 3]
            #expect(conceal(data, .received, &concealment) == data)
            #expect(conceal(begin + first, .received, &concealment) == begin + Self.zeros.prefix(cut))
            let other: [UInt8] = [2, 0x41, 0x10, 2, 0, 0xA1, 0xA2]
            #expect(conceal(other, .received, &concealment) == other)
            let end: [UInt8] = [2, 0x40, 0x10, UInt8(16 - cut), 0]
            #expect(conceal(end + rest, .received, &concealment) == end + Self.zeros.prefix(16 - cut))
        }
        // The packet is truncated before its opcode.
        var concealment = PacketConcealment()
        let begin: [UInt8] = [2, 0x40, 0x00, 4, 0, 17, 0, channel, 0], end: [UInt8] = [2, 0x40, 0x10, 17, 0]
        #expect(conceal(begin, .sent, &concealment) == begin)
        #expect(conceal(end + [code] + Self.key, .sent, &concealment) == end + [0] + Self.zeros)
    }

    @Test func theFragmentsOfAFrameThatBeganBeforeAreZeroed() {
        let end: [UInt8] = [2, 0x40, 0x10, 16, 0]
        #expect(conceal(end + Self.key) == end + Self.zeros)
    }

    @Test(arguments: [0x0E, 0x0F, 0x10, 0x1D, 0x1E, 0x22, 0x23, 0x2D, 0x99] as [UInt8])
    func keysInAdvertisingDataAreZeroed(type: UInt8) {
        let (flags, name): ([UInt8], [UInt8]) = ([2, 1, 6], [3, 9, 0x41, 0x42])
        func data(_ key: [UInt8]) -> [UInt8] { flags + [17, type] + key + name }
        func report(_ data: [UInt8]) -> [UInt8] { [0, 0, 1, 2, 3, 4, 5, 6, UInt8(data.count)] + data + [0xC0] }
        func padded(_ data: [UInt8]) -> [UInt8] { data + [UInt8](repeating: 0, count: 31 - data.count) }
        for make: ([UInt8]) -> [UInt8] in [
            { command(0x2008, [UInt8(data($0).count)] + padded(data($0))) },
            { command(0x2037, [1, 3, 0, UInt8(data($0).count)] + data($0)) },
            { command(0x0C52, [0] + data($0)) },
            { [4, 0x3E, 0, 0x02, 2] + report(flags + name) + report(data($0)) },
            { [4, 0x3E, 0, 0x0F, 7, 0, 1, 2, 0xFF, 0, UInt8(data($0).count)] + data($0) },
            { [4, 0x2F, 0, 1, 1, 2, 3, 4, 5, 6, 1, 0, 1, 2, 3, 4, 5, 0xC0] + data($0) },
        ] { #expect(conceal(make(Self.key)) == make(Self.zeros)) }
    }

    @Test func aKeyThatContinuesInTheNextAdvertisingPacketIsZeroed() {
        let structure: [UInt8] = [2, 1, 6, 17, 0x2D] + Self.key + [3, 9, 0x41, 0x42]
        let hidden: [UInt8] = [2, 1, 6, 17, 0x2D] + Self.zeros + [3, 9, 0x41, 0x42]
        func parts(_ data: [UInt8], _ cut: Int, _ make: (ArraySlice<UInt8>, Bool) -> [UInt8]) -> [[UInt8]] {
            [make(data.prefix(cut), true), make(data.dropFirst(cut), false)]
        }
        func command(_ data: ArraySlice<UInt8>, _ isFirst: Bool) -> [UInt8] {
            self.command(0x2037, [1, isFirst ? 1 : 2, 0, UInt8(data.count)] + data)
        }
        func report(_ data: ArraySlice<UInt8>, _ isFirst: Bool) -> [UInt8] {
            let fields: [UInt8] = [1, 2, 3, 4, 5, 6, 1, 0, 9, 0x7F, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 7)
            return [4, 0x3E, 0, 0x0D, 1, isFirst ? 0x20 : 0, 0, 0] + fields + [UInt8(data.count)] + data
        }
        func periodic(_ data: ArraySlice<UInt8>, _ isFirst: Bool) -> [UInt8] {
            [4, 0x3E, 0, 0x0F, 7, 0, 1, 2, 0xFF, isFirst ? 1 : 0, UInt8(data.count)] + data
        }
        for make in [command, report, periodic] {
            // A cut between the length and the type conceals the type too.
            let beforeType = structure.count - 3
            for cut in 5..<structure.count where cut != beforeType {
                var concealment = PacketConcealment()
                let concealed = parts(structure, cut, make).map { conceal($0, .received, &concealment) }
                #expect(concealed == parts(hidden, cut, make), "\(cut)")
            }
        }
    }

    /// The packets of attribute protocol on a channel.
    private func attribute(_ bytes: [UInt8], _ channel: UInt8 = 4, isSized: Bool = false) -> [UInt8] {
        let payload = (isSized ? [UInt8(bytes.count), 0] : []) + bytes
        return [2, 0x40, 0x20, UInt8(payload.count + 4), 0, UInt8(payload.count), 0, channel, 0] + payload
    }

    @Test(arguments: [(4, false), (0x40, true), (0x41, false)] as [(UInt8, Bool)])
    func valuesOfKeyCharacteristicsAreZeroed(channel: UInt8, isSized: Bool) {
        var concealment = PacketConcealment()
        // The discovery arrives in fragments: a characteristic at 3, and the key at 6.
        let entries: [UInt8] = [9, 7, 2, 0, 2, 3, 0, 0x37, 0x2A, 5, 0, 2, 6, 0, 0x88, 0x2B]
        let fragments: [[UInt8]] = [
            [2, 0x40, 0x20, 9, 0, 16, 0, 4, 0] + Array(entries.prefix(5)),
            [2, 0x40, 0x10, 11, 0] + Array(entries.dropFirst(5)),
        ]
        for packet in fragments { #expect(conceal(packet, .received, &concealment) == packet) }
        func check(
            _ bytes: [UInt8], shown: Int = .max, _ direction: BtsnoopWriter.Direction, line: Int = #line
        ) {
            let packet = attribute(bytes, channel, isSized: isSized)
            let start = packet.count - bytes.count + min(shown, bytes.count)
            let hidden = Array(packet.prefix(start)) + [UInt8](repeating: 0, count: packet.count - start)
            #expect(conceal(packet, direction, &concealment) == hidden, "line \(line)")
        }
        check([0x0A, 3, 0], .sent)
        check([0x0B] + Self.key, .received)
        for opcode in [0x1B, 0x1D] as [UInt8] { check([opcode, 6, 0] + Self.key, shown: 3, .received) }
        check([0x1B, 3, 0] + Self.key, .received)
        for opcode in [0x12, 0x52] as [UInt8] { check([opcode, 6, 0] + Self.key, shown: 3, .sent) }
        check([0x16, 6, 0, 0, 0] + Self.key, shown: 5, .sent)
        check([0x17, 6, 0, 0, 0] + Self.key, shown: 5, .received)
        check([0x23, 3, 0, 1, 0, 7, 6, 0, 16, 0] + Self.key, shown: 1, .received)
        for request in [[0x0A, 6, 0], [0x0C, 6, 0, 2, 0], [0x0E, 3, 0, 6, 0], [0x20, 6, 0, 3, 0]] as [[UInt8]] {
            check(request, .sent)
            check([request[0] + 1] + Self.key, shown: 1, .received)
        }
        check([0x08, 1, 0, 0xFF, 0xFF, 0x84, 0x2B], .sent)
        check([0x09, 19, 9, 0, 1] + Self.key, shown: 1, .received)
        check([0x0C, 9, 0, 16, 0], .sent)
        check([0x0D] + Self.key, shown: 1, .received)
        // On the channel of the attribute protocol one request is pending at a time.
        guard channel == 4 else { return }
        check([0x0A, 3, 0], .sent)
        check([0x0B] + Self.key, .received)
    }

    @Test func otherBytesAreUnchanged() {
        let values: [[UInt8]] = [
            [2, 0x40, 0x20, 21, 0, 17, 0, 4, 0, 0x0B] + Self.key, [2, 0x40, 0x20, 21, 0, 17, 0, 0x40, 0, 6] + Self.key,
            [2, 0x40, 0x20, 11, 0, 7, 0, 6, 0, 1, 3, 0, 1, 16, 3, 3], [1, 0x03, 0x0C, 0], [4, 0x0E, 4, 1, 3, 0x0C, 0],
            [], [2], [4, 0x3E, 3, 0x01, 0, 0], [4, 0x08, 4, 6, 0x40, 0, 0],
        ]
        for packet in values { #expect(conceal(packet) == packet) }
        let secret: [UInt8] = [4, 0x3E, 34, 0x09, 0]
        #expect(conceal(secret + Self.key + Self.key) == secret + Self.zeros + Self.zeros)
    }
}
