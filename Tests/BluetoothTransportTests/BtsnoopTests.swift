import BluetoothModel
import BluetoothRuntime
import Foundation
import Testing

@testable import BluetoothTransport

@Suite(.timeLimit(.minutes(2))) struct BtsnoopTests {
    private static let header: [UInt8] =
        Array("btsnoop".utf8) + [0] + [0, 0, 0, 1] + [0, 0, 0x03, 0xEA]

    @Test func writesTheBytesOfTheFormat() throws {
        let place = try TemporaryPath("capture.btsnoop")
        let writer = try BtsnoopWriter(path: place.path)
        #expect(place.contents() == Self.header)
        // 2024-02-03T04:05:06.789012Z
        let time: Int64 = 1_706_933_106_789_012
        let packets: [([UInt8], BtsnoopWriter.Direction, UInt8)] = [
            ([1, 0x03, 0x0C, 0], .sent, 2), ([4, 0x0E, 1, 0], .received, 3), ([2, 1, 0, 0, 0], .sent, 0),
            ([2, 1, 0, 0, 0], .received, 1),
        ]
        var expected = Self.header
        for (packet, direction, flags) in packets {
            packet.withByteView { writer.record($0, direction, microseconds: time) }
            let length = UInt8(packet.count)
            expected += [0, 0, 0, length, 0, 0, 0, length, 0, 0, 0, flags, 0, 0, 0, 0]
            // Microseconds since the year 0.
            expected += [0x00, 0xE2, 0xEE, 0x25, 0x64, 0xAB, 0xCA, 0x94]
            expected += packet
        }
        #expect(writer.hasUnwrittenRecords)
        writer.close()
        #expect(place.contents() == expected)
    }

    @Test(arguments: ["/no/such/folder/file", "/dev/full", "/"])
    func anUnwritableFileIsAnImmediateError(_ path: String) {
        let error = #expect(throws: TransportError.self) { try BtsnoopWriter(path: path) }
        #expect(error.map { "\($0)".contains("capture file '\(path)'") } == true)
    }

    @Test func theErrorThatEndsWritingIsReportedOnce() throws {
        let place = try TemporaryPath("capture.pipe")
        signal(SIGPIPE, SIG_IGN)
        #expect(mkfifo(place.path, 0o600) == 0)
        let reader = open(place.path, O_RDONLY | O_NONBLOCK)
        let writer = try BtsnoopWriter(path: place.path)
        var errors: [TransportError] = []
        writer.onError = { errors.append($0) }
        close(reader)
        for _ in 0..<2 {
            Packets.reset.withByteView { writer.record($0, .sent, microseconds: 0) }
            writer.flush()
        }
        #expect(errors == [try #require(writer.error)])
    }

    @Test func aTapRecordsBothDirectionsWithoutChangingPackets() async throws {
        let place = try TemporaryPath("capture.btsnoop")
        let (descriptor, peer) = try PlainSocket.pair(packets: true)
        let path = place.path
        let writer = await RadioLoop.shared.run {
            LoopBound(confined: try? BtsnoopWriter(path: path), loop: .shared)
        }
        let channel = await TestChannel.make { loop in
            let inner = PacketChannel(descriptor: descriptor, name: "inner", loop: loop)
            guard let writer = writer.value else { return inner }
            return CapturingChannel(inner, writer: writer)
        }
        await channel.send(Packets.reset)
        #expect(await peer.read() == Packets.reset)
        let answer = Packets.event(7, length: 5)
        await peer.write(answer)
        #expect(await channel.events.packets(1) == [answer])
        await channel.loop.run {}
        // The file is complete although nothing was closed.
        let contents = place.contents()
        #expect(contents.count == 16 + 24 + Packets.reset.count + 24 + answer.count)
        #expect(Array(contents[40..<44]) == Packets.reset)
        #expect(contents[16 + 11] == 2 && contents[44 + 11] == 3)
        #expect(Array(contents.suffix(answer.count)) == answer)
        peer.shutDown()
        #expect(await channel.events.end() == .closedByPeer("inner"))
    }
}
