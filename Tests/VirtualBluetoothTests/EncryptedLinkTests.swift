import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// The packets of an encrypted link over the air, their order, and the effect of a changed packet.
@Suite(.timeLimit(.minutes(2))) struct EncryptedLinkTests {
    private static let text = Array("the quick brown fox".utf8)

    /// The packets over the air, as the tap records them.
    private final class Recording {
        var packets: [(sender: LinkEnd.Role, pdu: LinkPDU)] = []

        func start(on stage: Stage) {
            stage.air.allLinks.first?.tap = { [self] pdu, sender in packets.append((sender, pdu)) }
        }

        /// Data of one side.
        func data(from role: LinkEnd.Role) -> [[UInt8]] {
            packets.filter { $0.sender == role && $0.pdu.header != 3 }.map(\.pdu.payload)
        }

        /// First bytes of control packets: the opcode where it can be read.
        var control: [String] {
            packets.filter { $0.pdu.header == 3 }.map { packet in
                (packet.sender == .central ? "C " : "P ") + packet.pdu.payload.prefix(1).hexText()
                    + " \(packet.pdu.payload.count)"
            }
        }

        func contains(_ text: [UInt8]) -> Bool {
            packets.contains { $0.pdu.payload.hexText().contains(text.hexText()) }
        }
    }

    @Test func plaintextIsVisibleAndCiphertextIsNot() async {
        await Theatre.linked().run { stage in
            let recording = Recording()
            recording.start(on: stage)
            stage.hosts[0].acl(0x40, Self.text)
            #expect(recording.contains(Self.text))
            #expect(stage.hosts[1].takeACL().count == 1)
            stage.encrypt()
            recording.packets = []
            for (index, host) in stage.hosts.enumerated() {
                host.acl(0x40, Self.text)
                host.acl(0x40, Self.text, boundary: 1)
                let other = stage.hosts[1 - index]
                let hex = Self.text.hexText()
                #expect(other.takeACL() == ["0240201300" + hex, "0240101300" + hex])
            }
            #expect(!recording.contains(Self.text))
            let payloads = recording.packets.map(\.pdu.payload)
            #expect(payloads.map(\.count) == [23, 23, 23, 23])
            // The same plaintext is encrypted differently each time.
            #expect(Set(payloads).count == 4)
            #expect(recording.packets.map(\.pdu.header) == [2, 1, 2, 1])
        }
    }

    @Test func packetsOfTheProcedures() async {
        await Theatre.linked().run { stage in
            let recording = Recording()
            recording.start(on: stage)
            stage.encrypt()
            #expect(recording.control.prefix(3) == ["C 03 23", "P 04 13", "P 05 1"])
            // The last two are encrypted.
            #expect(recording.control.dropFirst(3).map { $0.suffix(1) } == ["5", "5"])
            recording.packets = []
            stage.encrypt()
            // Two encrypted packets of the pause, and the same with other random numbers.
            #expect(recording.control.prefix(2).map { $0.suffix(1) } == ["5", "5"])
            #expect(recording.control[2..<6] == ["C 0B 1", "C 03 23", "P 04 13", "P 05 1"])
            #expect(recording.control.count == 8)
            _ = stage.hosts.map { $0.take() }
            // The PDU that reports the missing key names the rejected PDU.
            stage.hosts[0].command(.disconnect, "4000 13")
            stage.link()
            recording.start(on: stage)
            recording.packets = []
            stage.hosts[0].command(.leEnableEncryption, "41" + Stage.enableEncryption.dropFirst(2))
            stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4100")
            #expect(recording.packets.last?.pdu.payload == bytes("11 03 06"))
        }
    }

    /// A changed bit in any part, in either direction: the receiver disconnects, and the other side detects the loss.
    @Test(arguments: [0, 5, 18, 19, 22]) func oneByteChanged(index: Int) async {
        for sender in [0, 1] {
            let theatre = await Theatre.encrypted()
            await theatre.run { stage in
                stage.hosts[sender].acl(0x40, Self.text)
                #expect(stage.hosts[1 - sender].takeACL().count == 1)
                stage.air.allLinks.first?.tap = { pdu, _ in pdu.payload[index] ^= 1 }
                stage.hosts[sender].acl(0x40, Self.text)
                #expect(stage.hosts[1 - sender].take() == ["04050400 4000 3D".without])
                #expect(stage.hosts[sender].takeACL() == [])
                stage.hosts[sender].acl(0x40, Self.text)
            }
            await theatre.advance(.seconds(5))
            await theatre.run { stage in
                #expect(stage.hosts[sender].takeEvents().last == "05 00 4000 08".without)
                #expect(stage.hosts[1 - sender].take() == [])
                #expect(stage.air.allLinks.isEmpty)
                // All credits are back.
                #expect(stage.hosts[sender].controller.outstandingPackets == 0)
            }
        }
    }

    @Test func duplicateAndMissingPacketsEndTheLink() async {
        for drops in [true, false] {
            await Theatre.encrypted().run { stage in
                var old: LinkPDU?
                stage.air.allLinks.first?.tap = { pdu, _ in
                    if let old, !drops { pdu = old }
                    if old == nil, drops { pdu.payload = [] }
                    old = pdu
                }
                stage.hosts[0].acl(0x40, Self.text)
                stage.hosts[0].acl(0x40, Self.text)
                #expect(stage.hosts[1].takeEvents().last == "05 00 4000 3D".without)
            }
        }
    }

    /// An unencrypted packet in place of an encrypted one, and a start of encryption that is changed in transit.
    @Test func unexpectedPacketsEndTheLink() async {
        await Theatre.encrypted().run { stage in
            stage.air.allLinks.first?.tap = { pdu, _ in pdu.payload = Self.text }
            stage.hosts[0].acl(0x40, [1])
            #expect(stage.hosts[1].take() == ["04050400 4000 3D".without])
        }
        for (opcode, victim) in [(UInt8(0x03), 1), (0x04, 0), (0x05, 0)] {
            await Theatre.linked().run { stage in
                stage.air.allLinks.first?.tap = { pdu, _ in
                    if pdu.payload.first == opcode { pdu.payload = [0x06] }
                }
                stage.encrypt()
                #expect(stage.hosts[victim].takeEvents().last == "05 00 4000 3D".without, "\(opcode)")
                #expect(stage.hosts[1 - victim].takeEvents().last?.hasPrefix("05") != true)
            }
        }
        // Another random number gives other keys: the first encrypted packet cannot be read.
        await Theatre.linked().run { stage in
            stage.air.allLinks.first?.tap = { pdu, _ in
                if pdu.payload.first == 0x04 { pdu.payload[3] ^= 1 }
            }
            stage.encrypt()
            #expect(stage.hosts[1].takeEvents().last == "05 00 4000 3D".without)
        }
    }

    @Test func dataWaitUntilEncryptionHasStarted() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            let recording = Recording()
            recording.start(on: stage)
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            central.acl(0x40, [1])
            central.command(.leEnableEncryption, Stage.enableEncryption)
            for number in 2...4 {
                central.acl(0x40, [UInt8(number)])
                peripheral.acl(0x40, [UInt8(0x10 + number)])
            }
            #expect(peripheral.takeACL() == ["024020010001"])
            #expect(central.takeACL() == [])
            peripheral.command(.leLongTermKeyRequestReply, "4000" + Stage.key)
            for number in 5...6 { central.acl(0x40, [UInt8(number)]) }
            #expect(recording.data(from: .central) == [[1]])
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == (2...6).map { "02402001000\($0)" })
            #expect(stage.hosts[0].takeACL() == (2...4).map { "02402001001\($0)" })
        }
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents().last == "13 01 4000 0500".without)
            #expect(stage.hosts[0].controller.outstandingPackets == 0)
        }
    }

    /// Without a key, the waiting data is sent in clear text: the hosts decide, not the controllers.
    @Test func dataThatWaitedForNothing() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Stage.enableEncryption)
            stage.hosts[0].acl(0x40, [1])
            stage.hosts[1].acl(0x40, [2])
            stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4000")
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == ["024020010001"])
            #expect(stage.hosts[0].takeACL() == ["024020010002"])
        }
    }

    /// On an air with a pace: five connection events, fragments on both sides of the start, and nothing out of order.
    @Test(arguments: [AirPace.connectionInterval, .connectionInterval(packetsPerEvent: 1)])
    func pace(_ pace: AirPace) async {
        let theatre = await Theatre.linked(pace: pace)
        let data = (0..<100).map { UInt8($0) }
        await theatre.run { stage in
            for host in stage.hosts { (0..<3).forEach { _ in host.acl(0x40, data) } }
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Stage.enableEncryption)
            for host in stage.hosts { host.acl(0x40, data) }
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            #expect(stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Stage.key) == "004000")
            for host in stage.hosts { host.acl(0x40, data) }
        }
        await theatre.advance(.milliseconds(89))
        let started = bytes("04080400400001")
        await theatre.run { #expect(!$0.hosts[0].packets.contains(started)) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].packets.contains(started))
            #expect(stage.air.allLinks.first?.isEncrypted == true)
        }
        await theatre.advance(.seconds(2))
        // Repeated refreshes with different keys.
        for _ in 0..<20 {
            await theatre.run { stage in
                stage.hosts[0].command(.leEnableEncryption, Stage.enableEncryption)
                for host in stage.hosts { host.acl(0x40, data) }
            }
            await theatre.advance(.milliseconds(300))
            await theatre.run { stage in
                stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Stage.key)
                for host in stage.hosts { host.acl(0x40, data) }
            }
            await theatre.advance(.milliseconds(600))
        }
        await theatre.run { stage in
            #expect(stage.air.allLinks.first?.isEncrypted == true)
            for host in stage.hosts {
                let received = host.takeACL().flatMap { bytes($0).dropFirst(5) }
                #expect(received == (0..<45).flatMap { _ in data })
                #expect(host.controller.outstandingPackets == 0)
            }
        }
    }

    @Test func longPacketsAndSlowReaders() async {
        var configuration = VirtualControllerConfiguration()
        configuration.aclPacketLength = 60_000
        let theatre = Theatre(configuration: configuration)
        await theatre.run { stage in
            stage.hosts[1].command(.hostBufferSize, "1B00 00 0200 0000")
            stage.hosts[1].command(.setControllerToHostFlowControl, "01")
            stage.link()
            stage.encrypt()
            _ = stage.hosts.map { $0.take() }
            let data = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
            stage.hosts[0].acl(0x40, data)
            #expect(stage.hosts[1].takeACL().flatMap { bytes($0).dropFirst(5) } == data)
            stage.hosts[0].acl(0x40, [1])
            #expect(stage.hosts[1].takeACL() == [])
            stage.hosts[1].command(.hostNumberOfCompletedPackets, "01 4000 FFFF")
        }
        await theatre.advance(.zero)
        await theatre.run { #expect($0.hosts[1].takeACL() == ["024020010001"]) }
    }
}
