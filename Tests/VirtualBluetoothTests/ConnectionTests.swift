import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
    @Test func legacyConnection() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[1].advertise()
            #expect(stage.hosts[0].connect(to: stage.hosts[1]) == "[00]")
            let rest = "000000000000 000000000000 1800 0000 F401 00"
            #expect(
                stage.hosts[0].takeEvents() == [
                    "3E 0A 00 4000 00 00 020000414802 \(rest)".without, "3E 14 4000 01".without,
                ])
            #expect(
                stage.hosts[1].takeEvents() == [
                    "3E 0A 00 4000 01 00 010000414802 \(rest)".without, "3E 14 4000 01".without,
                ])
            #expect(!stage.hosts[1].controller.isAdvertising)
            #expect(stage.hosts[0].controller.links.count == 1)
        }
    }

    @Test func theLegacyEventIsSentIfTheEnhancedOneIsMasked() async {
        let theatre = Theatre()
        await theatre.run { stage in
            stage.hosts[0].command(.leSetEventMask, "1F00000000000000")
            stage.hosts[1].command(.leSetEventMask, "0000000000000000")
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
            #expect(
                stage.hosts[0].takeEvents() == ["3E 01 00 4000 00 00 020000414802 1800 0000 F401 00".without])
            #expect(stage.hosts[1].takeEvents() == [])
        }
    }

    @Test func extendedConnectionOn2M() async {
        let theatre = Theatre()
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(
                .leSetExtendedAdvertisingParameters,
                ExtendedAdvertisingTests.parameters("02", "0100", own: "01", secondary: "02"))
            host.command(.leSetAdvertisingSetRandomAddress, "02 0102030405C6")
            host.command(.leSetExtendedAdvertisingEnable, "01 01 02 0000 00")
        }
        await theatre.advance(.milliseconds(150))
        await theatre.run { stage in
            let layer = "6000 3000 1800 2800 0100 F401 0000 0000"
            stage.hosts[0].command(.leSetRandomAddress, "AA02030405C6")
            #expect(
                stage.hosts[0].command(.leExtendedCreateConnection, "00 01 01 0102030405C6 03 \(layer) \(layer)")
                    == "[00]")
            let rest = "000000000000 000000000000 2800 0100 F401 00"
            #expect(stage.hosts[0].takeEvents().first == "3E 0A 00 4000 00 01 0102030405C6 \(rest)".without)
            let events = stage.hosts[1].takeEvents()
            #expect(events.count == 3)
            #expect(events.first == "3E 0A 00 4000 01 01 AA02030405C6 \(rest)".without)
            #expect(events.last == "3E 12 00 02 4000 02".without)
            #expect(stage.hosts[0].command(.leReadPHY, "4000") == "0040000202")
        }
    }

    @Test func cancel() async {
        let theatre = Theatre()
        await theatre.run { stage in
            #expect(stage.hosts[0].command(.leCreateConnectionCancel) == "0C")
            stage.hosts[0].connect(to: stage.hosts[1])
            #expect(stage.hosts[0].connect(to: stage.hosts[1]) == "[0C]")
            #expect(stage.hosts[0].command(.leSetRandomAddress, "0102030405C6") == "0C")
            #expect(stage.hosts[0].controller.isInitiating)
            #expect(stage.hosts[0].command(.leCreateConnectionCancel) == "00")
            #expect(
                stage.hosts[0].takeEvents()
                    == ["3E 0A 02 0000 00 00" + String(repeating: "00", count: 25)].map(\.without))
            stage.hosts[1].advertise()
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == [])
            #expect(stage.hosts[1].controller.isAdvertising)
        }
    }

    @Test func waitsForTheAdvertiser() async {
        let theatre = Theatre(pace: .connectionInterval)
        await theatre.run { stage in
            stage.hosts[0].connect(to: stage.hosts[1])
            stage.hosts[1].advertise()
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.zero)
        await theatre.run { #expect($0.hosts[0].takeEvents().count == 2) }
    }

    @Test func acceptListConnectsAnAdvertisingDevice() async {
        let theatre = Theatre(hosts: 4)
        await theatre.run { stage in
            let central = stage.hosts[0]
            stage.hosts[1].advertise()
            for host in stage.hosts[2...3] { central.command(.leAddDeviceToAcceptList, "00 \(host.address)") }
            let create = "6000 3000 01 00 000000000000 00 1800 1800 0000 F401 0000 0000"
            #expect(central.command(.leCreateConnection, create) == "[00]")
            #expect(central.command(.leClearAcceptList) == "0C")
            #expect(central.take() == [])
            stage.hosts[3].advertise()
        }
        await theatre.advance(.zero)
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents().first?.hasPrefix("3E 0A 00 4000 00 00 040000414802".without) == true)
            #expect(stage.hosts[1].take() == [])
        }
    }

    @Test func advertisersChoose() async {
        let theatre = Theatre(hosts: 3)
        await theatre.run { stage in
            let host = stage.hosts[1]
            host.command(.leSetAdvertisingParameters, "A000 A000 00 00 00 000000000000 07 02")
            host.command(.leAddDeviceToAcceptList, "00 \(stage.hosts[2].address)")
            host.command(.leSetAdvertisingEnable, "01")
            stage.hosts[0].connect(to: host)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == [])
            stage.hosts[2].connect(to: stage.hosts[1])
            #expect(stage.hosts[2].take().count == 2)
        }
    }

    @Test func notTwiceToTheSamePeer() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[1].advertise()
            #expect(stage.hosts[0].connect(to: stage.hosts[1]) == "[0B]")
        }
    }

    @Test func bothRolesAtOnce() async {
        let theatre = Theatre(hosts: 3)
        await theatre.run { stage in
            stage.hosts[1].advertise()
            stage.hosts[0].connect(to: stage.hosts[1])
            stage.hosts[2].advertise()
            stage.hosts[1].connect(to: stage.hosts[2])
            #expect(stage.hosts[1].controller.links.count == 2)
            _ = stage.hosts.map { $0.take() }
            stage.hosts[1].acl(0x41, [7])
            stage.hosts[1].acl(0x40, [8])
            #expect(stage.hosts[2].takeACL() == ["0240200100" + "07"])
            #expect(stage.hosts[0].takeACL() == ["0240200100" + "08"])
        }
        await theatre.run { stage in
            #expect(stage.hosts[1].takeEvents() == ["13 02 4100 0100 4000 0100".without])
        }
    }

    @Test func linkLimit() async {
        var configuration = VirtualControllerConfiguration()
        configuration.linkCount = 1
        let theatre = await Theatre.linked(configuration: configuration)
        await theatre.run { stage in
            let third = stage.add()
            third.advertise()
            #expect(stage.hosts[0].connect(to: third) == "[09]")
            stage.hosts[1].advertise()
            third.connect(to: stage.hosts[1])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[2].take() == [])
            // A new handle after the old one.
            stage.hosts[0].command(.disconnect, "4000 13")
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeEvents().first == "05 00 4000 13".without)
            #expect(stage.hosts[2].controller.links.first?.peripheralHandle == 0x41)
        }
    }

    @Test func wrongParameters() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            let peer = "00 00 020000414802"
            let wrong = [
                "0300 0300 \(peer) 00 1800 1800 0000 F401 0000 0000",
                "6000 6100 \(peer) 00 1800 1800 0000 F401 0000 0000",
                "6000 3000 \(peer) 00 0500 1800 0000 F401 0000 0000",
                "6000 3000 \(peer) 00 1800 1700 0000 F401 0000 0000",
                "6000 3000 \(peer) 00 1800 810C 0000 800C 0000 0000",
                "6000 3000 \(peer) 00 1800 1800 F401 800C 0000 0000",
                "6000 3000 \(peer) 00 1800 1800 0000 0900 0000 0000",
                "6000 3000 \(peer) 00 1800 1800 6300 F401 0000 0000",
                "6000 3000 \(peer) 01 1800 1800 0000 F401 0000 0000",
                "6000 3000 \(peer) 00 1800 1800 0000 F401 0100 0000",
                "6000 3000 02 00 020000414802 00 1800 1800 0000 F401 0000 0000",
            ]
            for parameters in wrong {
                #expect(host.command(.leCreateConnection, parameters) == "[12]", "\(parameters)")
            }
            host.start()
            let layer = "6000 3000 1800 1800 0000 F401 0000 0000"
            for phys in ["00", "02", "08", "03", "05"] {
                #expect(
                    host.command(.leExtendedCreateConnection, "00 00 00 020000414802 \(phys) \(layer)") == "[12]")
            }
        }
    }

    @Test func unknownHandles() async {
        await Theatre(hosts: 1).run { stage in
            let host = stage.hosts[0]
            let status: [(HCIOpcode, String)] = [
                (.disconnect, "4000 13"), (.readRemoteVersion, "4000"), (.leReadRemoteFeatures, "4000"),
                (.leConnectionUpdate, "4000 1800 1800 0000 F401 0000 0000"), (.leSetPHY, "4000 00 01 01 0000"),
                (.leEnableEncryption, "4000" + String(repeating: "00", count: 26)),
            ]
            for (opcode, parameters) in status { #expect(host.command(opcode, parameters) == "[02]") }
            let complete: [(HCIOpcode, String, String)] = [
                (.readRSSI, "4000", "02400000"), (.readTransmitPowerLevel, "4000 00", "02400000"),
                (.leReadChannelMap, "4000", "0240000000000000"), (.leReadPHY, "4000", "0240000000"),
                (.leSetDataLength, "4000 FB00 4808", "024000"),
                (.leLongTermKeyRequestReply, "4000" + String(repeating: "00", count: 16), "024000"),
                (.leLongTermKeyRequestNegativeReply, "4000", "024000"),
                (.leRemoteConnectionParameterRequestNegativeReply, "4000 3B", "024000"),
                (.readAuthenticatedPayloadTimeout, "4000", "0240000000"),
            ]
            for (opcode, parameters, answer) in complete { #expect(host.command(opcode, parameters) == answer) }
        }
    }

    @Test func disconnection() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            #expect(stage.hosts[1].command(.disconnect, "4000 16") == "[12]")
            #expect(stage.hosts[1].command(.disconnect, "4000 15") == "[00]")
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 16".without])
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 15".without])
            #expect(stage.air.allLinks.isEmpty)
            #expect(stage.hosts[0].command(.disconnect, "4000 13") == "[02]")
        }
    }

    @Test func aResetEndsTheLinkOfThePeerByItsSupervisionTimeout() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            #expect(stage.hosts[1].command(.reset) == "00")
            #expect(stage.hosts[1].controller.links.isEmpty)
        }
        await theatre.advance(.milliseconds(4999))
        await theatre.run { #expect($0.hosts[0].take() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 08".without])
            #expect(stage.hosts[1].take() == [])
            #expect(stage.air.allLinks.isEmpty)
        }
    }
}
