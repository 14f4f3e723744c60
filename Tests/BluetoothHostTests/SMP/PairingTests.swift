import BluetoothModel
import Testing

@testable import BluetoothHost

/// Pairings between two honest sides.
@Suite struct PairingTests {
    /// Core 6.0, Vol 3, Part C, 10.2.1: level 4 requires authenticated LE Secure Connections with a key of 128 bits.
    @Test(
        arguments: [
            (KeyStrength(isAuthenticated: true, isSecureConnections: true), .secureConnections),
            (KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 15), .authenticated),
            (KeyStrength(isAuthenticated: true, isSecureConnections: false), .authenticated),
            (KeyStrength(isAuthenticated: false, isSecureConnections: true), .encrypted),
        ] as [(KeyStrength, LinkSecurity.Level)])
    func theLevelOfALinkFollowsFromItsKey(_ strength: KeyStrength, _ level: LinkSecurity.Level) {
        #expect(strength.level == level)
    }

    @Test func manyCallersShareOnePairing() {
        let bench = PairingBench()
        let outcomes = (0..<5).map { _ in Outcome<LinkSecurity>() }
        for outcome in outcomes.prefix(3) { bench.centralManager.pair(bench.central) { outcome($0) } }
        for outcome in outcomes.suffix(2) { bench.peripheralManager.pair(bench.peripheral) { outcome($0) } }
        bench.run()
        #expect(outcomes.allSatisfy { $0.value?.level == .encrypted })
        #expect(bench.codes(.central).filter { $0 == .pairingRequest }.count == 1 && bench.encryptions == 1)
        // A request for the existing level completes immediately.
        let again = Outcome<LinkSecurity>()
        bench.centralManager.secure(bench.central, to: .encrypted) { again($0) }
        #expect(again.value?.isBonded == true && bench.queue.isEmpty)
    }

    @Test(arguments: [LinkRole.central, .peripheral]) func aLinkIsRaisedToTheRequestedLevel(_ starter: LinkRole) throws
    {
        let configuration = SecurityConfiguration(.keyboardDisplay, mitm: false)
        let bench = PairingBench(central: configuration, peripheral: configuration)
        #expect(bench.pair(starter).value?.level == .encrypted)
        let weak = try #require(bench.centralBonds.bonds.first)
        #expect(bench.pair(starter, level: .secureConnections).value?.level == .secureConnections)
        let strong = try #require(bench.centralBonds.bonds.first)
        #expect(bench.centralBonds.bonds.count == 1 && strong.strength.isAuthenticated && strong != weak)
        #expect(bench.central.security == bench.peripheral.security && bench.keysInForce.count == 2)
    }

    @Test(arguments: [LinkRole.central, .peripheral]) func aBondBelowTheRequestedLevelIsReplaced(_ starter: LinkRole) {
        let configuration = SecurityConfiguration(.displayYesNo, mitm: false)
        let bench = PairingBench(central: configuration, peripheral: configuration)
        bench.pair()
        bench.disconnect()
        bench.connect()
        #expect(bench.pair(starter, level: .authenticated).value?.level == .secureConnections)
        #expect(bench.centralBonds.bonds.count == 1 && bench.peripheralBonds.bonds.count == 1)
    }

    @Test(arguments: [LinkRole.central, .peripheral]) func anUnreachableLevelIsAnError(_ starter: LinkRole) {
        let bench = PairingBench()
        guard case .security? = bench.pair(starter, level: .authenticated).error else {
            Issue.record("pairing did not fail with a security error")
            return
        }
        #expect(bench.refusals.map(\.reason) == [.authenticationRequirements])
        #expect(bench.central.security.level == .none && bench.centralBonds.bonds.isEmpty)
        // It is no failed guess, so there is no waiting interval.
        #expect(bench.pair(starter).value?.level == .encrypted)
    }

    /// The kind of problem decides the remedy.
    @Test func causesOfFailedPairingAreDistinguished() throws {
        func kind(_ bench: PairingBench, _ level: LinkSecurity.Level = .encrypted) -> SecurityProblem.Kind? {
            guard case .security(let problem)? = bench.pair(level: level).error else { return nil }
            return problem.kind
        }
        let full = SecurityConfiguration(.keyboardDisplay)
        #expect(kind(PairingBench(), .authenticated) == .tooWeak)
        let short = SecurityConfiguration(.keyboardDisplay, keySizes: 7...10)
        #expect(kind(PairingBench(central: full, peripheral: short)) == .shortKey)
        #expect(kind(PairingBench(central: short, peripheral: full)) == .refusedByPeer)
        let bonded = PairingBench(central: full, peripheral: full)
        bonded.pair()
        let bond = try #require(bonded.centralBonds.bonds.first)
        bonded.disconnect()
        bonded.peripheralManager.forget(try #require(bonded.peripheralBonds.bonds.first))
        bonded.peripheralManager.configuration = SecurityConfiguration(.noInputNoOutput)
        // A central without a key for its own role pairs; its bond is stronger than the one that the device offers now.
        var other = bond
        other.peerKey = nil
        try bonded.centralBonds.save(other)
        bonded.connect()
        #expect(kind(bonded) == .weakerThanBond && bonded.centralBonds.bonds == [other])
        #expect(bonded.refusals.map(\.reason) == [.authenticationRequirements])
        // The error of a bond that the policy no longer accepts has the reason.
        try bonded.centralBonds.save(bond)
        bonded.centralManager.configuration.keySizes = 16...16
        for (strength, expected) in [
            (KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 7), SecurityProblem.Kind.shortKey),
            (KeyStrength(isAuthenticated: false, isSecureConnections: true), .tooWeak),
        ] {
            var old = bond
            old.strength = strength
            try bonded.centralBonds.save(old)
            bonded.centralManager.configuration.secureConnectionsOnly = true
            let outcome = Outcome<LinkSecurity>()
            bonded.centralManager.encrypt(bonded.central) { outcome($0) }
            guard case .security(let problem)? = outcome.error else {
                Issue.record("\(String(describing: outcome.error))")
                return
            }
            #expect(problem.kind == expected)
        }
    }

    @Test func withoutBondingNoKeysAreStored() {
        var configuration = SecurityConfiguration()
        configuration.isBonding = false
        let bench = PairingBench(central: configuration)
        #expect(bench.pair().value == LinkSecurity(level: .encrypted, keySize: 16))
        #expect(bench.centralBonds.bonds.isEmpty && bench.peripheralBonds.bonds.isEmpty)
        #expect(bench.centralUser.bonds == [nil] && bench.peripheralUser.bonds == [nil])
        #expect(!bench.codes(.peripheral).contains(.identityInformation))
    }

    @Test func keysAreDistributedInTheOrderOfTheSpecification() {
        let bench = PairingBench(central: SecurityConfiguration(.noInputNoOutput, secureConnections: false))
        bench.pair()
        let keys: [SecurityPacket.Code] = [
            .encryptionInformation, .centralIdentification, .identityInformation, .identityAddress,
            .signingInformation,
        ]
        #expect(bench.codes(.peripheral).suffix(5) == keys[...] && bench.codes(.central).suffix(5) == keys[...])
        #expect(bench.traffic.suffix(5).allSatisfy { $0.sender == .central })
    }

    @Test func onlyTheNegotiatedKeysAreDistributed() throws {
        var central = SecurityConfiguration(.noInputNoOutput, secureConnections: false)
        central.ownKeys = .identity
        central.peerKeys = .encryption
        let bench = PairingBench(central: central)
        bench.pair()
        let bond = try #require(bench.centralBonds.bonds.first)
        #expect(bond.localKey == nil && bond.peerKey != nil && bond.peerIdentityKey == nil)
        #expect(bond.localSigningKey == nil && bond.peerSigningKey == nil)
        #expect(bench.peripheralBonds.bonds.first?.peerIdentityKey == bench.centralManager.identityKey)
        #expect(bench.traffic.first?.packet == octets("01 03 00 05 10 02 01"))
    }

    @Test(arguments: [true, false]) func shortKeysAreRefusedUnlessAllowed(isSecure: Bool) throws {
        let short = SecurityConfiguration(.keyboardDisplay, secureConnections: isSecure, keySizes: 7...7)
        for role in [LinkRole.central, .peripheral] {
            let full = SecurityConfiguration(.keyboardDisplay)
            let bench = PairingBench(
                central: role == .central ? full : short, peripheral: role == .central ? short : full)
            #expect(bench.pair().error != nil)
            #expect(bench.refusals.map(\.reason) == [.encryptionKeySize] && bench.refusals[0].sender == role)
        }
        let bench = PairingBench(
            central: SecurityConfiguration(.keyboardDisplay, keySizes: 7...16), peripheral: short)
        #expect(bench.pair().value == LinkSecurity(level: .authenticated, keySize: 7, isBonded: true))
        let key = try #require(bench.centralBonds.bonds.first?.peerKey?.key)
        #expect(key.octets.prefix(9).allSatisfy { $0 == 0 } && key.octets.suffix(7).contains { $0 != 0 })
        #expect(bench.keysInForce[0].suffix(9).allSatisfy { $0 == 0 })
        // A bond whose key is too short for a stricter policy is no longer used.
        bench.disconnect()
        bench.centralManager.configuration.keySizes = 16...16
        bench.peripheralUser.replacesBonds = true
        bench.connect()
        bench.pair()
        #expect(bench.keysInForce.isEmpty && bench.refusals.map(\.reason) == [.encryptionKeySize])
    }

    @Test func secureConnectionsOnly() {
        var strict = SecurityConfiguration(.displayYesNo, mitm: false)
        strict.secureConnectionsOnly = true
        let good = PairingBench(central: strict, peripheral: SecurityConfiguration(.keyboardDisplay))
        #expect(good.pair().value?.level == .secureConnections)
        for peer in [
            SecurityConfiguration(.keyboardDisplay, secureConnections: false), SecurityConfiguration(.noInputNoOutput),
        ] {
            for (central, peripheral) in [(strict, peer), (peer, strict)] {
                let bench = PairingBench(central: central, peripheral: peripheral)
                #expect(bench.pair().error != nil && bench.central.security.level == .none)
                #expect(bench.refusals.map(\.reason) == [.authenticationRequirements])
            }
        }
    }

    @Test(arguments: [true, false]) func keypressesAreSentIfBothSidesSupportThem(isWanted: Bool) {
        var typing = SecurityConfiguration(.keyboardOnly)
        typing.sendsKeypresses = true
        var showing = SecurityConfiguration(.displayOnly)
        showing.sendsKeypresses = isWanted
        let bench = PairingBench(central: typing, peripheral: showing)
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.pair(bench.central) { outcome($0) }
        bench.carry()
        #expect(bench.centralUser.pending?.question == .enterPasskey)
        for keypress in Keypress.allCases { bench.centralManager.tell(keypress, on: bench.central) }
        // The displaying side sends no keypress notifications.
        bench.peripheralManager.tell(.started, on: bench.peripheral)
        bench.run()
        #expect(outcome.value != nil && bench.centralUser.keypresses.isEmpty)
        #expect(bench.peripheralUser.keypresses == (isWanted ? Keypress.allCases : []))
        bench.centralManager.tell(.started, on: bench.central)
        #expect(bench.queue.isEmpty)
    }

    @Test func answersMayBeImmediate() {
        let bench = PairingBench(
            central: SecurityConfiguration(.displayYesNo), peripheral: SecurityConfiguration(.displayYesNo))
        bench.centralUser.onQuestion = { _ in .accept }
        bench.peripheralUser.onQuestion = { _ in .accept }
        #expect(bench.pair().value?.level == .secureConnections)
    }

    @Test(arguments: [true, false]) func theUsersMayAnswerInEitherOrder(centralFirst: Bool) {
        for isSecure in [true, false] {
            let bench = PairingBench(
                central: SecurityConfiguration(.keyboardOnly, secureConnections: isSecure),
                peripheral: SecurityConfiguration(.keyboardOnly))
            bench.centralManager.pair(bench.central) { _ in }
            bench.carry()
            let users = [bench.centralUser, bench.peripheralUser]
            for user in centralFirst ? users : users.reversed() {
                user.answer(.passkey(42))
                bench.carry()
            }
            #expect(bench.central.security.level >= .authenticated)
        }
        let bench = PairingBench(
            central: SecurityConfiguration(.displayYesNo), peripheral: SecurityConfiguration(.displayYesNo))
        bench.centralManager.pair(bench.central) { _ in }
        bench.carry()
        let users = [bench.centralUser, bench.peripheralUser]
        for user in centralFirst ? users : users.reversed() {
            user.answer(.accept)
            bench.carry()
        }
        #expect(bench.central.security.level == .secureConnections)
    }

    @Test func allPasskeysAndNumbersAreSupported() {
        var seen: Set<UInt32> = []
        for _ in 0..<2000 { seen.insert(SecurityRandom.number(below: 1_000_000, from: SecurityRandom.system)) }
        #expect(seen.count > 1950 && seen.allSatisfy { $0 < 1_000_000 } && seen.contains { $0 < 100_000 })
    }

    @Test func noncesAndConfirmValuesAreNeverReused() {
        let bench = PairingBench(
            central: SecurityConfiguration(.displayOnly), peripheral: SecurityConfiguration(.keyboardOnly))
        bench.pair()
        for code in [UInt8(3), 4] {
            let values = bench.traffic.filter { $0.packet[0] == code }.map(\.packet)
            #expect(values.count == 40 && Set(values).count == 40)
        }
    }
}
