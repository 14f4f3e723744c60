import BluetoothCipher
import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// Private addresses of advertisers, as scanners report them.
@Suite(.timeLimit(.minutes(2))) struct PrivacyTests {
    /// Core 6.0, Vol 3, Part H, D.7.
    @Test func sampleData() throws {
        let key = try #require(IdentityResolvingKey(littleEndian: bytes(Stage.keys[0])))
        #expect(key.hash(0x708194) == 0x0DFBAA)
        #expect(key.resolves(BluetoothAddress(value: 0x7081_940D_FBAA, kind: .random)))
        #expect(!key.resolves(BluetoothAddress(value: 0x7081_950D_FBAA, kind: .random)))
        #expect(IdentityResolvingKey(littleEndian: [UInt8](repeating: 0, count: 16)) == nil)
        var generator = AirGenerator(seed: 5)
        for _ in 0..<100 {
            let address = key.makeAddress(using: &generator)
            #expect(address.randomKind == .resolvablePrivate)
            #expect(key.resolves(address))
        }
    }

    @Test func advertisersAreResolved() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            stage.hosts[0].scan()
            stage.hosts[2].scan()
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            // A host with the key receives the identity address, with a type that shows that it was resolved.
            #expect(stage.hosts[0].takeAdvertisers() == ["02" + stage.hosts[1].address])
            let seen = stage.hosts[2].takeAdvertisers()
            #expect(seen.count == 1)
            #expect(seen[0].hasPrefix("01"))
            let own = stage.hosts[1].command(.leReadLocalResolvableAddress, "00" + stage.hosts[0].address)
            #expect("01" + own.dropFirst(2) == seen[0])
            #expect(stage.hosts[0].command(.leReadPeerResolvableAddress, "00" + stage.hosts[1].address) == own)
        }
    }

    @Test func nothingIsResolvedUnlessEnabled() async {
        let theatre = await Theatre.introduced(resolving: false)
        await theatre.run { stage in
            stage.hosts[0].scan()
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            // The advertiser's address is private in any case.
            #expect(stage.hosts[0].takeAdvertisers().first?.hasPrefix("01") == true)
            let peer = "00" + stage.hosts[1].address
            #expect(stage.hosts[0].command(.leReadPeerResolvableAddress, peer) == "02000000000000")
        }
    }

    @Test func addressesChangeWithTime() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            #expect(stage.hosts[1].command(.leSetResolvablePrivateAddressTimeout, "0A00") == "00")
            stage.hosts[0].scan()
            stage.hosts[2].scan()
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
        }
        await theatre.advance(.milliseconds(9900))
        await theatre.run { #expect($0.hosts[2].takeAdvertisers().count == 1) }
        await theatre.advance(.milliseconds(10_000))
        await theatre.run { #expect($0.hosts[2].takeAdvertisers().count == 2) }
        await theatre.advance(.seconds(30))
        await theatre.run { stage in
            #expect(stage.hosts[2].takeAdvertisers().count == 4)
            #expect(stage.hosts[0].takeAdvertisers() == ["02" + stage.hosts[1].address])
        }
    }

    /// A known device is one device to the filter, under each of its addresses.
    @Test func duplicates() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            stage.hosts[1].command(.leSetResolvablePrivateAddressTimeout, "0100")
            for host in [stage.hosts[0], stage.hosts[2]] { host.command(.leSetScanEnable, "0101") }
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(10))
        await theatre.run { stage in
            #expect(stage.hosts[0].take().count == 1)
            #expect(stage.hosts[2].take().count >= 9)
        }
    }

    /// Without an entry, or without a key in it, the device is reported with its own address.
    @Test func addressesWithoutAKey() async {
        let theatre = Theatre(hosts: 2)
        await theatre.run { stage in
            let zeros = String(repeating: "0", count: 32)
            stage.hosts[0].scan()
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
            let peer = "00" + stage.hosts[0].address
            let entry = peer + Stage.keys[0] + zeros
            #expect(stage.hosts[1].command(.leAddDeviceToResolvingList, entry) == "00")
            #expect(stage.hosts[1].command(.leReadLocalResolvableAddress, peer) == "02000000000000")
            // Any number of entries may do without a key.
            for number in 1...3 {
                let other = "00 01020304050\(number)" + zeros + zeros
                #expect(stage.hosts[1].command(.leAddDeviceToResolvingList, other) == "00")
            }
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeAdvertisers() == ["00" + stage.hosts[1].address])
            // A random address has to be there for the case that there is no key.
            stage.hosts[1].advertise(own: "03", to: stage.hosts[0])
            #expect(!stage.hosts[1].controller.isAdvertising)
            stage.hosts[1].command(.leSetRandomAddress, "0102030405C6")
            stage.hosts[1].advertise(own: "03", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeAdvertisers() == ["010102030405C6"]) }
    }

    @Test func randomIdentities() async {
        let theatre = Theatre(hosts: 2)
        await theatre.run { stage in
            stage.hosts[1].command(.leSetRandomAddress, "0102030405C6")
            stage.hosts[1].command(
                .leAddDeviceToResolvingList, "00 \(stage.hosts[0].address)" + Stage.keys[0] + Stage.keys[1])
            stage.hosts[0].command(.leAddDeviceToResolvingList, "01 0102030405C6" + Stage.keys[1] + Stage.keys[0])
            stage.hosts[0].command(.leSetAddressResolutionEnable, "01")
            stage.hosts[0].scan()
            stage.hosts[1].advertise(own: "03", to: stage.hosts[0])
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeAdvertisers() == ["030102030405C6"]) }
    }

    /// In network privacy mode a peer that has a key must use it; in device privacy mode it need not.
    @Test func privacyModes() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            stage.hosts[0].scan()
            stage.hosts[1].advertise()
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].takeAdvertisers() == [])
            stage.hosts[0].command(.leSetScanEnable, "0000")
            #expect(stage.hosts[0].command(.leSetPrivacyMode, "00 \(stage.hosts[1].address) 01") == "00")
            stage.hosts[0].scan()
        }
        await theatre.advance(.seconds(1))
        await theatre.run { #expect($0.hosts[0].takeAdvertisers() == ["00" + $0.hosts[1].address]) }
    }

    @Test func scanRequests() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let host = stage.hosts[1]
            // A scannable legacy set that reports scan requests.
            let parameters = "01 1200 A00000 A00000 07 02 00 \(stage.hosts[0].address) 00 7F 01 00 01 00 01"
            #expect(host.command(.leSetExtendedAdvertisingParameters, parameters) == "0000")
            host.command(.leSetExtendedScanResponseData, "01 03 01 02 01FF")
            host.command(.leSetExtendedAdvertisingEnable, "01 01 01 0000 00")
            stage.hosts[0].scan(own: "02", active: true)
        }
        await theatre.advance(.milliseconds(150))
        await theatre.run { stage in
            let identity = "02" + stage.hosts[0].address
            let requests = stage.hosts[1].takeEvents().filter { $0.hasPrefix("3E13") }
            #expect(requests.first == "3E 13 01".without + identity)
            // The response is from the same device.
            let reports = stage.hosts[0].takeEvents()
            #expect(reports.contains { $0.hasPrefix("3E 02 01 04 02".without + stage.hosts[1].address) })
            // A scan request of an unknown device is reported with the address in the packet.
            stage.hosts[0].command(.leSetScanEnable, "0000")
            stage.hosts[2].scan(active: true)
        }
        await theatre.advance(.milliseconds(150))
        await theatre.run { stage in
            let requests = stage.hosts[1].takeEvents().filter { $0.hasPrefix("3E13") }
            #expect(requests.last == "3E 13 01 00".without + stage.hosts[2].address)
            // And the known one is ignored when it shows its identity.
            stage.hosts[2].command(.leSetScanEnable, "0000")
            stage.hosts[0].scan(own: "00", active: true)
        }
        await theatre.advance(.milliseconds(250))
        await theatre.run { stage in
            #expect(stage.hosts[1].takeEvents().filter { $0.hasPrefix("3E13") } == [])
            #expect(!stage.hosts[0].takeEvents().isEmpty)
        }
    }
}
