#if canImport(VirtualBluetooth)
import BluetoothModel
import BluetoothRuntime
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// All association models between two hosts on the virtual air, whose controllers encrypt.
@Suite(.timeLimit(.minutes(2))) struct AirMatrixTests {
    @Test(arguments: [true, false], [LinkRole.central, .peripheral])
    func pairingOnTheAirFollowsTheSpecifiedTable(isSecure: Bool, starter: LinkRole) async throws {
        let test = try await AirTest { bench in
            for _ in 0..<2 {
                let (station, user, bonds) = (bench.add(), PairingUser(), InMemoryBondStore())
                bench.users.append(user)
                bench.bonds.append(bonds)
                station.host.useSecurity(bonds: bonds).delegate = user
            }
        }
        for entry in PairingMatrixTests.cases where entry.isSecure == isSecure && entry.starter == starter {
            try await pair(entry, test)
        }
        try await test.end()
    }

    private func pair(_ entry: PairingMatrixTests.Case, _ test: AirTest) async throws {
        let server = try await test.run { bench in
            bench.log = []
            for (index, capability) in [entry.central, entry.peripheral].enumerated() {
                bench.users[index].questions = []
                bench.stations[index].links = []
                bench.stations[index].endings = []
                bench.stations[index].host.securityManager?.configuration = SecurityConfiguration(
                    capability, secureConnections: entry.isSecure)
            }
            let set = try bench.stations[1].host.makeAdvertiser(
                LocalIdentity(address: .staticRandom(Station.address(1)), server: nil))
            set.start(data: [2, 1, 6]) { _ in }
            bench.stations[0].host.connect(to: Station.address(1)) { _ in }
            return LoopBound(confined: set, loop: bench.loop)
        }
        try await test.until("both sides have the link") { $0.stations.allSatisfy { $0.links.count == 1 } }
        let level: LinkSecurity.Level =
            entry.expected == "J" ? .encrypted : entry.isSecure ? .secureConnections : .authenticated
        try await test.run { bench in
            let station = bench.stations[entry.starter == .central ? 0 : 1]
            station.host.securityManager?.pair(station.links[0]) { bench.log.append("\($0)") }
        }
        try await test.until("\(entry.testDescription) is paired") { bench in
            SecureAirTests.answer(bench)
            return bench.log.count == 1 && bench.bonds.allSatisfy { $0.bonds.count == 1 }
        }
        try await test.run { bench in
            for (index, station) in bench.stations.enumerated() {
                let expected = LinkSecurity(level: level, keySize: 16, isBonded: true)
                #expect(station.links[0].security == expected, "\(entry.testDescription): \(bench.log)")
                let kinds = bench.users[index].questions.map(\.description)
                #expect(kinds == Self.questions(entry, isCentral: index == 0), "\(entry.testDescription)")
            }
            #expect(bench.air.allLinks.allSatisfy(\.isEncrypted) && bench.air.allLinks.count == 1)
            for store in bench.bonds { for bond in store.bonds { store.remove(bond) } }
            bench.stations[0].links[0].disconnect()
        }
        try await test.until("the link is gone") { $0.stations.allSatisfy { $0.endings.count == 1 } }
        try await test.run { _ in server.value.remove() }
    }

    /// Returns the questions to the user of one side.
    private static func questions(_ entry: PairingMatrixTests.Case, isCentral: Bool) -> [String] {
        switch entry.expected {
        case "J": (entry.starter == .central) == isCentral ? [] : ["confirm"]
        case "N": ["compare numbers"]
        case "C": [isCentral ? "enter a passkey" : "display a passkey"]
        case "P": [isCentral ? "display a passkey" : "enter a passkey"]
        default: ["enter a passkey"]
        }
    }
}
#endif
