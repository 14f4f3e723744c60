import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
    private static let opcodes = CommandTable.all.values.sorted { $0.opcode.rawValue < $1.opcode.rawValue }

    /// Returns a random packet, usually a command that the controller supports with plausible parameters.
    private static func packet(_ generator: inout AirGenerator) -> [UInt8] {
        func byte(_ generator: inout AirGenerator) -> UInt8 {
            // Small numbers are valid more often than large ones.
            generator.next() % 3 == 0 ? UInt8(truncatingIfNeeded: generator.next()) : UInt8(generator.next() % 4)
        }
        switch generator.next() % 10 {
        case 0:
            return (0..<Int(generator.next() % 12)).map { _ in byte(&generator) }
        case 1, 2:
            let length = Int(generator.next() % 40)
            let handle = 0x40 + UInt16(generator.next() % 6)
            let flags = UInt16(generator.next() % 4) << 12
            let field = handle | flags
            return [2, UInt8(field & 0xFF), UInt8(field >> 8), UInt8(length), 0] + (0..<length).map { UInt8($0) }
        default:
            let command = opcodes[Int(generator.next() % UInt64(opcodes.count))]
            var length = command.lengths.lowerBound
            if generator.next() % 8 == 0 { length = Int(generator.next() % 256) }
            var parameters = (0..<length).map { _ in byte(&generator) }
            // Handles that exist, and intervals that are allowed.
            if length >= 2, generator.next() % 2 == 0 { (parameters[0], parameters[1]) = (0x40 + parameters[0] % 4, 0) }
            return [1, UInt8(command.opcode.rawValue & 0xFF), UInt8(command.opcode.rawValue >> 8), UInt8(length)]
                + parameters
        }
    }

    /// Gives one packet to a controller, which answers it once if it is a command, and counts it if it is nothing.
    private static func check(_ packet: [UInt8], on host: TestHost) {
        _ = host.take()
        let dropped = host.controller.counters.droppedPackets
        packet.withByteView { host.controller.receive($0) }
        let events = host.take()
        var answers = 0
        for event in events {
            #expect(bytes(event).withByteView { H4.isWholePacket($0) })
            if event.hasPrefix("040E") || event.hasPrefix("040F") { answers += 1 }
        }
        let isCommand = packet.count >= 4 && packet[0] == 1 && packet.count == 4 + Int(packet[3])
        let isSilent = isCommand && packet[1] == 0x35 && packet[2] == 0x0C
        if isCommand {
            #expect(answers == (isSilent ? 0 : 1), "\(packet.hexText()) \(events)")
        } else if packet.first != 2 {
            #expect(host.controller.counters.droppedPackets == dropped + 1)
        }
    }

    @Test(arguments: [AirPace.unpaced, .connectionInterval]) func randomPackets(pace: AirPace) async {
        let theatre = Theatre(hosts: 4, pace: pace, seed: 99)
        for round in 0..<15 {
            await theatre.run { stage in
                var generator = AirGenerator(seed: UInt64(round))
                // At least one activity always runs.
                for host in stage.hosts {
                    if generator.next() % 4 == 0 { host.start() }
                    host.command(.leSetAdvertisingEnable, "00")
                    host.advertise()
                }
                stage.hosts[0].connect(to: stage.hosts[1])
                stage.hosts[2].connect(to: stage.hosts[3])
                for _ in 0..<300 {
                    Self.check(Self.packet(&generator), on: stage.hosts[Int(generator.next() % 4)])
                }
            }
            await theatre.advance(.milliseconds(700))
        }
        // And it still works.
        await theatre.run { stage in
            for host in stage.hosts { host.start() }
            #expect(stage.hosts[0].command(.leRand).count == 18)
        }
        await theatre.advance(.seconds(60))
        await theatre.run { stage in
            #expect(stage.air.allLinks.isEmpty)
            #expect(stage.air.advertisers.isEmpty)
            #expect(stage.air.scanners.isEmpty)
        }
    }
}
