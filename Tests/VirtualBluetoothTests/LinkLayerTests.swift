import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct LinkLayerTests {
    @Test func remoteVersionAndFeatures() async {
        await Theatre.linked().run { stage in
            for host in stage.hosts {
                #expect(host.command(.readRemoteVersion, "4000") == "[00]")
                #expect(host.command(.leReadRemoteFeatures, "4000") == "[00]")
                #expect(
                    host.takeEvents() == [
                        "0C 00 4000 0D FFFF 0000".without, "3E 04 00 4000 FF59000000000000".without,
                    ])
            }
        }
    }

    @Test func readings() async {
        await Theatre.linked().run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.readRSSI, "4000") == "004000CE")
            stage.hosts[1].controller.position = AirPosition(x: 10)
            #expect(host.command(.readRSSI, "4000") == "004000B5")
            #expect(host.command(.readTransmitPowerLevel, "4000 00") == "00400000")
            #expect(host.command(.readTransmitPowerLevel, "4000 02") == "12400000")
            #expect(host.command(.leReadChannelMap, "4000") == "004000FFFFFFFF1F")
            #expect(host.command(.writeAuthenticatedPayloadTimeout, "4000 0000") == "124000")
            #expect(host.command(.writeAuthenticatedPayloadTimeout, "4000 6400") == "004000")
            #expect(host.command(.readAuthenticatedPayloadTimeout, "4000") == "0040006400")
        }
    }

    @Test func centralUpdatesParameters() async {
        await Theatre.linked().run { stage in
            #expect(stage.hosts[0].command(.leConnectionUpdate, "4000 2000 2800 0200 E803 0000 0000") == "[00]")
            for host in stage.hosts { #expect(host.takeEvents() == ["3E 03 00 4000 2800 0200 E803".without]) }
            #expect(stage.hosts[0].command(.leConnectionUpdate, "4000 2000 1F00 0000 E803 0000 0000") == "[12]")
            #expect(stage.air.allLinks.first?.parameters.intervalUnits == 0x28)
        }
    }

    @Test func peripheralRequestsParameters() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            let wish = "2000 2800 0200 E803"
            #expect(peripheral.command(.leConnectionUpdate, "4000 \(wish) 0000 0000") == "[00]")
            #expect(central.takeEvents() == ["3E 06 4000 \(wish)".without])
            #expect(peripheral.command(.leConnectionUpdate, "4000 \(wish) 0000 0000") == "[3A]")
            #expect(
                peripheral.command(.leRemoteConnectionParameterRequestReply, "4000 \(wish) 0000 0000") == "0C4000")
            #expect(central.command(.leRemoteConnectionParameterRequestReply, "4000 \(wish) 0000 0000") == "004000")
            for host in stage.hosts { #expect(host.takeEvents() == ["3E 03 00 4000 2800 0200 E803".without]) }
            #expect(
                central.command(.leRemoteConnectionParameterRequestReply, "4000 \(wish) 0000 0000") == "0C4000")

            peripheral.command(.leConnectionUpdate, "4000 1800 1800 0000 F401 0000 0000")
            _ = central.take()
            #expect(central.command(.leRemoteConnectionParameterRequestNegativeReply, "4000 3B") == "004000")
            #expect(peripheral.takeEvents() == ["3E 03 3B 4000 2800 0200 E803".without])
            #expect(central.take() == [])

            // A central that does not enable the request event.
            central.command(.leSetEventMask, "1F00000000000000")
            peripheral.command(.leConnectionUpdate, "4000 1800 1800 0000 F401 0000 0000")
            #expect(peripheral.takeEvents() == ["3E 03 1A 4000 2800 0200 E803".without])
        }
    }

    @Test func aHostThatNeverRespondsLosesTheLink() async {
        let theatre = await Theatre.linked()
        await theatre.run { $0.hosts[1].command(.leConnectionUpdate, "4000 1800 1800 0000 F401 0000 0000") }
        await theatre.advance(.seconds(39))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.take().count <= 1) } }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.takeEvents() == ["05 00 4000 22".without]) } }
    }

    @Test func peripheralWithoutTheProcedure() async {
        var old = VirtualControllerConfiguration()
        old.features.remove(.connectionParametersRequest)
        old.features.remove(.peripheralInitiatedFeaturesExchange)
        let theatre = Theatre(hosts: 1)
        await theatre.run { [old] stage in
            stage.add(old)
            stage.add(old)
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
            let update = "4000 1800 1800 0000 F401 0000 0000"
            #expect(stage.hosts[1].command(.leConnectionUpdate, update) == "[0C]")
            #expect(stage.hosts[1].command(.leReadRemoteFeatures, "4000") == "[0C]")
            stage.hosts[0].advertise()
            stage.hosts[2].connect(to: stage.hosts[0])
            let second = "4100 1800 1800 0000 F401 0000 0000"
            #expect(stage.hosts[0].command(.leConnectionUpdate, second) == "[1A]")
            #expect(stage.hosts[0].command(.leReadRemoteFeatures, "4100") == "[1A]")
        }
    }

    @Test func dataLength() async {
        await Theatre.linked().run { stage in
            #expect(stage.hosts[0].command(.leSetDataLength, "4000 1A00 4801") == "124000")
            #expect(stage.hosts[0].command(.leSetDataLength, "4000 FB00 4808") == "004000")
            #expect(stage.hosts[0].takeEvents() == ["3E 07 4000 FB00 4808 1B00 4801".without])
            #expect(stage.hosts[1].takeEvents() == ["3E 07 4000 1B00 4801 FB00 4808".without])
            // Nothing changes: only the requesting side receives an event.
            stage.hosts[0].command(.leSetDataLength, "4000 FB00 4808")
            #expect(stage.hosts[0].take().count == 1)
            #expect(stage.hosts[1].take() == [])
        }
    }

    @Test func suggestedDataLength() async {
        await Theatre().run { stage in
            stage.hosts[1].command(.leWriteSuggestedDefaultDataLength, "FB00 4808")
            stage.link()
            #expect(stage.hosts[0].takeEvents().last == "3E 07 4000 1B00 4801 FB00 4808".without)
            #expect(stage.hosts[1].takeEvents().last == "3E 07 4000 FB00 4808 1B00 4801".without)
        }
    }

    @Test func physicalLayers() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            #expect(central.command(.leReadPHY, "4000") == "0040000101")
            #expect(central.command(.leSetPHY, "4000 00 02 02 0000") == "[00]")
            for host in stage.hosts { #expect(host.takeEvents() == ["3E 0C 00 4000 02 02".without]) }
            // One direction only: the peripheral sends on 1M.
            #expect(central.command(.leSetPHY, "4000 01 00 01 0000") == "[00]")
            #expect(central.takeEvents() == ["3E 0C 00 4000 02 01".without])
            #expect(peripheral.takeEvents() == ["3E 0C 00 4000 01 02".without])
            #expect(central.command(.leSetPHY, "4000 01 00 01 0000") == "[00]")
            #expect(central.take().count == 1)
            #expect(peripheral.take() == [])
            #expect(central.command(.leSetPHY, "4000 00 00 01 0000") == "[12]")
            #expect(central.command(.leSetPHY, "4000 00 08 01 0000") == "[11]")
            #expect(central.command(.leSetDefaultPHY, "00 01 01") == "00")
            #expect(central.command(.leSetDefaultPHY, "00 08 01") == "11")
        }
    }

    @Test func defaultPHYsApplyToNewLinks() async {
        await Theatre().run { stage in
            stage.hosts[1].command(.leSetDefaultPHY, "00 01 01")
            stage.link()
            _ = stage.hosts.map { $0.take() }
            stage.hosts[0].command(.leSetPHY, "4000 00 02 02 0000")
            // The two sides have no common PHY, so nothing changes.
            #expect(stage.hosts[0].takeEvents() == ["3E 0C 00 4000 01 01".without])
        }
    }
}
