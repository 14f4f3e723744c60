import BluetoothModel
import Testing

@testable import BluetoothHost

/// A device that tries to take over the bond of another one, by the identity or the address that it claims.
@Suite struct ImpostorTests {
    /// A way to claim the identity of a bonded device.
    enum Claim: CaseIterable {
        case publicIdentityFromAStaticAddress
        case staticIdentityFromAStaticAddress
        case staticIdentityFromAPublicAddress
        case identityFromAPrivateAddress
        /// The impostor was once bonded with the victim, and therefore has its identity resolving key.
        case keyFromAPrivateAddress
        case keyFromAStaticAddress
        case keyAndIdentityFromAStaticAddress
        case sameAddress
        case sameAddressWithoutBonding
        case recordedPrivateAddress

        /// The victim's address on the air.
        var victim: BluetoothAddress {
            self == .publicIdentityFromAStaticAddress ? address(7) : address(7, kind: .random)
        }

        /// True if the impostor is bonded under its own address; otherwise the pairing is refused, or has no bond.
        var isBonded: Bool {
            switch self {
            case .publicIdentityFromAStaticAddress, .staticIdentityFromAStaticAddress,
                .staticIdentityFromAPublicAddress, .keyFromAStaticAddress, .keyAndIdentityFromAStaticAddress:
                true
            case .identityFromAPrivateAddress, .keyFromAPrivateAddress, .sameAddress, .sameAddressWithoutBonding,
                .recordedPrivateAddress:
                false
            }
        }
    }

    /// A host that is bonded with the victim.
    private struct Attack {
        let bench: PairingBench
        let host: LinkRole
        let bond: Bond
        let victimBond: Bond
        let victimKey: SecurityKey
        var other: LinkRole { host.opposite }

        init(_ claim: Claim, on host: LinkRole, _ configuration: SecurityConfiguration) throws {
            let own = address(1)
            bench = PairingBench(
                central: configuration, peripheral: configuration,
                centralAddress: host == .central ? own : claim.victim,
                peripheralAddress: host == .central ? claim.victim : own)
            self.host = host
            victimKey = .random()
            bench.manager(host.opposite).configuration.identityKey = victimKey
            bench.pair()
            bond = try #require(bench.bonds(host).bonds.first)
            victimBond = try #require(bench.bonds(host.opposite).bonds.first)
        }

        /// Connects the other side with an address.
        func connect(from address: BluetoothAddress) {
            bench.disconnect()
            if host == .central { bench.link.peripheral = address } else { bench.link.central = address }
            bench.connect()
        }

        /// Replaces the victim by the impostor.
        func begin(_ claim: Claim) {
            let manager = bench.manager(other)
            manager.forget(victimBond)
            let key = SecurityKey.random()
            manager.configuration.identityKey = key
            let (own, other) = (address(66, kind: .random), other)
            switch claim {
            case .publicIdentityFromAStaticAddress, .staticIdentityFromAStaticAddress, .keyFromAStaticAddress,
                .keyAndIdentityFromAStaticAddress:
                connect(from: own)
            case .staticIdentityFromAPublicAddress: connect(from: address(66))
            case .identityFromAPrivateAddress, .keyFromAPrivateAddress:
                manager.configuration.identityAddress = own
                connect(from: .resolvable(with: key))
            case .sameAddress, .sameAddressWithoutBonding: connect(from: claim.victim)
            case .recordedPrivateAddress: connect(from: .resolvable(with: victimKey))
            }
            manager.configuration.isBonding = claim != .sameAddressWithoutBonding
            let identity = SecurityPacket.identityAddress(claim.victim).octets
            let stolen = SecurityPacket.identityInformation(victimKey).octets
            let claimsKey = [.keyFromAPrivateAddress, .keyFromAStaticAddress, .keyAndIdentityFromAStaticAddress]
                .contains(claim)
            let claimsIdentity = ![.keyFromAPrivateAddress, .keyFromAStaticAddress].contains(claim)
            bench.tamper = { sender, packet in
                switch packet[0] {
                case 8 where sender == other && claimsKey: [stolen]
                case 9 where sender == other && claimsIdentity: [identity]
                default: [packet]
                }
            }
        }

