import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// The start of encryption, its renewal, and its failure.
@Suite(.timeLimit(.minutes(2))) struct EncryptionTests {
    private static let key = Stage.key
    private static let enable = Stage.enableEncryption
    private static let wrongKey = "FF" + key.dropFirst(2)

    @Test func sameKeys() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            #expect(peripheral.command(.leEnableEncryption, Self.enable) == "[0C]")
            #expect(central.command(.leEnableEncryption, Self.enable) == "[00]")
            #expect(central.command(.leEnableEncryption, Self.enable) == "[0C]")
            #expect(peripheral.takeEvents() == ["3E 05 4000 1122334455667788 99AA".without])
            #expect(stage.air.allLinks.first?.isEncrypted == false)
            #expect(central.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "0C4000")
            #expect(peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "004000")
            for host in stage.hosts { #expect(host.takeEvents() == ["08 00 4000 01".without]) }
            #expect(stage.air.allLinks.first?.isEncrypted == true)
            #expect(peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "0C4000")
        }
    }

    @Test func refresh() async {
        let theatre = await Theatre.encrypted()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            let session = peripheral.controller.linkTable[0x40]?.transmitCipher
            // A second start refreshes the key, which may be a different one. The link is not encrypted during the
            // pause.
            #expect(central.command(.leEnableEncryption, Self.enable.dropLast(2) + "AA") == "[00]")
            #expect(stage.air.allLinks.first?.isEncrypted == false)
            #expect(central.command(.leEnableEncryption, Self.enable) == "[0C]")
            #expect(peripheral.takeEvents() == ["3E 05 4000 1122334455667788 99AA".without])
            peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key.dropLast(2) + "AA")
            for host in stage.hosts { #expect(host.takeEvents() == ["30 00 4000".without]) }
            #expect(stage.air.allLinks.first?.isEncrypted == true)
            #expect(peripheral.controller.linkTable[0x40]?.transmitCipher !== session)
            central.acl(0x40, [1])
            peripheral.acl(0x40, [2])
            #expect(peripheral.takeACL() == ["024020010001"])
            #expect(central.takeACL() == ["024020010002"])
        }
    }

    /// The link cannot return to the old key.
    @Test func refreshWithoutAKey() async {
        let theatre = await Theatre.encrypted()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
            #expect(stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4000") == "004000")
            for host in stage.hosts { #expect(host.takeEvents() == ["05 00 4000 06".without]) }
            #expect(stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4000") == "024000")
        }
    }

    /// The peripheral fails to decrypt the first packet and disconnects silently; the central receives nothing more.
    @Test func differentKeys() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
            #expect(stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.wrongKey) == "004000")
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 3D".without])
            #expect(stage.hosts[0].take() == [])
            #expect(stage.hosts[1].controller.links.isEmpty)
        }
        await theatre.advance(.milliseconds(4999))
        await theatre.run { #expect($0.hosts[0].take() == []) }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 08".without])
            #expect(stage.air.allLinks.isEmpty)
        }
    }

    @Test func differentKeysAtARefresh() async {
        let theatre = await Theatre.encrypted()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
            stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.wrongKey)
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 3D".without])
            // The central's host may disconnect earlier than its controller.
            #expect(stage.hosts[0].command(.disconnect, "4000 13") == "[00]")
            #expect(stage.hosts[0].take() == [])
        }
        await theatre.advance(.seconds(5))
        await theatre.run { #expect($0.hosts[0].takeEvents() == ["05 00 4000 16".without]) }
    }

    @Test func noKey() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            central.command(.leEnableEncryption, Self.enable)
            #expect(peripheral.command(.leLongTermKeyRequestNegativeReply, "4000") == "004000")
            #expect(peripheral.command(.leLongTermKeyRequestNegativeReply, "4000") == "0C4000")
            #expect(central.takeEvents() == ["08 06 4000 00".without])
            #expect(central.controller.links.first?.isEncrypted == false)
            // A host that masks the request for the key provides no key either.
            peripheral.command(.leSetEventMask, "0000000000000000")
            central.command(.leEnableEncryption, Self.enable)
            #expect(central.takeEvents() == ["08 06 4000 00".without])
            // The link continues.
            _ = peripheral.take()
            central.acl(0x40, [1])
            #expect(peripheral.takeACL() == ["024020010001"])
        }
    }

    @Test func noAnswer() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
        }
        await theatre.advance(.milliseconds(39_999))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.take() == []) } }
        await theatre.advance(.milliseconds(1))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.takeEvents() == ["05 00 4000 22".without]) } }
    }

    /// A link whose encryption started in time does not remember the clock that watched it.
    @Test func theEncryptionTimerStopsOnceEncryptionHasStarted() async {
        let theatre = await Theatre.encrypted()
        await theatre.advance(.seconds(100))
        await theatre.run { stage in
            stage.hosts.forEach { #expect($0.take() == []) }
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.key)
            _ = stage.hosts.map { $0.take() }
        }
        await theatre.advance(.seconds(100))
        await theatre.run { stage in stage.hosts.forEach { #expect($0.take() == []) } }
    }

    @Test func anUnresponsiveHostEndsTheLink() async {
        let theatre = await Theatre.linked(pace: .connectionInterval)
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            stage.hosts[1].controller.faults.isSilent = true
        }
        await theatre.advance(.seconds(5))
        await theatre.run { stage in
            stage.hosts.forEach { #expect($0.takeEvents() == ["05 00 4000 08".without]) }
            #expect(stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.key) == "024000")
        }
    }

    @Test func disconnectionDuringEncryption() async {
        await Theatre.linked().run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
            #expect(stage.hosts[1].command(.disconnect, "4000 13") == "[00]")
            #expect(stage.hosts[0].takeEvents() == ["05 00 4000 13".without])
            #expect(stage.hosts[1].takeEvents() == ["05 00 4000 16".without])
            #expect(stage.hosts[1].command(.leLongTermKeyRequestReply, "4000" + Self.key) == "024000")
            // Nothing of it is left on the next link.
            stage.link()
            _ = stage.hosts.map { $0.take() }
            #expect(stage.hosts[0].command(.leEnableEncryption, "41" + Self.enable.dropFirst(2)) == "[00]")
        }
    }

    @Test func powerOffDuringEncryption() async {
        let theatre = await Theatre.linked()
        await theatre.run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            stage.hosts[1].controller.powerOff()
        }
        await theatre.advance(.seconds(5))
        await theatre.run { #expect($0.hosts[0].takeEvents() == ["05 00 4000 08".without]) }
    }

    @Test(arguments: [true, false]) func peerWithoutEncryption(namesTheOpcode: Bool) async {
        var plain = VirtualControllerConfiguration()
        plain.features.remove(.encryption)
        if !namesTheOpcode { plain.features.remove(.extendedRejectIndication) }
        await Theatre(hosts: 1).run { [plain] stage in
            stage.add(plain)
            stage.link()
            _ = stage.hosts.map { $0.take() }
            let central = stage.hosts[0]
            // The other side refuses with Unsupported Remote Feature.
            #expect(central.command(.leEnableEncryption, Self.enable) == "[00]")
            #expect(central.takeEvents() == ["08 1A 4000 00".without])
            // Once the features are known, the peer is not asked again.
            central.command(.leReadRemoteFeatures, "4000")
            #expect(central.command(.leEnableEncryption, Self.enable) == "[1A]")
            #expect(stage.hosts[1].command(.leEncrypt, String(repeating: "00", count: 32)) == "[01]")
        }
    }

    @Test func secondVersionOfTheEvent() async {
        await Theatre.linked().run { stage in
            #expect(stage.hosts[0].command(.setEventMaskPage2, "0000000200000000") == "00")
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4000")
            #expect(stage.hosts[0].takeEvents() == ["59 06 4000 00 00".without])
            _ = stage.hosts[1].take()
            stage.encrypt()
            #expect(stage.hosts[0].takeEvents() == ["59 00 4000 01 10".without])
            #expect(stage.hosts[1].takeEvents() == ["08 00 4000 01".without])
            // The first version of the event has a separate mask bit.
            stage.hosts[1].command(.setEventMask, "0000000000000020")
            stage.hosts[0].command(.disconnect, "4000 13")
            stage.link()
            _ = stage.hosts.map { $0.take() }
            stage.hosts[0].command(.leEnableEncryption, "41" + Self.enable.dropFirst(2))
            stage.hosts[1].command(.leLongTermKeyRequestReply, "4100" + Self.key)
            #expect(stage.hosts[0].takeEvents() == ["59 00 4100 01 10".without])
            #expect(stage.hosts[1].takeEvents() == ["3E 05 4100 1122334455667788 99AA".without])
        }
    }

    @Test func aHostMayRequestParametersMeanwhile() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            let wish = "2000 2800 0200 E803"
            peripheral.command(.leConnectionUpdate, "4000 \(wish) 0000 0000")
            _ = central.take()
            stage.encrypt()
            #expect(central.takeEvents() == ["08 00 4000 01".without])
            _ = peripheral.take()
            central.command(.leRemoteConnectionParameterRequestReply, "4000 \(wish) 0000 0000")
            for host in stage.hosts { #expect(host.takeEvents() == ["3E 03 00 4000 2800 0200 E803".without]) }
        }
    }
}
