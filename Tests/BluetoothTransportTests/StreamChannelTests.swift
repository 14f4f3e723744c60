import BluetoothHCI
import BluetoothRuntime
import Testing

@testable import BluetoothTransport

@Suite(.timeLimit(.minutes(2))) struct StreamChannelTests {
    private func makeChannel(_ reading: ReadingLoop) async throws -> (TestChannel, PlainSocket) {
        let (descriptor, peer) = try PlainSocket.pair(packets: false)
        let channel = await TestChannel.make(on: reading.loop) {
            StreamChannel(.unix, descriptor: descriptor, name: "test", loop: $0)
        }
        return (channel, peer)
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1000, 65_536, 1_000_000], ReadingLoop.allCases)
    func findsPacketsInAnyChunks(_ size: Int, _ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        let packets = size == 1 ? Packets.mixed.filter { $0.count < 300 } : Packets.mixed
        let bytes = packets.flatMap { $0 }
        let chunk = max(size, size < 64 ? 1 : size)
        async let received = channel.events.packets(packets.count)
        if size < 64 {
            // So small that each is a read of its own: the next chunk is written when the one before was read.
            for start in stride(from: 0, to: min(bytes.count, 1500), by: chunk) {
                await peer.write(Array(bytes[start..<min(start + chunk, bytes.count, 1500)]))
                await channel.loop.run {}
            }
            if bytes.count > 1500 { await peer.write(Array(bytes[1500...])) }
        } else {
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                await peer.write(Array(bytes[start..<min(start + chunk, bytes.count)]))
            }
        }
        #expect(await received == packets)
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func packetsOfOneReadAreDeliveredTogether(_ reading: ReadingLoop)
        async throws
    {
        let (descriptor, peer) = try PlainSocket.pair(packets: false)
        let packets = [Packets.event(1, length: 3), Packets.event(2, length: 3), Packets.acl(3, length: 10)]
        await peer.write(packets.flatMap { $0 })
        let channel = await TestChannel.make(on: reading.loop) {
            StreamChannel(.unix, descriptor: descriptor, name: "test", loop: $0)
        }
        var events = channel.events.makeIterator()
        for packet in packets { #expect(await events.next() == .packet(packet)) }
        #expect(await channel.turns() == 1)
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func nothingIsLostBeforeThereIsADelegate(_ reading: ReadingLoop) async throws
    {
        let loop = reading.loop
        let (descriptor, peer) = try PlainSocket.pair(packets: false)
        let held = await loop.run {
            LoopBound<any HCIChannel>(
                confined: StreamChannel(.unix, descriptor: descriptor, name: "test", loop: loop),
                loop: loop)
        }
        await peer.write(Packets.reset)
        await loop.run {}
        let channel = await TestChannel.make(on: loop) { _ in held.value }
        #expect(await channel.events.packets(1) == [Packets.reset])
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func nothingIsLostBetweenTwoDelegates(_ reading: ReadingLoop) async throws {
        let loop = reading.loop
        let (channel, peer) = try await makeChannel(reading)
        await peer.write(Packets.reset)
        #expect(await channel.events.packets(1) == [Packets.reset])
        await channel.stopListening()
        let packets = [Packets.event(1, length: 3), Packets.acl(3, length: 10)]
        await peer.write(packets[0])
        // A loop that reads by itself has read it.
        await loop.run {}
        await loop.run {}
        await peer.write(packets[1])
        peer.shutDown()
        await channel.listenAgain()
        var events = channel.events.makeIterator()
        var seen: [ChannelEvents.Event] = []
        while let event = await events.next() {
            seen.append(event)
            if case .closed = event { break }
        }
        #expect(seen == packets.map { .packet($0) } + [.closed(.closedByPeer("test"))])
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func aFramingErrorEndsTheChannel(_ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        await peer.write(Packets.reset + [0x47, 0x45, 0x54])
        var events = channel.events.makeIterator()
        #expect(await events.next() == .packet(Packets.reset))
        let end = await events.next()
        guard case .closed(.desynchronised("test", let reason)) = end else {
            Issue.record("\(String(describing: end))")
            return
        }
        #expect(reason.contains("0x47"))
        #expect(await peer.read().isEmpty)
    }

    @Test(arguments: ReadingLoop.allCases) func closingByThePeerEndsTheChannel(_ reading: ReadingLoop) async throws {
        let (channel, peer) = try await makeChannel(reading)
        await peer.write(Packets.reset)
        peer.shutDown()
        #expect(await channel.events.packets(1) == [Packets.reset])
        #expect(await channel.events.end() == .closedByPeer("test"))
        // Sending is harmless from now on.
        await channel.send(Packets.reset)
    }

    @Test(arguments: ReadingLoop.allCases) func sendingToAClosedPeerIsAnErrorWithoutASignal(_ reading: ReadingLoop)
        async throws
    {
        let (descriptor, peer) = try PlainSocket.pair(packets: false)
        peer.shutDown()
        let channel = await TestChannel.make(on: reading.loop) { loop in
            let channel = StreamChannel(.unix, descriptor: descriptor, name: "test", loop: loop)
            Packets.reset.withByteView { channel.send($0) }
            Packets.reset.withByteView { channel.send($0) }
            return channel
        }
        #expect(await channel.events.end() == .closedByPeer("test"))
    }

    @Test(arguments: ReadingLoop.allCases) func backPressureKeepsOrderAndIsReportedOnce(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        let packets = (0..<3000).map { Packets.acl($0, length: 500) }
        let isCongested = await channel.loop.run {
            for packet in packets { packet.withByteView { channel.channel.value.send($0) } }
            return channel.channel.value.isCongested
        }
        #expect(isCongested)
        let expected = packets.flatMap { $0 }
        async let drained: Void = channel.events.drain()
        #expect(await peer.read(exactly: expected.count) == expected)
        await drained
        #expect(await channel.loop.run { !channel.channel.value.isCongested })
        await channel.close()
    }

    @Test(arguments: ReadingLoop.allCases) func aPeerThatNeverReadsLosesTheChannel(_ reading: ReadingLoop) async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        await channel.loop.run {
            let packet = Packets.acl(1, length: 60_000)
            for _ in 0..<100 { packet.withByteView { channel.channel.value.send($0) } }
        }
        #expect(await channel.events.end() == .overflow("test"))
        _ = peer
    }

    @Test(arguments: ReadingLoop.allCases) func theDelegateMayCloseDuringARead(_ reading: ReadingLoop)
        async throws
    {
        let (channel, peer) = try await makeChannel(reading)
        let count = SharedCount()
        await channel.onPacket { channel, _ in
            count.add()
            channel.close()
        }
        await peer.write(Packets.reset + Packets.reset + Packets.reset)
        #expect(await peer.read().isEmpty)
        #expect(count.count == 1)
    }

    @Test(arguments: ReadingLoop.allCases) func aReleasedChannelClosesItsDescriptor(_ reading: ReadingLoop)
        async throws
    {
        let loop = reading.loop
        let (descriptor, peer) = try PlainSocket.pair(packets: false)
        await loop.run {
            let channel = StreamChannel(.unix, descriptor: descriptor, name: "test", loop: loop)
            _ = channel.isOpen
        }
        #expect(await peer.read().isEmpty)
    }
}
