import BluetoothRuntime
import Testing

@testable import BluetoothTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.timeLimit(.minutes(2))) struct PacketChannelTests {
    private func makeChannel(_ reading: ReadingLoop, sendBuffer: Int32? = nil) async throws -> (
        TestChannel, PlainSocket
    ) {
        let (descriptor, peer) = try PlainSocket.pair(packets: true)
        if let sendBuffer {
            SystemCall.setOption(descriptor, level: SOL_SOCKET, name: SO_SNDBUF, value: sendBuffer)
        }
        let channel = await TestChannel.make(on: reading.loop) {
            PacketChannel(descriptor: descriptor, name: "test", loop: $0)
        }
        return (channel, peer)
    }

    @Test(arguments: ReadingLoop.allCases) func everyPacketIsADatagramInBothDirections(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        async let received = channel.events.packets(Packets.mixed.count)
        for packet in Packets.mixed { await peer.write(packet) }
        #expect(await received == Packets.mixed)
        for packet in Packets.mixed {
            await channel.send(packet)
            #expect(await peer.read() == packet)
        }
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func aDatagramIsOnePacketEvenIfTheSocketIsFull(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading, sendBuffer: 4096)
        let packets = (0..<2000).map { Packets.acl($0, length: 1 + $0 % 250) }
        let state = await channel.loop.run {
            for packet in packets { packet.withByteView { channel.channel.value.send($0) } }
            return (channel.channel.value.isCongested, (channel.channel.value as? PacketChannel)?.queuedCount ?? 0)
        }
        // Nothing was read yet, so most of it waits.
        #expect(state.0 && state.1 > 100_000)
        async let drained: Void = channel.events.drain()
        for (number, packet) in packets.enumerated() {
            let datagram = await peer.read()
            guard datagram == packet else {
                Issue.record("datagram \(number) has \(datagram.count) bytes in place of \(packet.count)")
                break
            }
        }
        await drained
        await channel.send(Packets.reset)
        #expect(await peer.read() == Packets.reset)
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func packetsIntoAFullSocketArriveInOrder(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading, sendBuffer: 4096)
        let packets = (0..<300).map { Packets.acl($0, length: 1 + $0 % 250) }
        // Each in a turn of its own: the loop's wait finds that there is no room.
        for packet in packets { await channel.send(packet) }
        #expect(await channel.loop.run { (channel.channel.value as? PacketChannel)?.queuedCount ?? 0 } > 10_000)
        for packet in packets { #expect(await peer.read() == packet) }
        await channel.send(Packets.reset)
        #expect(await peer.read() == Packets.reset)
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func packetsSentBeforeTheEndArrive(_ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        let packets = (0..<3).map { Packets.acl($0, length: 20) }
        await channel.loop.run {
            for packet in packets { packet.withByteView { channel.channel.value.send($0) } }
            channel.channel.value.close()
        }
        for packet in packets { #expect(await peer.read() == packet) }
        #expect(await peer.read() == [])
    }

    @Test(arguments: ReadingLoop.allCases) func otherWorkOfTheLoopDoesNotDelayPackets(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        let arrived = await channel.loop.run { () -> AsyncStream<Int> in
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            // Both are requested before the loop's next wait.
            channel.loop.execute { Packets.reset.withByteView { channel.channel.value.send($0) } }
            channel.loop.execute {
                var bytes: [UInt8] = [0, 0]
                continuation.yield(recv(peer.descriptor, &bytes, 2, Int32(MSG_DONTWAIT)))
            }
            return stream
        }
        for await count in arrived {
            #expect(count == 2)
            break
        }
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func sendingToAClosedPeerIsReported(_ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        // The channel still reads: only sending fails.
        _ = shutdown(peer.descriptor, Int32(SHUT_RD))
        await channel.send(Packets.reset)
        #expect(await channel.events.end() != nil)
    }

    @Test(arguments: ReadingLoop.allCases) func packetsAreSentAfterQueuedOnes(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading, sendBuffer: 4096)
        // Each answer is sent from inside a read, while the queue is full.
        await channel.onPacket { channel, packet in packet.withByteView { channel.send($0) } }
        let first = (0..<300).map { Packets.acl($0, length: 200) }
        await channel.loop.run { for packet in first { packet.withByteView { channel.channel.value.send($0) } } }
        let second = (0..<20).map { Packets.event($0, length: 30) }
        for packet in second { await peer.write(packet) }
        _ = await channel.events.packets(second.count)
        for packet in first + second { #expect(await peer.read() == packet) }
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func aFloodArrivesCompletelyInBatches(_ reading: ReadingLoop) async throws {
        let (descriptor, peer) = try PlainSocket.pair(packets: true)
        let packets = (0..<200).map { Packets.event($0, length: 20) }
        for packet in packets { await peer.write(packet) }
        let channel = await TestChannel.make(on: reading.loop) {
            PacketChannel(descriptor: descriptor, name: "test", loop: $0)
        }
        #expect(await channel.events.packets(packets.count) == packets)
        let turns = await channel.turns()
        #expect(turns >= 3 && turns <= 20, "\(turns)")
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func aDatagramThatIsNotAPacketIsDroppedAndCounted(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        await peer.write([9, 1, 2, 3])
        await peer.write([4, 0x0E])
        await peer.write(Packets.event(1, length: 4).dropLast())
        await peer.write(Packets.reset + Packets.reset)
        await peer.write(Packets.reset)
        #expect(await channel.events.packets(1) == [Packets.reset])
        #expect(await channel.loop.run { (channel.channel.value as? PacketChannel)?.malformedCount } == 4)
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func closingByThePeerEndsTheChannel(_ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        await peer.write(Packets.reset)
        peer.shutDown()
        #expect(await channel.events.packets(1) == [Packets.reset])
        #expect(await channel.events.end() == .closedByPeer("test"))
    }
}
