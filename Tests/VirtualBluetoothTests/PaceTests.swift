import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct PaceTests {
    /// 30 ms between two events, with the first at 0: events are at 30, 60, 90 ms.
    @Test func dataWaitsForTheNextEvent() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        await theatre.run { $0.hosts[0].acl(0x40, [1]) }
        await theatre.advance(.milliseconds(29))
        await theatre.run { stage in
            #expect(stage.hosts[1].take() == [])
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[1].take() == ["024020010001"])
            #expect(stage.hosts[0].take() == ["041305 01 4000 0100".without])
        }
        // Empty events cost nothing.
        await theatre.run { #expect($0.air.allLinks.first?.eventTimer.isArmed == false) }
    }

    @Test func packetsPerEvent() async {
        let theatre = await Theatre.linked(pace: .connectionInterval(packetsPerEvent: 3))
        await theatre.run { stage in
            for number in 0..<7 { stage.hosts[0].acl(0x40, [UInt8(number)]) }
            stage.hosts[1].acl(0x40, [0xAA])
        }
        for count in [3, 3, 1, 0] {
            await theatre.advance(.milliseconds(30))
            await theatre.run { #expect($0.hosts[1].takeACL().count == count) }
        }
        await theatre.run { #expect($0.hosts[0].takeACL() == ["0240200100AA"]) }
    }

    @Test func packetsAreFragmentedToTheDataLength() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        let data = (0..<60).map { UInt8($0) }
        await theatre.run { $0.hosts[0].acl(0x40, data) }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            #expect(
                stage.hosts[1].takeACL() == [
                    "0240201B00" + data[0..<27].hexText(), "0240101B00" + data[27..<54].hexText(),
                    "0240100600" + data[54..<60].hexText(),
                ])
            #expect(stage.hosts[0].take() == ["041305 01 4000 0100".without])
            stage.hosts[0].command(.leSetDataLength, "4000 FB00 4808")
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeEvents() == ["3E 07 4000 1B00 4801 FB00 4808".without])
            stage.hosts[0].acl(0x40, data)
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { #expect($0.hosts[1].takeACL() == ["0240203C00" + data.hexText()]) }
    }

    @Test func latencyDelaysTheCentral() async {
        // The peripheral attends every third event: 90 ms, 180 ms.
        let theatre = await Theatre.linked(pace: .connectionInterval, latency: "0200")
        await theatre.run { $0.hosts[0].acl(0x40, [1]) }
        await theatre.advance(.milliseconds(89))
        await theatre.run { #expect($0.hosts[1].takeACL() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { #expect($0.hosts[1].takeACL().count == 1) }
        // With data to send it attends the next event, and receives the central's data then.
        await theatre.run { stage in
            stage.hosts[0].acl(0x40, [2])
            stage.hosts[1].acl(0x40, [3])
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL().count == 1)
            #expect(stage.hosts[0].takeACL().count == 1)
        }
    }

    @Test func proceduresTakeConnectionEvents() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        await theatre.run { stage in
            stage.hosts[0].command(.leReadRemoteFeatures, "4000")
            // From 30 ms to 60 ms at an instant six events after the next.
            stage.hosts[0].command(.leConnectionUpdate, "4000 3000 3000 0000 F401 0000 0000")
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { #expect($0.hosts[0].takeEvents().count == 1) }
        await theatre.advance(.milliseconds(179))
        await theatre.run { #expect($0.hosts[0].take() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            for host in stage.hosts { #expect(host.takeEvents() == ["3E 03 00 4000 3000 0000 F401".without]) }
            stage.hosts[0].acl(0x40, [1])
        }
        await theatre.advance(.milliseconds(59))
        await theatre.run { #expect($0.hosts[1].take() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { #expect($0.hosts[1].takeACL().count == 1) }
    }

    @Test func disconnectionTakesAConnectionEvent() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        await theatre.run { stage in
            #expect(stage.hosts[0].command(.disconnect, "4000 13") == "[00]")
            #expect(stage.hosts[0].command(.disconnect, "4000 13") == "[0C]")
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 16".without])
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 13".without])
        }
    }

    @Test func thePaceMayChange() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        await theatre.run { stage in
            stage.hosts[0].acl(0x40, [1])
            stage.hosts[0].command(.leReadRemoteFeatures, "4000")
            stage.air.pace = .unpaced
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL().count == 1)
            #expect(stage.hosts[0].takeEvents().count == 2)
            stage.hosts[0].acl(0x40, [2])
            #expect(stage.hosts[1].takeACL().count == 1)
            stage.air.pace = .connectionInterval
            stage.hosts[0].acl(0x40, [3])
            #expect(stage.hosts[1].takeACL() == [])
        }
        await theatre.advance(.milliseconds(30))
        await theatre.run { #expect($0.hosts[1].takeACL().count == 1) }
    }
}
