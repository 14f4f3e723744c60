#if canImport(VirtualBluetooth)
import BluetoothHCI
import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// Two hosts on virtual controllers, with a user at each.
@Suite(.timeLimit(.minutes(2))) struct SecureAirTests {
    /// The sides that do not resolve private addresses.
    enum HiddenFrom { case nobody, controllersTold, controllers }

    private static let service = GATTServiceDefinition(
        uuid: "FFF0",
        characteristics: [
            GATTCharacteristicDefinition(
                uuid: "FFF1", properties: [.read, .notify],
                permissions: [.readable, .readAuthenticationRequired], value: .kept([0x2A]))
        ], handle: 0x20)

    /// Two connected hosts; the second one has a value that requires an authenticated key.
    private func linked(_ capability: IOCapability, secureConnections: Bool = true) async throws -> AirTest {
        let test = try await AirTest { bench in
            for _ in 0..<2 {
                let station = bench.add()
                let (user, bonds) = (PairingUser(), InMemoryBondStore())
                bench.users.append(user)
                bench.bonds.append(bonds)
                let manager = station.host.useSecurity(
                    SecurityConfiguration(capability, secureConnections: secureConnections), bonds: bonds)
                manager.delegate = user
            }
        }
        try await connect(test)
        return test
    }

    private func connect(_ test: AirTest, _ count: Int = 1) async throws {
        try await test.run { bench in
            let server = GATTServer()
            _ = try server.add(Self.service)
            let host = bench.stations[1].host
            let set = try host.makeAdvertiser(
                LocalIdentity(address: .staticRandom(Station.address(1)), server: server))
            set.start(data: [2, 1, 6]) { _ in }
            bench.stations[0].host.connect(to: Station.address(1)) { _ in }
        }
        try await test.until("both sides have the link") { $0.stations.allSatisfy { $0.links.count == count } }
    }

    private func part(_ test: AirTest, _ count: Int = 1) async throws {
        try await test.run { $0.stations[0].links[count - 1].disconnect() }
        try await test.until("the link is gone") { $0.stations.allSatisfy { $0.endings.count == count } }
        try await test.run { bench in for set in bench.stations[1].host.advertising.sets { set.remove() } }
    }

    /// Both users answer like a person with both devices.
    static func answer(_ bench: AirBench) {
        for (user, other) in [(bench.users[0], bench.users[1]), (bench.users[1], bench.users[0])] {
            switch user.pending?.question {
            case nil, .display: break
            case .confirm, .compare, .replaceBond: user.answer(.accept)
            case .enterPasskey:
                if let shown = other.shown {
                    user.answer(.passkey(shown))
                } else if other.questions.last == .enterPasskey {
                    // Neither side displays one: both enter the agreed passkey.
                    user.answer(.passkey(424_242))
                }
            }
        }
    }

    @Test(arguments: [true, false]) func pairReadReconnectAndForget(secureConnections: Bool) async throws {
        let test = try await linked(.keyboardDisplay, secureConnections: secureConnections)
        let level: LinkSecurity.Level = secureConnections ? .secureConnections : .authenticated
        try await test.run { bench in
            let link = bench.stations[0].links[0]
            link.l2cap.gatt.read(0x22) { bench.log.append("\($0.map(\.array))") }
            bench.stations[0].host.securityManager?.secure(link, to: .authenticated) {
                bench.log.append("level \((try? $0.get())?.level.rawValue ?? 0)")
            }
        }
        try await test.until("it is paired") { bench in
            Self.answer(bench)
            return bench.log.count == 2 && bench.bonds.allSatisfy { $0.bonds.count == 1 }
        }
        try await test.run { bench in
            #expect(bench.log[0].contains("0x05") && bench.log[1] == "level \(level.rawValue)")
            for station in bench.stations {
                #expect(
                    station.links[0].security == LinkSecurity(level: level, keySize: 16, isBonded: true))
            }
            bench.log = []
            let gatt = bench.stations[0].links[0].l2cap.gatt
            gatt.read(0x22) { bench.log.append("\((try? $0.get())?.array ?? [])") }
            gatt.write(0x23, [1, 0]) { bench.log.append("\((try? $0.get()) != nil)") }
        }
        try await test.until("both are answered") { $0.log.count == 2 }
        try await test.run { bench in
            #expect(bench.log == ["[42]", "true"])
            bench.log = []
            #expect(bench.bonds[1].bonds.first?.serverState?.subscriptions[0x22] == .notifications)
        }

        // The next link is encrypted by itself, with the subscription restored, and without a question.
        try await part(test)
        let asked = try await test.run { $0.users.map(\.questions.count) }
        try await connect(test, 2)
        try await test.until("it is encrypted") { $0.stations.allSatisfy { $0.links[1].security.level == level } }
        try await test.run { bench in
            #expect(bench.users.map(\.questions.count) == asked)
            #expect(bench.stations[1].links[1].l2cap.serverSession.subscription(to: 0x22) == .notifications)
        }

        // A device that lost the bond reports it, and is not paired again by itself.
        try await part(test, 2)
        try await test.run { bench in
            let bond = try #require(bench.bonds[1].bonds.first)
            bench.stations[1].host.securityManager?.forget(bond)
        }
        try await connect(test, 3)
        try await test.until("the loss is told") { $0.users[0].lost.count == 1 }
        try await test.run { bench in
            let link = bench.stations[0].links[2]
            #expect(link.security == LinkSecurity(isBonded: true) && link.isOpen)
            bench.stations[0].host.securityManager?.pair(link) {
                if case .failure(.security(let text)) = $0 { bench.log.append(text.text) }
            }
        }
        try await test.until("pairing is refused") { $0.log.count == 1 }
        try await test.end()
    }

    /// Only its controller reports to the peripheral that the key of a pairing does not encrypt the link.
    @Test func aPairingEndsWhereTheLinkCannotBeEncrypted() async throws {
        let test = try await linked(.noInputNoOutput)
        let status = HCIStatus(rawValue: 0x1F)
        try await test.run { bench in
            let (host, loop) = (bench.stations[1].host, bench.loop)
            bench.stations[1].controller.transmit = { [weak host] packet in
                var copy = packet.array
                let events: [HCIEventCode] = [.encryptionChange, .encryptionChangeV2]
                if copy[0] == 4, events.contains(HCIEventCode(rawValue: copy[1])) { copy[3] = status.rawValue }
                loop.executeNext { copy.withByteView { host?.receive($0, now: loop.now) } }
            }
            bench.stations[0].host.securityManager?.pair(bench.stations[0].links[0]) { _ in }
        }
        try await test.until("the pairing has failed") { bench in
            Self.answer(bench)
            return !bench.users[1].failures.isEmpty
        }
        let failures = try await test.run { $0.users[1].failures }
        #expect(failures == [.link(.controller(status))])
        let (bonds, level) = try await test.run { ($0.bonds[1].bonds.count, $0.stations[1].links[0].security.level) }
        #expect(bonds == 0 && level == .none)
        try await test.end()
    }

    @Test func aPrivateAddressIsResolved() async throws {
        let test = try await AirTest { bench in
            for index in 0..<2 {
                var host = HostConfiguration()
                let key = SecurityKey.random()
                if index == 0 { host.ownAddress = .resolvable(key, each: .seconds(1)) }
                let station = bench.add(host: host)
                let (user, bonds) = (PairingUser(), InMemoryBondStore())
                bench.users.append(user)
                bench.bonds.append(bonds)
                var configuration = SecurityConfiguration(.noInputNoOutput)
                configuration.identityKey = key
                station.host.useSecurity(configuration, bonds: bonds).delegate = user
            }
        }
        try await connect(test)
        try await test.run { bench in
            let link = bench.stations[0].links[0]
            #expect(link.ownAddress.randomKind == .resolvablePrivate)
            #expect(bench.stations[1].links[0].peerAddress == link.ownAddress)
            bench.stations[0].host.securityManager?.pair(link) { bench.log.append("\((try? $0.get()) != nil)") }
        }
        try await test.until("it is paired") { bench in
            Self.answer(bench)
            return bench.bonds.allSatisfy { $0.bonds.count == 1 }
        }
        try await part(test)
        let before = try await test.run { $0.stations[0].links[0].ownAddress }
        try await test.until("the address changed") { $0.stations[0].host.ownAddress != before }
        try await connect(test, 2)
        try await test.until("it is encrypted") { $0.stations.allSatisfy { $0.links[1].security.level == .encrypted } }
        try await test.run { bench in
            #expect(bench.stations[1].links[1].peerAddress != before)
            #expect(bench.log == ["true"] && bench.users[1].questions.count == 1)
        }
        try await test.end()
    }

    /// By the controller, or by the host where it may not or the controller cannot.
    @Test(arguments: [true, false], [HiddenFrom.nobody, .controllersTold, .controllers])
    func aDeviceWithPrivateAddressesIsConnectedByItsIdentity(extended: Bool, hidden: HiddenFrom) async throws {
        let test = try await AirTest { bench in
            for index in 0..<2 {
                var host = HostConfiguration()
                let key = SecurityKey.random()
                if index == 1 { host.ownAddress = .resolvable(key, each: .seconds(2)) }
                host.usesResolvingList = hidden != .controllersTold
                var controller = VirtualControllerConfiguration()
                if hidden == .controllers { controller.features.remove(.privacy) }
                let station = bench.add(extended: extended, configuration: controller, host: host)
                let (user, bonds) = (PairingUser(), InMemoryBondStore())
                user.onQuestion = { _ in .accept }
                bench.users.append(user)
                bench.bonds.append(bonds)
                var configuration = SecurityConfiguration(.noInputNoOutput)
                configuration.identityKey = key
                station.host.useSecurity(configuration, bonds: bonds).delegate = user
            }
        }
        try await test.run { bench in
            let host = bench.stations[1].host
            let set = try host.makeAdvertiser(LocalIdentity(server: nil))
            set.onTerminated = { [weak set] _ in if bench.log.isEmpty { set?.start(data: [2, 1, 6]) { _ in } } }
            set.start(data: [2, 1, 6]) { _ in }
            bench.stations[0].host.connect(to: try #require(set.address)) { _ in }
        }
        try await test.until("both sides have the link") { $0.stations.allSatisfy { $0.links.count == 1 } }
        try await test.run { bench in bench.stations[0].host.securityManager?.pair(bench.stations[0].links[0]) { _ in }
        }
        try await test.until("it is paired") { bench in bench.bonds.allSatisfy { $0.bonds.count == 1 } }
        let first = try await test.run { bench in
            bench.stations[0].links[0].disconnect()
            return bench.stations[0].links[0].peerAddress
        }
        try await test.until("the address changed") { bench in
            bench.stations.allSatisfy { $0.endings.count == 1 } && bench.stations[1].host.ownAddress != first
        }
        try await test.run { bench in
            let bond = try #require(bench.bonds[0].bonds.first)
            #expect(bond.peerUsesPrivateAddresses && bond.peerAddress.isIdentity && bond.peerAddress != first)
            bench.log.append("waiting")
            bench.stations[0].host.connect(to: bond.peerAddress) { bench.log.append("\((try? $0.get()) != nil)") }
        }
        try await test.until("it is found and encrypted") { bench in
            bench.stations.allSatisfy { $0.links.count == 2 && $0.links[1].security.level == .encrypted }
        }
        try await test.run { bench in
            let bond = try #require(bench.bonds[0].bonds.first)
            #expect(bench.log == ["waiting", "true"])
            #expect(bench.stations[0].host.link(to: bond.peerAddress) === bench.stations[0].links[1])
            let link = bench.stations[0].links[1]
            #expect(link.peerAirAddress.randomKind == .resolvablePrivate)
            #expect(link.peerAddress == (hidden == .nobody ? bond.peerAddress : link.peerAirAddress))
            #expect(bench.stations[0].host.resolvingList.resolves(bond.peerAddress) == (hidden == .nobody))
            bench.stations[0].host.connect(to: bond.peerAddress) {
                if case .failure(.controller(.connectionAlreadyExists)) = $0 { bench.log.append("connected already") }
            }
            #expect(bench.log.last == "connected already")
        }
        try await test.end()
    }
}
#endif
