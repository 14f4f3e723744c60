import BluetoothModel
import Testing

@testable import BluetoothHost

@Suite struct OutOfBandTests {
    private func bench(
        central: PeerOutOfBandData?, peripheral: PeerOutOfBandData?, isSecure: Bool = true
    ) -> PairingBench {
        var configurations = [LinkRole.central, .peripheral].map { _ in
            SecurityConfiguration(.noInputNoOutput, secureConnections: isSecure)
        }
        configurations[0].outOfBandData = { _ in central }
        configurations[1].outOfBandData = { _ in peripheral }
        return PairingBench(central: configurations[0], peripheral: configurations[1])
    }

    /// Transfers the data of each side to the other if its flag is true.
    private func exchange(_ bench: PairingBench, toCentral: Bool, toPeripheral: Bool) {
        let (mine, theirs) = (bench.centralManager.makeOutOfBandData(), bench.peripheralManager.makeOutOfBandData())
        bench.centralManager.configuration.outOfBandData = { _ in
            toCentral ? PeerOutOfBandData(secureConnections: theirs) : nil
        }
        bench.peripheralManager.configuration.outOfBandData = { _ in
            toPeripheral ? PeerOutOfBandData(secureConnections: mine) : nil
        }
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func dataInOneDirectionIsSufficient(toCentral: Bool, toPeripheral: Bool) {
        let bench = bench(central: nil, peripheral: nil)
        exchange(bench, toCentral: toCentral, toPeripheral: toPeripheral)
        #expect(bench.pair().value?.level == .secureConnections)
        #expect(bench.peripheralUser.questions == [.confirm] && bench.centralUser.questions.isEmpty)
    }

    @Test func dataIsValidForOnePairing() {
        let bench = bench(central: nil, peripheral: nil)
        exchange(bench, toCentral: true, toPeripheral: true)
        bench.pair()
        for bond in bench.centralBonds.bonds { bench.centralManager.forget(bond) }
        for bond in bench.peripheralBonds.bonds { bench.peripheralManager.forget(bond) }
        bench.disconnect()
        bench.connect()
        #expect(bench.pair().error != nil && bench.refusals.first?.reason == .oobNotAvailable)
    }

    @Test(arguments: [LinkRole.central, .peripheral]) func dataOfAnotherDeviceIsRefused(_ victim: LinkRole) {
        let bench = bench(central: nil, peripheral: nil)
        exchange(bench, toCentral: true, toPeripheral: true)
        let other = LocalOutOfBandData(from: SecurityRandom.system).data
        bench.manager(victim).configuration.outOfBandData = { _ in PeerOutOfBandData(secureConnections: other) }
        #expect(bench.pair().error != nil && bench.refusals.first?.sender == victim)
        #expect(bench.refusals.map(\.reason) == [.confirmValueFailed])
    }

    @Test func theRandomValueIsVerified() throws {
        // A peer that only saw the commitment does not know the random value, and its check fails.
        let bench = bench(central: nil, peripheral: nil)
        exchange(bench, toCentral: false, toPeripheral: true)
        let mine = try #require(bench.peripheralManager.configuration.outOfBandData?(address(1))?.secureConnections)
        let forged = try #require(OutOfBandData(confirm: mine.confirm, random: [UInt8](repeating: 1, count: 16)))
        bench.peripheralManager.configuration.outOfBandData = { _ in PeerOutOfBandData(secureConnections: forged) }
        #expect(bench.pair().error != nil && bench.central.security.level == .none)
    }

    @Test func legacyPairingRequiresTheSameKeyOnBothSides() throws {
        let key = try #require(SecurityKey(octets: Array(100..<116)))
        let data = PeerOutOfBandData(temporaryKey: key)
        #expect(bench(central: data, peripheral: data, isSecure: false).pair().value?.level == .authenticated)
        // Data on one side only is not used.
        #expect(bench(central: data, peripheral: nil, isSecure: false).pair().value?.level == .encrypted)
        let other = PeerOutOfBandData(temporaryKey: SecurityKey(octets: Array(0..<16)))
        let wrong = bench(central: data, peripheral: other, isSecure: false)
        #expect(wrong.pair().error != nil && wrong.refusals.map(\.reason) == [.confirmValueFailed])
        // Data for the other kind of pairing does not help.
        let secure = PeerOutOfBandData(secureConnections: LocalOutOfBandData(from: SecurityRandom.system).data)
        let missing = bench(central: data, peripheral: secure, isSecure: false)
        #expect(missing.pair().error != nil && missing.refusals.first?.reason == .oobNotAvailable)
    }
}
