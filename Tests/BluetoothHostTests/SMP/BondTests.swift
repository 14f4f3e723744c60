import BluetoothModel
import Testing

@testable import BluetoothHost

/// The stored bonds, and the trust that follows from them.
@Suite struct BondTests {
    private func bonded(
        _ capability: IOCapability = .keyboardDisplay, secureConnections: Bool = true
    ) -> PairingBench {
        let configuration = SecurityConfiguration(capability, secureConnections: secureConnections)
        let bench = PairingBench(central: configuration, peripheral: configuration)
        bench.pair()
        bench.disconnect()
        bench.connect()
        return bench
    }

    @Test func aBondedPeerIsEncryptedWithoutPairing() {
        let bench = bonded()
        #expect(bench.central.security == LinkSecurity(isBonded: true))
        #expect(bench.peripheral.security == LinkSecurity(isBonded: true))
        let trusted = Outcome<LinkSecurity>()
        bench.centralManager.started(bench.central)
        bench.centralManager.whenTrusted(bench.central) { trusted($0) }
        #expect(trusted.count == 0 && bench.centralManager.trust(in: bench.central) == .unproven)
        bench.run()
        #expect(trusted.value?.level == .secureConnections && bench.encryptions == 2)
        #expect(bench.traffic.isEmpty && bench.centralManager.trust(in: bench.central) == .proven)
        // Without a bond there is no wait for trust.
        let stranger = PairingBench()
        let outcome = Outcome<LinkSecurity>()
        stranger.centralManager.whenTrusted(stranger.central) { outcome($0) }
        #expect(outcome.value == LinkSecurity() && stranger.centralManager.trust(in: stranger.central) == .stranger)
        stranger.centralManager.encrypt(stranger.central) { outcome($0) }
        #expect(outcome.count == 2 && stranger.queue.isEmpty)
    }

    @Test(arguments: [true, false]) func aPeerThatLostTheBondIsRefused(isSecure: Bool) throws {
        let bench = bonded(secureConnections: isSecure)
        let bond = try #require(bench.centralBonds.bonds.first)
        bench.peripheralManager.forget(try #require(bench.peripheralBonds.bonds.first))
        guard case .security(let text)? = bench.pair().error else {
            Issue.record("pairing did not fail with a security error")
            return
        }
        #expect(
            text.kind == .bondLost && text.text.contains("no longer has the key") && bench.centralUser.lost == [bond])
        #expect(bench.centralManager.trust(in: bench.central) == .unproven)
        #expect(bench.central.security == LinkSecurity(isBonded: true))
        // Neither a second attempt nor the peer's request pairs again.
        #expect(bench.pair().error == .security(text))
        bench.deliver(octets("0B 0D"), from: .peripheral)
        bench.run()
        #expect(bench.codes(.central).isEmpty && bench.encryptions == 2 && bench.centralBonds.bonds == [bond])
        // Pairing succeeds after the user has forgotten the bond.
        bench.centralManager.forget(bond)
        #expect(bench.centralManager.trust(in: bench.central) == .stranger)
        #expect(bench.pair().value?.level ?? .none >= .authenticated)
    }

    @Test func anotherKeyEndsTheLink() throws {
        let bench = bonded()
        var bond = try #require(bench.centralBonds.bonds.first)
        bond.peerKey = LongTermKey(key: .random())
        try bench.centralBonds.save(bond)
        guard case .security? = bench.pair().error else {
            Issue.record("pairing did not fail with a security error")
            return
        }
        #expect(!bench.central.isOpen && bench.centralUser.lost == [bond])
    }

