import BluetoothModel
import Testing

@testable import BluetoothHost

/// Values that do not fit one packet.
@Suite struct LongValueTests {
    private let full = String(repeating: "11", count: 22)

    @Test func aFullResponseIsFollowedByBlobReads() {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        side.client.read(3, completion: outcome.view)
        side.link.receive("0B" + full)
        side.link.receive("0D" + full)
        side.link.receive("0D 2233")
        #expect(side.fake.take() == ["0A0300", "0C03001600", "0C03002C00"])
        #expect(outcome.hex == full + full + "2233")
    }

    @Test(arguments: ["0D", "01 0C 0300 0B", "01 0C 0300 07", "01 0C 0300 06"])
    func aValueThatFillsThePacketExactlyIsComplete(_ end: String) {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        side.client.read(3, completion: outcome.view)
        side.link.receive("0B" + full)
        side.link.receive(end)
        #expect(outcome.hex == full)
    }

    @Test func noPacketCarriesMoreThan512OctetsOfAValue() {
        let side = OneSide()
        side.agree(mtu: 517)
        _ = side.fake.take()
        // 514 octets would fit the packet.
        #expect(side.client.maximumWriteCommandLength == 512)
        #expect(side.link.serverSession.maximumUpdateLength == 512)
        for length in [513, 514] {
            let command = Outcome<Void>(), write = Outcome<Void>()
            let value = [UInt8](repeating: 0x11, count: length)
            side.client.writeCommand(3, value, completion: command.callAsFunction)
            side.client.write(3, value, completion: write.callAsFunction)
            for outcome in [command, write] {
                guard case .invalidArgument = outcome.error else {
                    Issue.record("\(outcome.results)")
                    return
                }
            }
        }
        #expect(side.fake.take().isEmpty)
    }

    /// The device is asked for the position of the part, and has to repeat it.
    @Test func aPartIsWrittenAtItsPosition() {
        let side = OneSide()
        let written = Outcome<Void>(), confused = Outcome<Void>(), beyond = Outcome<Void>()
        side.client.write(3, [0xAA, 0xBB], at: 5, completion: written.callAsFunction)
        side.link.receive("17 0300 0500 AABB")
        side.link.receive("19")
        #expect(side.fake.take() == ["1603000500AABB", "1801"])
        #expect(written.count == 1 && written.error == nil)
        side.client.write(3, [0xAA], at: 5, completion: confused.callAsFunction)
        side.link.receive("17 0300 0000 AA")
        #expect(side.fake.take() == ["1603000500AA", "1800"])
        guard case .invalidResponse = confused.error else {
            Issue.record("\(confused.results)")
            return
        }
        side.link.receive("19")
        side.client.write(3, [0xAA], at: 65535, completion: beyond.callAsFunction)
        guard case .invalidArgument = beyond.error else {
            Issue.record("\(beyond.results)")
            return
        }
        #expect(side.fake.take().isEmpty)
    }

    @Test func anErrorInTheMiddleIsTheResult() {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        side.client.read(3, completion: outcome.view)
        side.link.receive("0B" + full)
        side.link.receive("01 0C 0300 0E")
        #expect(outcome.error == .att(.unlikelyError, handle: 3))
    }

    @Test func anEndlessValueIsAnError() {
        let side = OneSide()
        let outcome = Outcome<[UInt8]>()
        side.client.read(3, completion: outcome.view)
        side.link.receive("0B" + full)
        var packets = 0
        while outcome.count == 0, packets < 100 {
            side.link.receive("0D" + full)
            packets += 1
        }
        guard case .invalidResponse = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
        #expect(packets == 23)
    }

    /// 512 octets in two full packets: nothing can follow, so there is no further request.
    @Test func theLongestValueEndsWithItsLastOctet() {
        let side = OneSide()
        side.agree(mtu: 257)
        let outcome = Outcome<[UInt8]>()
        let half = String(repeating: "AB", count: 256)
        side.client.read(3, completion: outcome.view)
        side.link.receive("0B" + half)
        #expect(side.fake.take() == ["0A0300", "0C03000001"])
        side.link.receive("0D" + half)
        #expect(outcome.hex == half + half && side.fake.take().isEmpty)
    }

    @Test func aLongReadFinishesBeforeLaterRequests() {
        let side = OneSide()
        let long = Outcome<[UInt8]>(), next = Outcome<[UInt8]>()
        side.client.read(3, completion: long.view)
        side.client.read(5, completion: next.view)
        side.link.receive("0B" + full)
        side.link.receive("0D")
        #expect(side.fake.take() == ["0A0300", "0C03001600", "0A0500"])
        #expect(long.hex == full && next.count == 0)
    }

