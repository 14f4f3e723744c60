import BluetoothHCI
import BluetoothModel
import Testing

@Suite struct H4FramerTests {
    /// One packet of each type, and two without data.
    private let packets: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00],
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
        [0x02, 0x40, 0x20, 0x05, 0x00, 1, 2, 3, 4, 5],
        [0x03, 0x01, 0x00, 0x02, 9, 8],
        [0x05, 0x01, 0x00, 0x03, 0x40, 7, 7, 7],
        [0x02, 0x40, 0x00, 0x00, 0x00],
        [0x04, 0xFF, 0x00],
    ]

    private func frame(_ bytes: [UInt8], by size: Int) -> (packets: [[UInt8]], error: H4FramingError?) {
        var framer = H4Framer()
        var result: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let chunk = Array(bytes[start..<min(start + size, bytes.count)])
            let error = chunk.withUnsafeBytes { framer.receive($0) { result.append($0.array) } }
            if let error { return (result, error) }
            start += size
        }
        #expect(framer.pendingCount == 0)
        return (result, nil)
    }

    @Test(arguments: 1...50) func packetsAreFoundInAnyChunks(size: Int) {
        let (result, error) = frame(packets.flatMap { $0 }, by: size)
        #expect(result == packets)
        #expect(error == nil)
    }

    @Test func longestPacket() {
        let packet: [UInt8] = [0x02, 0x40, 0x20, 0xFF, 0xFF] + [UInt8](repeating: 0x5A, count: 0xFFFF)
        #expect(packet.count == H4.maximumPacketLength)
        #expect(frame(packet + packets[0], by: 4000).packets == [packet, packets[0]])
    }

    @Test(arguments: [UInt8](0...255)) func unknownTypeEndsTheStream(type: UInt8) {
        guard HCIPacketType(rawValue: type) == nil else { return }
        let (result, error) = frame(packets[0] + [type] + packets[1], by: 3)
        #expect(result == [packets[0]])
        #expect(error == H4FramingError(type: type))
    }

    @Test func anErrorPersistsUntilReset() {
        var framer = H4Framer()
        var count = 0
        _ = [0x77].withUnsafeBytes { framer.receive($0) { _ in count += 1 } }
        let again = packets[0].withUnsafeBytes { framer.receive($0) { _ in count += 1 } }
        #expect(again != nil)
        #expect(count == 0)
        framer.reset()
        let fresh = packets[0].withUnsafeBytes { framer.receive($0) { _ in count += 1 } }
        #expect(fresh == nil)
        #expect(count == 1)
    }

    @Test func completePacketsAreAccepted() {
        for packet in packets {
            #expect(packet.withByteView { H4.isWholePacket($0) })
            #expect(!(packet + [0]).withByteView { H4.isWholePacket($0) })
            #expect(!packet.dropLast().map { $0 }.withByteView { H4.isWholePacket($0) })
        }
    }

    @Test func aclHeader() throws {
        let packet = packets[2]
        let header = try #require(packet.withByteView { ACLHeader($0) })
        #expect(header == ACLHeader(handle: 0x040, boundary: .firstFromController, dataLength: 5))
        var writer = ByteWriter()
        header.write(to: &writer)
        #expect(writer.bytes == Array(packet.prefix(5)))
        #expect((packet + [1]).withByteView { ACLHeader($0) } == nil)
        #expect(Array(packet.prefix(4)).withByteView { ACLHeader($0) } == nil)
        #expect(packets[0].withByteView { ACLHeader($0) } == nil)
    }
}
