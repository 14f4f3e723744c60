import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualTransport

@testable import BluetoothTransport

@Suite(.timeLimit(.minutes(2))) struct InProcessChannelTests {
    private let loop = RadioLoop(clock: .manual())

    /// The objects of a test on the loop: an air, a controller on it, and the host's channel.
    private final class Bench {
        let air: VirtualAir
        let controller: VirtualController
        let channel: InProcessChannel
        var closes = 0

        init(_ loop: RadioLoop) {
            air = VirtualAir(loop: loop)
            controller = air.makeController()
            channel = InProcessChannel(controller: controller, name: "virtual:test")
        }
    }

    private static func completes(_ packet: [UInt8], _ opcode: [UInt8]) -> Bool {
        packet.count == 7 && Array(packet[..<3]) == [4, 0x0E, 4] && Array(packet[4..<6]) == opcode && packet[6] == 0
    }

    @Test func commandsAreAnsweredAndNeverInsideTheCall() async {
        let loop = loop
        let bench = await loop.run { LoopBound(confined: Bench(loop), loop: loop) }
        let channel = await TestChannel.make(on: loop) { _ in bench.value.channel }
        let before = await loop.run {
            let before = bench.value.controller.counters.commands
            for _ in 0..<3 { Packets.reset.withByteView { channel.channel.value.send($0) } }
            return bench.value.controller.counters.commands - before
        }
        #expect(before == 0)
        var events = channel.events.makeIterator()
        for _ in 0..<3 {
            guard case .packet(let packet) = await events.next() else {
                Issue.record("no answer")
                return
            }
            #expect(Self.completes(packet, [0x03, 0x0C]), "\(packet)")
        }
    }

    @Test func packetsBeforeTheDelegateAreBuffered() async {
        let loop = loop
        let bench = await loop.run {
            let bench = Bench(loop)
            Packets.reset.withByteView { bench.channel.send($0) }
            return LoopBound(confined: bench, loop: loop)
        }
        await loop.run {}
        let channel = await TestChannel.make(on: loop) { _ in bench.value.channel }
        #expect(await channel.events.packets(1).first.map { Self.completes($0, [0x03, 0x0C]) } == true)
    }

    @Test func aDelegateMaySendAndCloseInsideItsCallback() async {
        let loop = loop
        let bench = await loop.run { LoopBound(confined: Bench(loop), loop: loop) }
        let channel = await TestChannel.make(on: loop) { _ in bench.value.channel }
        let count = SharedCount()
        await channel.onPacket { channel, _ in
            count.add()
            if count.count == 5 {
                channel.close()
            } else {
                Packets.reset.withByteView { channel.send($0) }
                Packets.reset.withByteView { channel.send($0) }
            }
        }
        await channel.send(Packets.reset)
        _ = await channel.events.packets(5)
        await loop.run {}
        #expect(count.count == 5)
        #expect(await loop.run { bench.value.controller.transmit == nil })
    }

    @Test func aLargeBurstReportsCongestionAndDrains() async {
        let loop = loop
        let bench = await loop.run { LoopBound(confined: Bench(loop), loop: loop) }
        let channel = await TestChannel.make(on: loop) { _ in bench.value.channel }
        let states = await loop.run {
            let inner = channel.channel.value
            let before = inner.isCongested
            for _ in 0..<20_000 { Packets.reset.withByteView { inner.send($0) } }
            return (before, inner.isCongested)
        }
        #expect(states == (false, true))
        await channel.events.drain()
        #expect(await loop.run { !channel.channel.value.isCongested })
    }

    @Test func closingIsReportedOnce() async {
        let count = SharedCount()
        let loop = loop
        await loop.run {
            let air = VirtualAir(loop: loop)
            let controller = air.makeController()
            let channel = InProcessChannel(controller: controller) {
                air.remove(controller)
                count.add()
            }
            #expect(channel.name == "virtual:\(controller.publicAddress)")
            channel.close()
            channel.close()
            #expect(air.controllers.isEmpty)
        }
        #expect(count.count == 1)
    }
}
