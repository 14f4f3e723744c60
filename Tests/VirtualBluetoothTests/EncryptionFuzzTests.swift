import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// Links with random events: data, encryption with correct and wrong keys, silence, changes of pace.
@Suite(.timeLimit(.minutes(5))) struct EncryptionFuzzTests {
    /// The log of one run.
    private final class Log {
        /// Numbers of the packets that each host sent and got.
        var sent: [UInt16] = [0, 0]
        var received: [[UInt16]] = [[], []]
        /// Commands that were accepted, and events that answered them.
        var started = 0
        var finished = 0
        /// Data that crossed in the clear and must not have.
        var leaks = 0
        var isConnected = [true, true]
        private var wasEncrypted = [false, false]

        func take(from stage: Stage) {
            for (index, host) in stage.hosts.enumerated() {
                for packet in host.takePackets() {
                    if packet[0] == 2 {
                        received[index].append(UInt16(packet[5]) | UInt16(packet[6]) << 8)
                    } else if packet[1] == 0x05 {
                        isConnected[index] = false
                    } else if index == 0, packet[1] == 0x08 || packet[1] == 0x30 {
                        finished += 1
                    }
                }
            }
        }

        func watch(_ link: VirtualLink) {
            link.tap = { [unowned self, unowned link] pdu, sender in
                let end = sender == .central ? link.central : link.peripheral
                if end.transmitCipher != nil { wasEncrypted[Int(sender.rawValue)] = true }
                // Once encrypted, always encrypted, also while the key changes.
                guard pdu.header != LinkPDU.Kind.control.rawValue, wasEncrypted[Int(sender.rawValue)] else { return }
                // Packets have 20 bytes and are not cut; all but two of them are the same.
                if pdu.payload.count != 24 || pdu.payload.suffix(8).prefix(4) == [7, 7, 7, 7] { leaks += 1 }
            }
        }
    }

    private static func step(_ stage: Stage, _ log: Log, _ generator: inout AirGenerator) {
        let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
        switch generator.next() % 16 {
        case 0..<6:
            let index = Int(generator.next() % 2)
            guard stage.hosts[index].controller.outstandingPackets < 16, log.isConnected[index] else { return }
            let number = log.sent[index]
            log.sent[index] += 1
            let head = [UInt8(number & 0xFF), UInt8(number >> 8)]
            stage.hosts[index].acl(0x40, head + [UInt8](repeating: 7, count: 18))
        case 6, 7:
            if central.command(.leEnableEncryption, Stage.enableEncryption) == "[00]" { log.started += 1 }
        case 8, 9, 10: peripheral.command(.leLongTermKeyRequestReply, "4000" + Stage.key)
        case 11: if generator.next() % 4 == 0 { peripheral.command(.leLongTermKeyRequestNegativeReply, "4000") }
        case 12:
            if generator.next() % 8 == 0 {
                peripheral.command(.leLongTermKeyRequestReply, "4000 FF" + Stage.key.dropFirst(2))
            }
        case 13: stage.air.pace = generator.next() % 2 == 0 ? .unpaced : .connectionInterval
        case 14: stage.air.allLinks.first?.faults.isSilent = generator.next() % 2 == 0
        default: central.command(.leReadRemoteFeatures, "4000")
        }
    }

    @Test(arguments: 0..<12) func everythingAtAnyTime(seed: UInt64) async {
        let theatre = await Theatre.linked(pace: seed % 2 == 0 ? .unpaced : .connectionInterval)
        // Both are touched on the loop of the theatre only, whose steps are awaited one by one.
        nonisolated(unsafe) let log = Log()
        nonisolated(unsafe) var generator = AirGenerator(seed: seed)
        await theatre.run { stage in
            if let link = stage.air.allLinks.first { log.watch(link) }
        }
        for _ in 0..<250 {
            let pause = await theatre.run { stage in
                for _ in 0..<4 { Self.step(stage, log, &generator) }
                log.take(from: stage)
                return Int(generator.next() % 100)
            }
            await theatre.advance(.milliseconds(pause))
        }
        // The remaining links end.
        await theatre.run { $0.air.allLinks.first?.faults.isSilent = false }
        await theatre.advance(.seconds(50))
        await theatre.run { stage in
            log.take(from: stage)
            #expect(log.leaks == 0)
            for index in 0..<2 {
                let other = log.received[1 - index]
                #expect(other == (0..<UInt16(other.count)).map { $0 })
                #expect(stage.hosts[index].controller.outstandingPackets == 0)
                // A link that does not end loses no packet.
                if log.isConnected == [true, true] { #expect(other.count == Int(log.sent[index])) }
            }
            #expect(log.finished <= log.started)
            if log.isConnected[0] { #expect(log.finished == log.started) }
            #expect(log.isConnected[0] == log.isConnected[1])
        }
    }
}