        /// Connects the victim again.
        func end(_ claim: Claim) throws {
            bench.tamper = nil
            let manager = bench.manager(other)
            for bond in bench.bonds(other).bonds { manager.forget(bond) }
            try bench.bonds(other).save(victimBond)
            manager.configuration.identityKey = victimKey
            manager.configuration.identityAddress = claim.victim
            manager.configuration.isBonding = true
            connect(from: claim.victim)
        }

        /// The bond of the victim is unchanged, it encrypts in both address forms, and nothing else is known by its
        /// key.
        func expectVictimIsBonded(_ claim: Claim) throws {
            #expect(bench.bonds(host).bonds.first == bond)
            #expect(bench.bonds(host).bonds.count { $0.peerIdentityKey == victimKey } == 1)
            try end(claim)
            for address in [claim.victim, .resolvable(with: victimKey)] {
                connect(from: address)
                #expect(bench.manager(host).identity(of: bench.end(host)) == claim.victim)
                #expect(bench.pair().value?.level == bond.strength.level)
                #expect(bench.traffic.isEmpty && bench.keysInForce.count == 1)
            }
        }
    }

    @Test(arguments: Claim.allCases, [LinkRole.central, .peripheral])
    func aBondIsNotTakenOver(_ claim: Claim, host: LinkRole) throws {
        for capability in [IOCapability.noInputNoOutput, .keyboardDisplay] {
            for isSecure in [true, false] {
                let configuration = SecurityConfiguration(capability, secureConnections: isSecure)
                let attack = try Attack(claim, on: host, configuration)
                attack.begin(claim)
                attack.bench.pair()
                let own = attack.bench.bonds(host).bonds.dropFirst()
                #expect(own.count == (claim.isBonded ? 1 : 0) && own.allSatisfy { $0.peerIdentityKey == nil })
                #expect(own.allSatisfy { $0.peerAddress.value == address(66).value })
                if claim.isBonded { #expect(attack.bench.end(host).dropped == 1) }
                let isDistributed = claim == .identityFromAPrivateAddress
                #expect(
                    attack.bench.end(host).disconnection == (isDistributed ? .authenticationFailure : nil))
                try attack.expectVictimIsBonded(claim)
            }
        }
    }

    /// A signed write that arrives while the link is being encrypted.
    @Test func encryptionDoesNotResetACounter() throws {
        let attack = try Attack(.sameAddress, on: .central, SecurityConfiguration(.noInputNoOutput))
        let bench = attack.bench
        bench.disconnect()
        bench.connect()
        let session = try #require(bench.centralManager.session(of: bench.central))
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.pair(bench.central) { outcome($0) }
        let packet = octets("D2 1000 0102")
        let key = try #require(attack.victimBond.localSigningKey)
        let signature = AttributeSignature.make(key.key, message: packet, counter: 5)
        #expect(session.verify(packet, signature: signature))
        bench.run()
        #expect(outcome.value?.level == .encrypted && !session.verify(packet, signature: signature))
    }

    /// The impostor begins, without a request of the host; its user would accept any other question.
    @Test(
        arguments: [Claim.sameAddress, .sameAddressWithoutBonding, .recordedPrivateAddress],
        [LinkRole.central, .peripheral])
    func aPairingThatThePeerBeginsIsRefused(_ claim: Claim, host: LinkRole) throws {
        let attack = try Attack(claim, on: host, SecurityConfiguration(.noInputNoOutput))
        attack.begin(claim)
        let questions = attack.bench.user(host).questions.count
        #expect(attack.bench.pair(attack.other).value == nil)
        #expect(attack.bench.end(host).security.level == .none)
        if host == .peripheral {
            #expect(attack.bench.user(host).questions.dropFirst(questions) == [.replaceBond(claim.victim)])
            #expect(attack.bench.user(host).failures == [.replacesBond(claim.victim)])
            #expect(attack.bench.refusals.map(\.reason) == [.pairingNotSupported])
            #expect(attack.bench.refusals.map(\.sender) == [host])
        } else {
            #expect(attack.bench.user(host).lost == [attack.bond])
        }
        // Before any key was made.
        #expect(!attack.bench.codes(host).contains(.publicKey) && !attack.bench.codes(host).contains(.confirm))
        try attack.expectVictimIsBonded(claim)
    }

