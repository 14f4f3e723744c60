import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// When the commands about privacy are refused.
@Suite(.timeLimit(.minutes(2))) struct PrivacyCommandTests {
    /// Commands that change the list, with the identity of the other host.
    private static func changes(_ peer: TestHost) -> [(HCIOpcode, String)] {
        let keys = String(repeating: "77", count: 32)
        return [
            (.leAddDeviceToResolvingList, "00 AABBCCDDEEFF" + keys),
            (.leSetPrivacyMode, "00 \(peer.address) 01"),
            (.leRemoveDeviceFromResolvingList, "00 AABBCCDDEEFF"),
            (.leClearResolvingList, ""),
        ]
    }

    @Test(arguments: [0, 1, 2]) func commandsAreRefusedDuringAdvertisingScanningOrInitiating(activity: Int) async {
        for resolving in [true, false] {
            let theatre = await Theatre.introduced(resolving: resolving)
            await theatre.run { stage in
                let (host, peer) = (stage.hosts[0], stage.hosts[1])
                switch activity {
                case 0: host.advertise()
                case 1: host.scan()
                default: host.connect(own: "00", to: peer)
                }
                for isOn in ["00", "01"] { #expect(host.command(.leSetAddressResolutionEnable, isOn) == "0C") }
                // Without resolution the list is not in use.
                for (opcode, parameters) in Self.changes(peer) {
                    #expect(host.command(opcode, parameters) == (resolving ? "0C" : "00"), "\(opcode)")
                }
                #expect(host.command(.leSetResolvablePrivateAddressTimeout, "8403") == "00")
                switch activity {
                case 0: host.command(.leSetAdvertisingEnable, "00")
                case 1: host.command(.leSetScanEnable, "0000")
                default: host.command(.leCreateConnectionCancel)
                }
                if resolving {
                    for (opcode, parameters) in Self.changes(peer) {
                        #expect(host.command(opcode, parameters) == "00", "\(opcode)")
                    }
                }
                #expect(host.command(.leSetAddressResolutionEnable, "00") == "00")
            }
        }
    }

    @Test func commandsAreAcceptedDuringALink() async {
        await Theatre.linked().run { stage in
            let host = stage.hosts[0]
            #expect(host.command(.leSetAddressResolutionEnable, "01") == "00")
            let entry = "00 \(stage.hosts[1].address)" + Stage.keys[1] + Stage.keys[0]
            #expect(host.command(.leAddDeviceToResolvingList, entry) == "00")
        }
    }

    @Test func resetClearsTheResolvingList() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            stage.hosts[0].start()
            let peer = "00" + stage.hosts[1].address
            #expect(stage.hosts[0].command(.leRemoveDeviceFromResolvingList, peer) == "02")
            stage.hosts[0].scan()
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeAdvertisers().first?.hasPrefix("01") == true) }
    }

    @Test func aControllerWithoutPrivacy() async {
        var old = VirtualControllerConfiguration()
        old.features.remove(.privacy)
        await Theatre(hosts: 2, configuration: old).run { stage in
            let (host, peer) = (stage.hosts[0], stage.hosts[1])
            #expect(host.command(.leReadLocalSupportedFeatures) == "00 BF59 0000 0000 0000".without)
            let mask = Array(bytes(host.command(.readLocalSupportedCommands)).dropFirst()).withByteView {
                HCISupportedCommands($0)
            }
            let commands: [HCIOpcode] = [
                .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
                .leReadResolvingListSize, .leReadPeerResolvableAddress, .leReadLocalResolvableAddress,
                .leSetAddressResolutionEnable, .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode,
            ]
            for opcode in commands {
                #expect(host.command(opcode, "00") == "[01]")
                #expect(!mask.contains(opcode))
            }
            #expect(
                host.command(.leSetAdvertisingParameters, "A000 A000 00 02 00 \(peer.address) 07 00") == "11")
            #expect(host.command(.leSetScanParameters, "00 1000 1000 03 00") == "11")
            #expect(host.connect(own: "02", to: peer) == "[11]")
            host.command(.reset)
            let parameters = "01 1300 A00000 A00000 07 02 00 \(peer.address) 00 7F 01 00 01 00 00"
            #expect(host.command(.leSetExtendedAdvertisingParameters, parameters) == "1100")
            #expect(host.command(.leSetExtendedScanParameters, "02 00 01 00 1000 1000") == "11")
        }
    }
}