    @Test func aLongWriteIsSentInVerifiedParts() {
        let side = OneSide()
        let outcome = Outcome<Void>()
        let value = [UInt8](0..<40)
        side.client.write(3, value, completion: outcome.callAsFunction)
        for _ in 0..<3 {
            let sent = side.fake.take()
            #expect(sent.count == 1 && sent[0].hasPrefix("160300"))
            side.link.receive("17" + sent[0].dropFirst(2))
        }
        #expect(side.fake.take() == ["1801"])
        side.link.receive("19")
        #expect(outcome.isSuccess)
    }

    @Test(arguments: ["17 0300 0000", "17 0400 0000", "17 0300 0100", "17 03", "17"])
    func aWrongPrepareResponseCancelsTheWrite(_ echo: String) {
        let side = OneSide()
        let outcome = Outcome<Void>(), next = Outcome<[UInt8]>()
        side.client.write(3, [UInt8](0..<40), completion: outcome.callAsFunction)
        side.client.read(9, completion: next.view)
        _ = side.fake.take()
        side.link.receive(echo)
        guard case .invalidResponse = outcome.error else {
            Issue.record("\(outcome.results)")
            return
        }
        #expect(side.fake.take() == ["1800"])
        side.link.receive("19")
        #expect(side.fake.take() == ["0A0900"])
    }

    @Test func acancelledLongWriteIsUndoneBeforeAnythingElse() {
        let side = OneSide()
        let outcome = Outcome<Void>(), next = Outcome<Void>()
        let id = side.client.write(3, [UInt8](0..<40), completion: outcome.callAsFunction)
        side.client.write(4, [UInt8](0..<40), completion: next.callAsFunction)
        let part = side.fake.take()[0]
        side.client.cancel(id)
        #expect(outcome.error == .cancelled && side.fake.take().isEmpty)
        side.link.receive("17" + part.dropFirst(2))
        #expect(side.fake.take() == ["1800"])
        side.link.receive("19")
        #expect(side.fake.take().first?.hasPrefix("160400") == true)
        #expect(outcome.count == 1)
    }

    @Test func aLongWriteThatIsCancelledInTheQueueSendsNothing() {
        let side = OneSide()
        let outcome = Outcome<Void>(), read = Outcome<[UInt8]>()
        side.client.read(9, completion: read.view)
        side.client.cancel(side.client.write(3, [UInt8](0..<40), completion: outcome.callAsFunction))
        side.link.receive("0B 01")
        #expect(outcome.error == .cancelled && read.hex == "01")
        #expect(side.fake.take() == ["0A0900"])
    }

    @Test func valuesAbove512OctetsAreRefusedLocally() {
        let side = OneSide()
        let write = Outcome<Void>(), command = Outcome<Void>()
        side.client.write(3, [UInt8](repeating: 0, count: 513), completion: write.callAsFunction)
        side.client.writeCommand(3, [UInt8](repeating: 0, count: 21), completion: command.callAsFunction)
        guard case .invalidArgument = write.error, case .invalidArgument = command.error else {
            Issue.record("\(write.results) \(command.results)")
            return
        }
        #expect(side.fake.take().isEmpty)
    }

    @Test func bothSidesCarry512Octets() throws {
        let server = GATTServer()
        let placed = try server.add(
            GATTServiceDefinition(
                uuid: "FFF0",
                characteristics: [
                    GATTCharacteristicDefinition(uuid: "FFF1", properties: [.read, .write], value: .kept([]))
                ]))
        let handle = placed.characteristics[0].valueHandle
        let sides = TwoSides(server: server)
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let write = Outcome<Void>(), read = Outcome<[UInt8]>()
        sides.client.write(handle, value, completion: write.callAsFunction)
        sides.client.read(handle, completion: read.view)
        sides.run()
        #expect(write.isSuccess)
        #expect(server.value(of: handle) == value && read.value == value)
    }

    @Test func reliableWritesAreAtomic() throws {
        let server = GATTServer()
        let both = GATTServiceDefinition(
            uuid: "FFF0",
            characteristics: [
                GATTCharacteristicDefinition(uuid: "FFF1", properties: [.read, .write], value: .kept([1])),
                GATTCharacteristicDefinition(uuid: "FFF2", properties: [.read], value: .kept([2])),
                GATTCharacteristicDefinition(uuid: "FFF3", properties: [.read, .write], value: .kept([3])),
            ])
        let handles = try server.add(both).characteristics.map(\.valueHandle)
        let sides = TwoSides(server: server)
        let refused = Outcome<Void>(), accepted = Outcome<Void>()
        sides.client.writeReliably([(handles[0], [9]), (handles[1], [9])], completion: refused.callAsFunction)
        sides.run()
        #expect(refused.error == .att(.writeNotPermitted, handle: handles[1]))
        #expect(server.value(of: handles[0]) == [1])
        sides.client.writeReliably([(handles[0], [8]), (handles[2], [7])], completion: accepted.callAsFunction)
        sides.run()
        #expect(accepted.isSuccess)
        #expect(server.value(of: handles[0]) == [8] && server.value(of: handles[2]) == [7])
    }
}
