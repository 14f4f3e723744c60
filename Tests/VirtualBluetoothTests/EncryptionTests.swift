import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

@Suite struct EncryptionTests {
    private static let key = "000102030405060708090A0B0C0D0E0F"
    private static let enable = "4000 1122334455667788 99AA" + key

    @Test func sameKeys() async {
        await Theatre.linked().run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            #expect(peripheral.command(.leEnableEncryption, Self.enable) == "[0C]")
            #expect(central.command(.leEnableEncryption, Self.enable) == "[00]")
            #expect(central.command(.leEnableEncryption, Self.enable) == "[0C]")
            #expect(peripheral.takeEvents() == ["3E 05 4000 1122334455667788 99AA".without])
            #expect(central.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "0C4000")
            #expect(peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "004000")
            for host in stage.hosts { #expect(host.takeEvents() == ["08 00 4000 01".without]) }
            #expect(stage.air.allLinks.first?.isEncrypted == true)
            #expect(peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key) == "0C4000")

            // A second time renews the key.
            central.command(.leEnableEncryption, Self.enable)
            _ = peripheral.take()
            peripheral.command(.leLongTermKeyRequestReply, "4000" + Self.key)
            for host in stage.hosts { #expect(host.takeEvents() == ["30 00 4000".without]) }

            // And without the key the link is lost.
            central.command(.leEnableEncryption, Self.enable)
            _ = peripheral.take()
            peripheral.command(.leLongTermKeyRequestNegativeReply, "4000")
            for host in stage.hosts { #expect(host.takeEvents() == ["05 00 4000 06".without]) }
        }
    }

    @Test func differentKeys() async {
        await Theatre.linked().run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            _ = stage.hosts[1].take()
            #expect(
                stage.hosts[1].command(.leLongTermKeyRequestReply, "4000 FF" + Self.key.dropFirst(2)) == "004000")
            for host in stage.hosts { #expect(host.takeEvents() == ["05 00 4000 3D".without]) }
        }
    }

    @Test func noKey() async {
        await Theatre.linked().run { stage in
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            #expect(stage.hosts[1].command(.leLongTermKeyRequestNegativeReply, "4000") == "004000")
            #expect(stage.hosts[0].takeEvents() == ["08 06 4000 00".without])
            #expect(stage.hosts[0].controller.links.first?.isEncrypted == false)
            // A host that masks the question has no key either.
            stage.hosts[1].command(.leSetEventMask, "0000000000000000")
            stage.hosts[0].command(.leEnableEncryption, Self.enable)
            #expect(stage.hosts[0].takeEvents() == ["08 06 4000 00".without])
        }
    }

    @Test func noAnswer() async {
        let theatre = await Theatre.linked()
        await theatre.run { $0.hosts[0].command(.leEnableEncryption, Self.enable) }
        await theatre.advance(.seconds(40))
        await theatre.run { #expect($0.hosts[0].takeEvents() == ["05 00 4000 22".without]) }
    }

    @Test func peerWithoutEncryption() async {
        var plain = VirtualControllerConfiguration()
        plain.features.remove(.encryption)
        await Theatre(hosts: 1).run { [plain] stage in
            stage.add(plain)
            stage.link()
            #expect(stage.hosts[0].command(.leEnableEncryption, Self.enable) == "[1A]")
            #expect(stage.hosts[1].command(.leEncrypt, String(repeating: "00", count: 32)) == "[01]")
        }
    }
}
