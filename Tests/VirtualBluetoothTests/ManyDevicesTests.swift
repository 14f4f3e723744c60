import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct ManyDevicesTests {
    @Test func hundredLinks() async {
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 200
        configuration.aclPacketCount = 255
        let theatre = Theatre(hosts: 101, configuration: configuration)
        await theatre.run { stage in
            let central = stage.hosts[0]
            for peripheral in stage.hosts.dropFirst() {
                peripheral.advertise()
                #expect(central.connect(to: peripheral) == "[00]")
            }
            #expect(central.controller.links.count == 100)
            _ = stage.hosts.map { $0.take() }
            for index in 0..<100 {
                central.acl(UInt16(0x40 + index), [UInt8(index)])
                stage.hosts[index + 1].acl(0x40, [UInt8(index), 1])
            }
            #expect(central.takeACL().count == 100)
            for index in 0..<100 {
                #expect(stage.hosts[index + 1].takeACL() == ["0240200100" + [UInt8(index)].hexText()])
            }
        }
        await theatre.run { stage in
            // 100 links do not fit in one event.
            let events = stage.hosts[0].takeEvents()
            #expect(events.map { $0.prefix(4) } == ["133F", "1325"])
            for index in 0..<100 { stage.hosts[index + 1].command(.disconnect, "4000 13") }
            #expect(stage.hosts[0].take().count == 100)
            #expect(stage.air.allLinks.isEmpty)
        }
    }

    @Test func thousandConnectionsLeakNothing() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            var handles: Set<UInt16> = []
            weak var last: VirtualLink?
            for _ in 0..<1000 {
                peripheral.advertise()
                central.connect(to: peripheral)
                guard let link = central.controller.links.first else {
                    Issue.record("no link")
                    return
                }
                last = link
                handles.insert(link.centralHandle)
                let handle = [UInt8(link.centralHandle & 0xFF), UInt8(link.centralHandle >> 8)].hexText()
                central.acl(link.centralHandle, [1])
                central.command(.disconnect, handle + "13")
                _ = central.take()
                _ = peripheral.take()
            }
            #expect(handles.count == 1000)
            #expect(last == nil)
            #expect(stage.air.allLinks.isEmpty)
            #expect(stage.air.advertisers.isEmpty)
            #expect(stage.air.initiators.isEmpty)
            #expect(central.controller.outstandingPackets == 0)
        }
    }

    @Test func handlesWrapAround() async {
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 3776
        await Theatre(hosts: 2, configuration: configuration).run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            for _ in 0..<3777 {
                peripheral.advertise()
                central.connect(to: peripheral)
                guard let handle = central.controller.links.first?.centralHandle else {
                    Issue.record("no link")
                    return
                }
                #expect((0x40...0x0EFF).contains(handle))
                central.command(.disconnect, [UInt8(handle & 0xFF), UInt8(handle >> 8)].hexText() + "13")
                _ = central.take()
                _ = peripheral.take()
            }
        }
    }

    @Test func removedControllersDisappearFromTheAir() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            weak var controller: VirtualController?
            do {
                let host = stage.hosts.removeLast()
                controller = host.controller
                stage.air.remove(host.controller)
                host.controller.transmit = nil
            }
            // The link waits for its supervision timeout, and retains its controller.
            #expect(controller != nil)
            #expect(stage.air.controllers.count == 1)
        }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 08".without])
            #expect(stage.air.allLinks.isEmpty)
            stage.air.close()
            #expect(stage.air.controllers.isEmpty)
        }
    }

    /// The same seed and clock result in identical packets for all listeners.
    @Test func runsWithTheSameSeedAreIdentical() async {
        func record(seed: UInt64) async -> [[String]] {
            let theatre = Theatre(hosts: 20, seed: seed)
            await theatre.run { stage in
                for host in stage.hosts.dropFirst(2) { host.advertise() }
                for host in stage.hosts[0...1] {
                    host.controller.faults.reportLoss = 0.2
                    host.command(.leSetScanParameters, "01 1000 1000 00 00")
                    host.command(.leSetScanEnable, "0100")
                }
            }
            await theatre.advance(.seconds(2))
            return await theatre.run { stage in stage.hosts.map { $0.take() } }
        }
        let first = await record(seed: 7)
        #expect(first[0].count > 300)
        #expect(await record(seed: 7) == first)
        #expect(await record(seed: 8) != first)
    }
}
