import BluetoothHCI
import BluetoothModel
import Testing

@testable import VirtualBluetooth

/// Connections between devices with private addresses.
@Suite(.timeLimit(.minutes(2))) struct PrivateConnectionTests {
    /// LE Enhanced Connection Complete up to the private addresses, taken apart.
    private struct Completion: Equatable {
        var peer: String
        var localPrivate: String
        var peerPrivate: String

        init?(_ events: [String]) {
            guard let event = events.first(where: { $0.hasPrefix("3E0A00") }) else { return nil }
            let fields = Array(event.dropFirst(12))
            peer = String(fields[0..<14])
            localPrivate = String(fields[14..<26])
            peerPrivate = String(fields[26..<38])
        }
    }

    private static let none = String(repeating: "0", count: 12)

    @Test func bothSidesUsePrivateAddresses() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            peripheral.advertise(own: "02", to: central)
            #expect(central.connect(own: "02", to: peripheral) == "[00]")
            let (first, second) = (Completion(central.takeEvents()), Completion(peripheral.takeEvents()))
            #expect(first?.peer == "02" + peripheral.address)
            #expect(second?.peer == "02" + central.address)
            #expect(first?.localPrivate == second?.peerPrivate)
            #expect(first?.peerPrivate == second?.localPrivate)
            #expect(first?.localPrivate != Self.none)
            #expect(first?.peerPrivate != Self.none)
            let own = central.command(.leReadLocalResolvableAddress, "00" + peripheral.address)
            #expect(first?.localPrivate == String(own.dropFirst(2)))
            // New private addresses of connected devices do not permit a second connection.
            peripheral.advertise(own: "02", to: central)
            #expect(central.connect(own: "02", to: peripheral) == "[0B]")
        }
    }

    @Test func oneSideUsesAPrivateAddress() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            for (host, peer) in [(central, peripheral), (peripheral, central)] {
                host.command(.leSetPrivacyMode, "00 \(peer.address) 01")
            }
            peripheral.advertise(own: "02", to: central)
            central.connect(own: "00", to: peripheral)
            let (first, second) = (Completion(central.takeEvents()), Completion(peripheral.takeEvents()))
            #expect(first?.peer == "02" + peripheral.address)
            #expect(first?.localPrivate == Self.none)
            #expect(second?.peer == "00" + central.address)
            #expect(second?.peerPrivate == Self.none)
            #expect(second?.localPrivate == first?.peerPrivate)
        }
    }

    @Test func networkPrivacyRequiresPrivateAddresses() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            // The central uses its identity address: the peripheral does not answer.
            peripheral.advertise(own: "02", to: central)
            central.connect(own: "00", to: peripheral)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            #expect(central.take() == [])
            central.command(.leCreateConnectionCancel)
            _ = central.take()
            // The peripheral uses its identity address: the central ignores it.
            peripheral.advertise(own: "00", to: central)
            central.connect(own: "02", to: peripheral)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            #expect(stage.hosts[0].take() == [])
            #expect(stage.hosts[1].take() == [])
            #expect(stage.hosts[0].controller.isInitiating)
        }
    }

    /// Accept lists hold identities.
    @Test func acceptLists() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            central.command(.leAddDeviceToAcceptList, "00" + peripheral.address)
            peripheral.command(.leAddDeviceToAcceptList, "00" + central.address)
            peripheral.advertise(own: "02", to: central, policy: "03")
            stage.hosts[2].advertise()
            central.scan(own: "02", policy: "01", active: true)
        }
        await theatre.advance(.seconds(1))
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            let events = central.takeEvents()
            #expect(events.contains { $0.hasPrefix("3E020104") })
            #expect(events.allSatisfy { $0.dropFirst(8).hasPrefix("02" + peripheral.address) })
            central.command(.leSetScanEnable, "0000")
            // A stranger gets no link.
            stage.hosts[2].connect(own: "00", to: peripheral)
            #expect(stage.hosts[2].take() == [])
            central.connect(own: "02", to: nil)
            #expect(Completion(central.takeEvents())?.peer == "02" + peripheral.address)
            #expect(Completion(peripheral.takeEvents())?.peer == "02" + central.address)
        }
    }

    /// A host may resolve addresses itself and name the private one, with or without the controller's help.
    @Test(arguments: [true, false]) func byThePrivateAddress(resolving: Bool) async {
        let theatre = await Theatre.introduced(resolving: resolving)
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            peripheral.advertise(own: "02", to: central)
            let address = peripheral.command(.leReadLocalResolvableAddress, "00" + central.address).dropFirst(2)
            central.command(
                .leCreateConnection, "6000 3000 00 01 \(address) 00 1800 1800 0000 F401 0000 0000")
            guard resolving else {
                #expect(Completion(central.takeEvents())?.peer == "01" + address)
                return
            }
            // The peripheral resolves too, and requires no identity address of this central.
            #expect(central.take() == [])
            central.command(.leCreateConnectionCancel)
            _ = central.take()
            central.command(
                .leCreateConnection, "6000 3000 00 01 \(address) 02 1800 1800 0000 F401 0000 0000")
            #expect(Completion(central.takeEvents())?.peer == "02" + peripheral.address)
        }
    }

    @Test func plainEvent() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            for host in [central, peripheral] { host.command(.leSetEventMask, "1F00000000000000") }
            peripheral.advertise(own: "02", to: central)
            let address = peripheral.command(.leReadLocalResolvableAddress, "00" + central.address).dropFirst(2)
            central.connect(own: "02", to: peripheral)
            // This event has public and random addresses, and no identities.
            #expect(central.takeEvents().first?.hasPrefix("3E 01 00 4000 00 01".without + address) == true)
        }
    }

    /// High duty cycle and low duty cycle directed advertising, by the private address of the peer.
    @Test(arguments: ["01", "04"]) func directed(type: String) async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            for host in [central, stage.hosts[2]] { host.scan(own: "02") }
            peripheral.command(.leSetAdvertisingParameters, "A000 A000 \(type) 02 00 \(central.address) 07 00")
            #expect(peripheral.command(.leSetAdvertisingEnable, "01") == "00")
        }
        await theatre.advance(.milliseconds(500))
        await theatre.run { stage in
            let (central, peripheral, stranger) = (stage.hosts[0], stage.hosts[1], stage.hosts[2])
            #expect(central.takeAdvertisers() == ["02" + peripheral.address])
            // For an unknown device it is addressed to another one, unless it resolves the address itself.
            #expect(stranger.take() == [])
            stranger.scan(policy: "02")
            stranger.connect(own: "00", to: peripheral)
        }
        await theatre.advance(.milliseconds(300))
        await theatre.run { stage in
            let (central, peripheral, stranger) = (stage.hosts[0], stage.hosts[1], stage.hosts[2])
            let target = peripheral.command(.leReadPeerResolvableAddress, "00" + central.address).dropFirst(2)
            let reports = stranger.takeEvents()
            #expect(reports.first?.hasPrefix("3E 0B 01 01 01".without) == true)
            #expect(reports.allSatisfy { $0.contains(target) })
            central.command(.leSetScanEnable, "0000")
            central.connect(own: "02", to: peripheral)
            #expect(Completion(central.takeEvents())?.peer == "02" + peripheral.address)
            #expect(stranger.controller.isInitiating)
        }
    }

    @Test func directedInExtendedReports() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            let (central, peripheral) = (stage.hosts[0], stage.hosts[1])
            let parameters = "01 0500 A00000 A00000 07 02 00 \(central.address) 00 7F 01 00 01 00 00"
            #expect(peripheral.command(.leSetExtendedAdvertisingParameters, parameters) == "0000")
            #expect(peripheral.command(.leSetExtendedAdvertisingEnable, "01 01 01 0000 00") == "00")
            for (host, policy) in [(central, "00"), (stage.hosts[2], "02")] {
                host.command(.leSetExtendedScanParameters, "02 \(policy) 01 00 1000 1000")
                host.command(.leSetExtendedScanEnable, "01 00 0000 0000")
            }
        }
        await theatre.advance(.milliseconds(150))
        await theatre.run { stage in
            let report = stage.hosts[0].takeEvents().first ?? ""
            #expect(report.hasPrefix("3E 0D 01 0500 02".without + stage.hosts[1].address))
            #expect(report.contains("0000 02".without + stage.hosts[0].address))
            let target = stage.hosts[1].command(.leReadPeerResolvableAddress, "00" + stage.hosts[0].address)
            let unresolved = stage.hosts[2].takeEvents().first ?? ""
            #expect(unresolved.hasPrefix("3E 0D 01 0500 01".without))
            #expect(unresolved.contains("0000 FE".without + target.dropFirst(2)))
        }
    }

    @Test func addressesOfALinkDoNotChange() async {
        let theatre = await Theatre.introduced()
        await theatre.run { stage in
            for host in stage.hosts { host.command(.leSetResolvablePrivateAddressTimeout, "0100") }
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
            stage.hosts[0].connect(own: "02", to: stage.hosts[1])
            _ = stage.hosts.map { $0.take() }
        }
        await theatre.advance(.seconds(10))
        await theatre.run { stage in
            stage.hosts[0].acl(0x40, [1])
            #expect(stage.hosts[1].takeACL().count == 1)
            stage.hosts[1].advertise(own: "02", to: stage.hosts[0])
            #expect(stage.hosts[0].connect(own: "02", to: stage.hosts[1]) == "[0B]")
        }
    }
}
