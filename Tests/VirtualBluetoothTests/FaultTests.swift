import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct FaultTests {
    /// Returns the number of reports of 100 events with these losses.
    private static func reports(advertising: Double, report: Double, seed: UInt64) async -> [Int] {
        let theatre = Theatre(seed: seed)
        await theatre.run { stage in
            stage.hosts[0].controller.faults.reportLoss = report
            stage.hosts[1].controller.faults.advertisingLoss = advertising
            stage.hosts[1].advertise()
            stage.hosts[0].command(.leSetScanEnable, "0100")
        }
        var counts: [Int] = []
        for _ in 0..<4 {
            await theatre.advance(.seconds(5))
            counts.append(await theatre.run { $0.hosts[0].take().count })
        }
        return counts
    }

    @Test func lossOfReports() async {
        #expect(await Self.reports(advertising: 0, report: 1, seed: 1) == [0, 0, 0, 0])
        #expect(await Self.reports(advertising: 1, report: 0, seed: 1) == [0, 0, 0, 0])
        let half = await Self.reports(advertising: 0.5, report: 0, seed: 1)
        #expect((60...140).contains(half.reduce(0, +)))
        // The same seed, the same run.
        #expect(await Self.reports(advertising: 0.5, report: 0, seed: 1) == half)
        #expect(await Self.reports(advertising: 0.5, report: 0, seed: 2) != half)
    }

    @Test func delay() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[1].controller.faults.delay = .milliseconds(10)
            stage.air.allLinks.first?.faults.delay = .milliseconds(5)
            stage.hosts[0].acl(0x40, [1])
            stage.hosts[0].acl(0x40, [2])
        }
        await theatre.advance(.milliseconds(14))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == [])
            #expect(stage.hosts[0].take() == [])
            stage.hosts[0].acl(0x40, [3])
        }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == ["024020010001", "024020010002"])
            #expect(stage.hosts[0].take() == ["041305 01 4000 0200".without])
        }
        await theatre.advance(.milliseconds(14))
        await theatre.run { #expect($0.hosts[1].takeACL() == ["024020010003"]) }
    }

    @Test func aPeerThatStopsSending() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[1].controller.faults.isSilent = true
            stage.hosts[0].acl(0x40, [1])
            stage.hosts[0].command(.leReadRemoteFeatures, "4000")
        }
        await theatre.advance(.milliseconds(4999))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.take() == []) } }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.takeEvents() == ["05 00 4000 08".without]) } }
    }

    @Test func silenceShorterThanTheSupervisionTimeout() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.air.allLinks.first?.faults.isSilent = true
            stage.hosts[0].acl(0x40, [1])
        }
        await theatre.advance(.milliseconds(4000))
        await theatre.run { stage in
            #expect(stage.hosts[1].take() == [])
            stage.air.allLinks.first?.faults.isSilent = false
        }
        await theatre.advance(.seconds(10))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeACL() == ["024020010001"])
            #expect(stage.air.allLinks.count == 1)
        }
    }

    @Test func disconnectingFromASilentPeer() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[1].controller.faults.isSilent = true
            stage.hosts[0].command(.disconnect, "4000 13")
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 16".without])
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 08".without])
        }
    }

    @Test func outOfRange() async {
        let theatre = await Theatre.linked()
        await theatre.run { $0.hosts[1].controller.position = AirPosition(x: 200) }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            stage.hosts.forEach { #expect($0.takeEvents() == ["05 00 4000 08".without]) }
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
        }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == [])
            stage.hosts[1].controller.position = AirPosition(x: 20)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeEvents().count == 2) }
    }

    @Test func disconnectionAtAPacket() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].controller.faults.link.disconnectAtPacket = 3
            stage.hosts[1].controller.faults.link.disconnectReason = .micFailure
            stage.link()
            _ = stage.hosts.map { $0.take() }
            stage.hosts[0].acl(0x40, [1])
            stage.hosts[1].acl(0x40, [2])
            stage.hosts[0].acl(0x40, [3])
            #expect(stage.hosts[1].take() == ["024020010001", "04050400 4000 3D".without])
            #expect(stage.hosts[0].take() == ["024020010002", "04050400 4000 3D".without])
        }
    }

    @Test func failedEstablishment() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[0].controller.faults.failedEstablishments = 2
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
            #expect(stage.hosts[0].takeEvents().count == 2)
            #expect(stage.hosts[0].command(.leReadRemoteFeatures, "4000") == "[00]")
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 3E".without])
            #expect(stage.hosts[1].take() == [])
            #expect(stage.hosts[1].controller.isAdvertising)
            stage.hosts[0].controller.faults.establishmentFailure = .connectionComplete
            stage.hosts[0].connect(to: stage.hosts[1])
            let events = stage.hosts[0].takeEvents()
            #expect(events.count == 1)
            #expect(events.first?.hasPrefix("3E 0A 3E 0000 00".without) == true)
            // And the third attempt works.
            stage.hosts[0].connect(to: stage.hosts[1])
            #expect(stage.hosts[0].takeEvents().first?.hasPrefix("3E 0A 00".without) == true)
            #expect(stage.hosts[0].controller.faults.failedEstablishments == 0)
        }
    }

    @Test func pacedFailureTakesSixIntervals() async {
        let theatre = Theatre(pace: .connectionInterval)
        await theatre.run { stage in
            stage.hosts[1].controller.faults.failedEstablishments = 1
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
        }
        await theatre.advance(.milliseconds(179))
        await theatre.run { #expect($0.hosts[0].takeEvents().count == 2) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { #expect($0.hosts[0].takeEvents() == ["05 00 4000 3E".without]) }
    }

    @Test func anUnresponsiveController() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[0].controller.faults.answersCommands = false
            #expect(stage.hosts[0].command(.leRand) == "")
            #expect(stage.hosts[0].command(.reset) == "")
            stage.hosts[0].acl(0x40, [1])
            #expect(stage.hosts[1].takeACL().count == 1)
            stage.hosts[0].controller.faults.answersCommands = true
            #expect(stage.hosts[0].command(.leRand) != "")
        }
    }

    @Test func powerOff() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[1].controller.powerOff()
            #expect(stage.hosts[1].command(.reset) == "")
            #expect(!stage.hosts[1].controller.isPoweredOn)
        }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 08".without])
            #expect(stage.hosts[1].take() == [])
            stage.hosts[1].controller.powerOn()
            #expect(stage.hosts[1].command(.reset) == "00")
        }
    }

    @Test func removedControllerStaysOff() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            let controller = stage.hosts[1].controller
            controller.air.remove(controller)
            controller.powerOn()
            #expect(!controller.isPoweredOn)
            #expect(stage.hosts[1].command(.reset) == "")
        }
    }
}
