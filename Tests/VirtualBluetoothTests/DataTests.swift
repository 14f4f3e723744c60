import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct DataTests {
    @Test func boundariesAndCompletions() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            central.acl(0x40, [1, 2], boundary: 0)
            central.acl(0x40, [3], boundary: 1)
            central.acl(0x40, [4], boundary: 2)
            #expect(peripheral.takeACL() == ["02402002000102", "024010010003", "024020010004"])
            peripheral.acl(0x40, [5])
            #expect(central.takeACL() == ["024020010005"])
            // Completions come together at the end of the turn.
            #expect(central.take() == [])
        }
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == ["041305 01 4000 0300".without])
            #expect(stage.hosts[1].take() == ["041305 01 4000 0100".without])
        }
    }

    @Test func invalidPacketsAreDropped() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            let host = stage.hosts[0]
            let before = host.controller.counters.droppedPackets
            host.acl(0x41, [1])
            host.acl(0x40, [1], boundary: 3)
            host.send("02 4000 0200 01")
            #expect(host.controller.counters.droppedPackets == before + 3)
            // These two use a credit, which is returned.
            host.acl(0x40, [])
            host.acl(0x40, [UInt8](repeating: 0, count: 252))
            #expect(host.controller.counters.droppedPackets == before + 5)
            #expect(stage.hosts[1].takeACL() == [])
        }
        await theatre.run { #expect($0.hosts[0].take() == ["041305 01 4000 0200".without]) }
    }

    @Test func packetsBeyondTheBuffersAreDropped() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            for number in 0..<17 { stage.hosts[0].acl(0x40, [UInt8(number)]) }
            #expect(stage.hosts[0].take() == ["041A0101"])
            #expect(stage.hosts[1].takeACL().count == 16)
        }
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == ["041305 01 4000 1000".without])
            stage.hosts[0].acl(0x40, [99])
            #expect(stage.hosts[1].takeACL().count == 1)
        }
    }

    @Test func disconnectionReturnsEverything() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            for _ in 0..<16 { stage.hosts[0].acl(0x40, [1]) }
            stage.hosts[0].command(.disconnect, "4000 13")
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 16".without])
        }
        await theatre.run { stage in
            // A link that has ended reports no completions, and the next one has all credits.
            #expect(stage.hosts[0].take() == [])
            stage.link()
            _ = stage.hosts.map { $0.take() }
            for _ in 0..<16 { stage.hosts[0].acl(0x41, [1]) }
            #expect(stage.hosts[1].takeACL().count == 16)
        }
    }

    @Test func hostFlowControl() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let receiver = stage.hosts[1]
            #expect(receiver.command(.setControllerToHostFlowControl, "01") == "0C")
            #expect(receiver.command(.hostBufferSize, "1A00 00 0200 0000") == "12")
            #expect(receiver.command(.hostBufferSize, "1B00 00 0200 0000") == "00")
            #expect(receiver.command(.setControllerToHostFlowControl, "01") == "00")
            stage.link()
            _ = stage.hosts.map { $0.take() }
            // 30 bytes are two packets of the receiver, so only the first one fits.
            stage.hosts[0].acl(0x40, (0..<30).map { UInt8($0) })
            stage.hosts[0].acl(0x40, [77])
            let head = (0..<27).map { UInt8($0) }.hexText()
            #expect(receiver.takeACL() == ["0240201B00" + head, "0240100300" + "1B1C1D"])
        }
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == ["041305 01 4000 0100".without])
            #expect(stage.hosts[1].command(.hostNumberOfCompletedPackets, "01 4000 0200") == "")
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == ["02402001004D"])
            #expect(stage.hosts[0].take() == ["041305 01 4000 0100".without])
        }
    }

    @Test func aHostMayRespondInsideTheCallback() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            // Echoes all data inside the delivery, and sends commands to the controller meanwhile.
            peripheral.controller.transmit = { [unowned controller = peripheral.controller] packet in
                guard packet[0] == 2 else { return }
                var copy = packet.array
                copy[2] &= 0x0F
                copy.withByteView { controller.receive($0) }
                controller.raiseHardwareError(code: 1)
            }
            central.acl(0x40, [1])
            central.acl(0x40, [2])
            #expect(central.takeACL() == [])
        }
        await theatre.run { stage in
            #expect(stage.hosts[0].takeACL() == ["024020010001", "024020010002"])
        }
    }
}