    /// The device was reset: the program decides that its bond is replaced.
    @Test(arguments: [Claim.sameAddress, .identityFromAPrivateAddress], [LinkRole.central, .peripheral])
    func theProgramMayReplaceABond(_ claim: Claim, host: LinkRole) throws {
        let attack = try Attack(claim, on: host, SecurityConfiguration(.noInputNoOutput))
        attack.begin(claim)
        let bench = attack.bench
        bench.user(host).replacesBonds = true
        if claim == .sameAddress, host == .central {
            // The key is missing: the bond has to be forgotten first.
            #expect(bench.pair().error != nil)
            bench.manager(host).forget(attack.bond)
        }
        #expect(bench.pair().value?.level == .encrypted)
        let bond = try #require(bench.bonds(host).bonds.first)
        #expect(bench.bonds(host).bonds.count == 1 && bond.peerAddress == claim.victim)
        #expect(bond.localKey != attack.bond.localKey && bond.localKey != nil)
        // The decision applies to one pairing.
        bench.user(host).replacesBonds = false
        bench.disconnect()
        bench.connect()
        #expect(bench.pair().value?.level == .encrypted && bench.codes(attack.other).isEmpty)
    }

    /// A bond is proved before a stronger one replaces it.
    @Test(arguments: [LinkRole.central, .peripheral], [LinkRole.central, .peripheral])
    func aStrongerKeyReplacesABondOverItsEncryption(host: LinkRole, starter: LinkRole) throws {
        let attack = try Attack(.sameAddress, on: host, SecurityConfiguration(.noInputNoOutput))
        let bench = attack.bench
        for role in [host, host.opposite] {
            bench.manager(role).configuration = SecurityConfiguration(.keyboardDisplay)
        }
        bench.disconnect()
        bench.connect()
        #expect(bench.pair(starter, level: .secureConnections).value?.level == .secureConnections)
        #expect(bench.keysInForce.count == 2)
        #expect(bench.keysInForce.first == attack.bond.localKey?.key.littleEndian)
        #expect(!bench.centralUser.questions.contains { if case .replaceBond = $0 { true } else { false } })
        #expect(!bench.peripheralUser.questions.contains { if case .replaceBond = $0 { true } else { false } })
        #expect(bench.bonds(host).bonds.map(\.strength.level) == [.secureConnections])
    }

    /// The request for a key names a bond; only the encryption proves it.
    @Test func theIdentifiersOfAKeyDoNotProveAnIdentity() throws {
        let attack = try Attack(
            .sameAddress, on: .peripheral, SecurityConfiguration(.noInputNoOutput, secureConnections: false))
        let bench = attack.bench
        let key = try #require(attack.bond.localKey)
        for impostor in [address(66, kind: .random), BluetoothAddress(value: 0x1234_5678_9ABC, kind: .random)] {
            attack.connect(from: impostor)
            let found = bench.peripheralManager.longTermKey(
                on: bench.peripheral, randomNumber: key.randomNumber, diversifier: key.diversifier)
            #expect((found == nil) == impostor.isIdentity)
            #expect(bench.peripheralManager.identity(of: bench.peripheral) == impostor)
        }
    }

    @Test func bondsHaveALimit() throws {
        let store = InMemoryBondStore()
        func bond(_ number: Int, _ isAuthenticated: Bool = false) -> Bond {
            var bond = Bond(
                localAddress: address(1), peerAddress: BluetoothAddress(value: UInt64(number), kind: .public),
                strength: KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: true))
            bond.localKey = LongTermKey(key: .random())
            return bond
        }
        let limit = Bond.limit
        try store.save(bond(0, true))
        for number in 1..<limit { try store.save(bond(number)) }
        // The first was used again, so the second goes.
        let used = try #require(store.bonds.first { $0.peerAddress.value == 1 })
        try store.update(used)
        try store.save(bond(limit))
        let kept = Set(store.bonds.map { Int($0.peerAddress.value) })
        #expect(kept.count == limit && kept.isSuperset(of: [0, 1, 3]) && !kept.contains(2))
        for number in 0..<1000 { try store.save(bond(1000 + number)) }
        #expect(store.bonds.count == limit && store.bonds.contains { $0.peerAddress.value == 0 })
        for number in 0..<limit { try store.save(bond(5000 + number, true)) }
        #expect(store.bonds.allSatisfy { $0.strength.isAuthenticated })
        // No unauthenticated bond removes an authenticated one.
        #expect(throws: RadioError.self) { try store.save(bond(9000)) }
        #expect(store.bonds.count == limit && !store.bonds.contains { $0.peerAddress.value == 9000 })
        #expect(throws: RadioError.noBond) { try store.update(bond(9000)) }
    }
}