    @Test func aCentralThatLostTheBondRequiresADecision() throws {
        let bench = bonded(.noInputNoOutput)
        bench.peripheralUser.questions = []
        bench.peripheralUser.replacesBonds = true
        bench.centralManager.forget(try #require(bench.centralBonds.bonds.first))
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.pair(bench.central) { outcome($0) }
        bench.carry()
        #expect(bench.peripheralUser.questions == [.replaceBond(bench.link.central)] && outcome.count == 0)
        bench.run()
        #expect(outcome.value != nil && bench.peripheralBonds.bonds.count == 1)
    }

    /// The central finished its pairing by sending its last key, which does not arrive.
    @Test(arguments: [SecurityPacket.Code.identityInformation, .signingInformation])
    func aPairingThatEndsWithItsLinkDuringTheKeyDistributionRenewsTheKey(_ lost: SecurityPacket.Code) throws {
        let bench = bonded()
        let known = try #require(bench.peripheralBonds.bonds.first)
        bench.centralManager.forget(try #require(bench.centralBonds.bonds.first))
        bench.peripheralUser.replacesBonds = true
        bench.tamper = { [unowned bench] sender, packet in
            guard sender == .central, packet.first == lost.rawValue else { return [packet] }
            bench.queue.append { bench.disconnect(.connectionTimeout) }
            return []
        }
        #expect(bench.pair().value != nil)
        #expect(bench.peripheralUser.failures == [.link(.disconnected(.connectionTimeout))])
        let renewed = try #require(bench.peripheralBonds.bonds.first)
        #expect(renewed.localKey != known.localKey && renewed.peerIdentityKey == known.peerIdentityKey)
        #expect(renewed.localSigningKey == nil && renewed.peerSigningKey == nil)
        bench.tamper = nil
        bench.connect()
        #expect(bench.pair().value != nil)
        #expect(bench.codes(.central).isEmpty)
        #expect(bench.peripheral.security.level > .none)
    }

    @Test(arguments: 0..<4) func aWeakerKeyDoesNotReplaceAStrongerOne(_ index: Int) throws {
        let weak = [
            SecurityConfiguration(.noInputNoOutput), SecurityConfiguration(.keyboardDisplay, secureConnections: false),
            SecurityConfiguration(.noInputNoOutput, secureConnections: false),
            SecurityConfiguration(.keyboardDisplay, keySizes: 7...8),
        ][index]
        for victim in [LinkRole.central, .peripheral] {
            let bench = bonded()
            let bond = try #require(bench.bonds(victim).bonds.first)
            bench.manager(victim).configuration.keySizes = 7...16
            bench.manager(victim.opposite).forget(try #require(bench.bonds(victim.opposite).bonds.first))
            bench.manager(victim.opposite).configuration = weak
            // The peer begins: as central with a Pairing Request, as peripheral with a Security Request.
            if victim == .peripheral {
                #expect(bench.pair(.central).error != nil)
                #expect(bench.refusals.last?.reason == .authenticationRequirements)
            } else {
                #expect(bench.pair(.peripheral).error != nil || bench.central.security.level == .none)
            }
            #expect(bench.bonds(victim).bonds == [bond] && bench.end(victim).security.level == .none)
        }
    }

    @Test func anIdentityThatBelongsToAStrongerBondIsNotTakenOver() throws {
        let bench = bonded()
        let bond = try #require(bench.centralBonds.bonds.first)
        bench.disconnect()
        // Another device, from a private address, claims at the end of pairing to be the bonded one.
        bench.peripheralManager.configuration = SecurityConfiguration(.noInputNoOutput)
        let key = SecurityKey.random()
        bench.peripheralManager.configuration.identityKey = key
        bench.link.peripheral = .resolvable(with: key)
        bench.connect()
        let claimed = SecurityPacket.identityAddress(bond.peerAddress).octets
        bench.tamper = { sender, packet in [sender == .peripheral && packet[0] == 9 ? claimed : packet] }
        #expect(bench.pair().error != nil && bench.refusals.last?.reason == .keyRejected)
        #expect(bench.centralBonds.bonds == [bond] && bench.central.disconnection == .authenticationFailure)
    }

    @Test func aPeerIsRecognizedByItsPrivateAddresses() throws {
        let bench = PairingBench(peripheralAddress: address(9, kind: .random))
        bench.peripheralManager.configuration.identityAddress = address(9, kind: .random)
        bench.link.peripheral = .resolvable(with: bench.peripheralManager.identityKey)
        bench.disconnect()
        bench.connect()
        let before = bench.link.peripheral
        #expect(bench.centralManager.identity(behind: before) == before)
        #expect(bench.pair().value?.isBonded == true)
        #expect(bench.centralManager.identity(of: bench.central) == address(9, kind: .random))
        bench.disconnect()
        bench.link.peripheral = .resolvable(with: bench.peripheralManager.identityKey)
        #expect(bench.link.peripheral != before)
        bench.connect()
        #expect(bench.centralManager.identity(behind: bench.link.peripheral) == address(9, kind: .random))
        #expect(bench.central.security.isBonded && bench.pair().value?.isBonded == true)
        #expect(bench.traffic.isEmpty && bench.centralBonds.bonds.count == 1)
        let bond = try #require(bench.centralBonds.bonds.first)
        bench.centralManager.forget(bond)
        #expect(bench.centralManager.identity(behind: bench.link.peripheral) == bench.link.peripheral)
    }

    @Test func aPeerWithoutAnIdentityIsNotBonded() {
        let bench = PairingBench(peripheralAddress: BluetoothAddress(value: 0x1234_5678_9ABC, kind: .random))
        bench.peripheralManager.configuration.ownKeys = []
        #expect(bench.pair().value == LinkSecurity(level: .encrypted, keySize: 16))
        #expect(bench.centralBonds.bonds.isEmpty && bench.centralUser.bonds == [nil])
    }

    @Test func aLegacyKeyIsFoundByItsEDIVAndRandom() throws {
        // The central has private addresses and did not distribute its identity.
        let bench = PairingBench(central: SecurityConfiguration(.noInputNoOutput, secureConnections: false))
        bench.pair()
        let key = try #require(bench.peripheralBonds.bonds.first?.localKey)
        bench.disconnect()
        bench.link.central = BluetoothAddress(value: 0x1234_5678_9ABC, kind: .random)
        bench.connect()
        let found = bench.peripheralManager.longTermKey(
            on: bench.peripheral, randomNumber: key.randomNumber, diversifier: key.diversifier)
        #expect(found == key.key)
        let wrong = bench.peripheralManager.longTermKey(
            on: bench.peripheral, randomNumber: key.randomNumber, diversifier: key.diversifier ^ 1)
        #expect(wrong == nil)
        #expect(
            bench.peripheralManager.longTermKey(on: bench.peripheral, randomNumber: 0, diversifier: 0) == nil)
    }

    @Test func eachOfOurDevicesHasItsOwnBonds() {
        let bench = bonded()
        bench.disconnect()
        bench.link.peripheral = address(77, kind: .random)
        bench.connect()
        #expect(bench.peripheral.security.isBonded == false)
        bench.pair()
        #expect(bench.peripheralBonds.bonds.count == 2 && bench.centralBonds.bonds.count == 2)
        #expect(Set(bench.peripheralBonds.bonds.map(\.localAddress)).count == 2)
    }

    @Test func aBondIsValidInBothRoles() throws {
        for isSecure in [true, false] {
            let bench = bonded(secureConnections: isSecure)
            let reversed = PairingBench(
                centralAddress: bench.link.peripheral, peripheralAddress: bench.link.central)
            for bond in bench.peripheralBonds.bonds { try reversed.centralBonds.save(bond) }
            for bond in bench.centralBonds.bonds { try reversed.peripheralBonds.save(bond) }
            reversed.disconnect()
            reversed.connect()
            #expect(reversed.pair().value?.level ?? .none >= .authenticated && reversed.traffic.isEmpty)
        }
    }

    @Test func signCountersIncrease() throws {
        let bench = PairingBench()
        bench.pair()
        bench.disconnect()
        bench.connect()
        let signer = try #require(bench.centralManager.session(of: bench.central))
        let verifier = try #require(bench.peripheralManager.session(of: bench.peripheral))
        let packet = octets("D2 1000 0102")
        let first = try #require(signer.sign(packet)), second = try #require(signer.sign(packet))
        #expect(first != second && AttributeSignature.counter(in: second) == 1)
        #expect(verifier.verify(packet, signature: first) && !verifier.verify(packet, signature: first))
        #expect(!verifier.verify(packet + [0], signature: second))
        var forged = second
        forged[5] ^= 1
        #expect(!verifier.verify(packet, signature: forged))
        #expect(verifier.verify(packet, signature: second))
        #expect(bench.peripheralBonds.bonds.first?.peerSigningKey?.counter == 2)
        #expect(bench.centralBonds.bonds.first?.localSigningKey?.counter == 2)
    }

    @Test func anEncryptionRequestDoesNotPairSilently() throws {
        // The peripheral asks for the bond's key; a central that lost it pairs instead, and the user is asked.
        let bench = bonded(.noInputNoOutput)
        bench.peripheralUser.questions = []
        bench.centralUser.questions = []
        bench.centralManager.forget(try #require(bench.centralBonds.bonds.first))
        bench.peripheralManager.whenTrusted(bench.peripheral) { _ in }
        bench.carry()
        bench.centralUser.answer(.accept)
        bench.carry()
        #expect(bench.peripheralUser.questions == [.replaceBond(bench.link.central)])
        #expect(bench.peripheral.security.level == .none)
    }

    @Test func aBondBelowTheRequiredLevelIsNotUsed() throws {
        let bench = bonded(.noInputNoOutput)
        bench.centralManager.configuration.secureConnectionsOnly = true
        bench.disconnect()
        bench.connect()
        #expect(!bench.central.security.isBonded)
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.encrypt(bench.central) { outcome($0) }
        guard case .security? = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(bench.queue.isEmpty)
    }

    @Test func aFailureToStoreABondIsReported() {
        final class FullStore: BondStore {
            let bonds: [Bond] = []
            func save(_ bond: Bond) throws(RadioError) { throw .limit("the disk is full") }
            func update(_ bond: Bond) throws(RadioError) { try save(bond) }
            func remove(local: BluetoothAddress, peer: BluetoothAddress) {}
        }
        let manager = SecurityManager(bonds: FullStore())
        let user = PairingUser()
        manager.delegate = user
        let bond = Bond(
            localAddress: address(1), peerAddress: address(2),
            strength: KeyStrength(isAuthenticated: false, isSecureConnections: true))
        #expect(!manager.keep(bond) && user.unkept == [bond])
    }
}
