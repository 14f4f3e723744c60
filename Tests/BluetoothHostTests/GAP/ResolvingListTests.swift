#if canImport(VirtualBluetooth)
import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// The bonded devices that the controller resolves, and those that the host resolves.
@Suite(.timeLimit(.minutes(1))) struct ResolvingListTests {
    private static func bond(_ last: UInt8, isPrivate: Bool = true, key: UInt8? = nil) -> Bond {
        var bond = Bond(
            localAddress: BluetoothAddress(value: 1, kind: .public),
            peerAddress: BluetoothAddress(value: 0xC100_0000_0000 | UInt64(last), kind: .random),
            strength: KeyStrength(isAuthenticated: false, isSecureConnections: true))
        bond.peerIdentityKey = SecurityKey(octets: [key ?? last] + Array(1...15))
        bond.peerUsesPrivateAddresses = isPrivate
        return bond
    }

    /// A host with bonds, on a controller with some room.
    private func test(_ bonds: [Bond], room: UInt8 = 2) async throws -> AirTest {
        let test = try await AirTest { bench in
            var configuration = VirtualControllerConfiguration()
            configuration.resolvingListSize = room
            let station = bench.add(configuration: configuration)
            let store = InMemoryBondStore(bonds)
            bench.bonds.append(store)
            station.host.useSecurity(bonds: store)
        }
        try await test.until("the list is as it should be") { $0.stations[0].host.resolvingList.isSettled }
        return test
    }

    private func resolved(_ test: AirTest, _ bonds: [Bond]) async throws -> [Bool] {
        try await test.run { bench in bonds.map { bench.stations[0].host.resolvingList.resolves($0.peerAddress) } }
    }

    @Test func bondsAddedToARunningHostAreResolved() async throws {
        let bond = Self.bond(2)
        let test = try await AirTest { bench in _ = bench.add() }
        try await test.until("the host is ready") { $0.stations[0].host.state == .ready }
        try await test.run { bench in
            _ = bench.stations[0].host.useSecurity(bonds: InMemoryBondStore([bond]))
        }
        try await test.until("the controller resolves it") {
            $0.stations[0].host.resolvingList.resolves(bond.peerAddress)
        }
    }

    @Test func peersWithPrivateAddressesComeFirst() async throws {
        let bonds = [Self.bond(1, isPrivate: false), Self.bond(2), Self.bond(3), Self.bond(4)]
        let test = try await test(bonds)
        #expect(try await resolved(test, bonds) == [false, true, true, false])
        // The host looks for the one that has no room.
        try await test.run { bench in
            let host = bench.stations[0].host
            #expect(host.hidesBehindPrivateAddresses(bonds[3].peerAddress))
            #expect(!host.hidesBehindPrivateAddresses(bonds[1].peerAddress))
            host.securityManager?.forget(bonds[1])
        }
        try await test.until("the list changed") { $0.stations[0].host.resolvingList.isSettled }
        #expect(try await resolved(test, bonds) == [false, false, true, true])
        try await test.end()
    }

    @Test func theListChangesWhileOperationsArePaused() async throws {
        let bonds = [Self.bond(1)]
        let test = try await test(bonds)
        try await test.run { bench in
            let host = bench.stations[0].host
            host.startScan(ScanConfiguration()) { bench.log.append("scanning \((try? $0.get()) != nil)") }
            try bench.stations[0].advertise(9)
            host.connect(to: BluetoothAddress(value: 5, kind: .public)) { _ in bench.log.append("connected") }
        }
        try await test.until("all of it runs") { bench in
            let host = bench.stations[0].host
            return bench.log == ["scanning true"] && !host.initiator.isOff && !host.advertising.isOff
                && !host.scanner.isOff
        }
        try await test.run { bench in
            _ = bench.stations[0].host.securityManager?.keep(Self.bond(2))
            #expect(!bench.stations[0].host.resolvingList.isSettled)
        }
        try await test.until("the list changed and all of it runs again") { bench in
            let host = bench.stations[0].host
            return host.resolvingList.resolves(Self.bond(2).peerAddress) && !host.initiator.isOff
                && !host.advertising.isOff && !host.scanner.isOff
        }
        try await test.run { bench in #expect(bench.log == ["scanning true"]) }
        try await test.end()
    }

    @Test func theHostResolvesAddressesThatTheControllerCannotHold() async throws {
        // Two devices with the same key, which a controller cannot distinguish.
        let bonds = [Self.bond(1, key: 7), Self.bond(2, key: 7)]
        let test = try await test(bonds)
        #expect(try await resolved(test, bonds) == [true, false])
        try await test.run { #expect($0.stations[0].host.hidesBehindPrivateAddresses(bonds[1].peerAddress)) }
        try await test.end()
    }

    @Test func theHostResolvesIfTheControllerFailsTo() async throws {
        let bonds = [Self.bond(1)]
        let test = try await test(bonds)
        #expect(try await resolved(test, bonds) == [true])
        try await test.run { bench in
            let list = bench.stations[0].host.resolvingList
            list.heard(BluetoothAddress.resolvable(with: .random()))
            #expect(list.isSettled)
            guard let key = bonds[0].peerIdentityKey else { return }
            list.heard(BluetoothAddress.resolvable(with: key))
        }
        try await test.until("the host does it") { $0.stations[0].host.resolvingList.isSettled }
        #expect(try await resolved(test, bonds) == [false])
        try await test.run { #expect($0.stations[0].host.hidesBehindPrivateAddresses(bonds[0].peerAddress)) }
        try await test.end()
    }
}
#endif
