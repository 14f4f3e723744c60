import BluetoothModel
import Testing

@testable import BluetoothHost

/// Pairings over a lossy link, with users that answer at random, and peers that send random packets.
@Suite struct SecurityFuzzTests {
    private func configuration(_ dice: Dice) -> SecurityConfiguration {
        var configuration = SecurityConfiguration(
            IOCapability.allCases[dice.below(5)], mitm: dice.chance(2), secureConnections: !dice.chance(3),
            keySizes: dice.chance(4) ? 7...UInt8(7 + dice.below(10)) : 16...16)
        configuration.isBonding = !dice.chance(6)
        configuration.sendsKeypresses = dice.chance(2)
        configuration.secureConnectionsOnly = dice.chance(10)
        configuration.ownKeys = KeyDistribution(rawValue: UInt8(dice.below(16)))
        configuration.peerKeys = KeyDistribution(rawValue: UInt8(dice.below(16)))
        if dice.chance(5) {
            let key = SecurityKey(octets: [UInt8](repeating: 3, count: 15) + [4])
            configuration.outOfBandData = { _ in PeerOutOfBandData(temporaryKey: key) }
        }
        return configuration
    }

    private func mutate(_ packet: [UInt8], _ dice: Dice, _ recorded: inout [[UInt8]]) -> [[UInt8]] {
        recorded.append(packet)
        guard dice.chance(12) else { return [packet] }
        var changed = packet
        switch dice.below(8) {
        case 0: return []
        case 1: return [packet, packet]
        case 2: changed[dice.below(changed.count)] ^= 1 << UInt8(dice.below(8))
        case 3: changed = Array(changed.prefix(dice.below(changed.count + 1)))
        case 4: changed += dice.octets(1 + dice.below(4))
        case 5: changed = [UInt8(dice.below(16))] + dice.octets(dice.below(70))
        case 6: return [recorded[dice.below(recorded.count)], packet]
        default:
            let sample = SecurityPacketTests.samples[dice.below(SecurityPacketTests.samples.count)]
            return [octets(sample), packet]
        }
        return [changed]
    }

    private func answer(_ user: PairingUser, _ other: PairingUser, _ dice: Dice) -> Bool {
        guard let question = user.pending?.question else { return false }
        if dice.chance(15) {
            user.answer([.refuse, .accept, .passkey(UInt32(dice.below(1_000_001)))][dice.below(3)])
            return true
        }
        switch question {
        case .display: return false
        case .enterPasskey: user.answer(.passkey(other.shown ?? 1))
        case .confirm, .compare, .replaceBond: user.answer(.accept)
        }
        return true
    }

    /// Runs one link with several requests; returns its fault in the end.
    private func session(_ seed: UInt64) -> String? {
        let dice = Dice(seed)
        let bench = PairingBench(
            central: configuration(dice), peripheral: configuration(dice), random: { dice.octets($0) })
        var recorded: [[UInt8]] = []
        bench.tamper = { [unowned bench] _, packet in
            if dice.chance(150) { bench.queue.append { bench.disconnect() } }
            return mutate(packet, dice, &recorded)
        }
        var outcomes: [Outcome<LinkSecurity>] = []
        for _ in 0..<(1 + dice.below(3)) {
            let outcome = Outcome<LinkSecurity>()
            outcomes.append(outcome)
            let role: LinkRole = dice.chance(2) ? .central : .peripheral
            let level = LinkSecurity.Level(rawValue: 2 + dice.below(3)) ?? .encrypted
            bench.manager(role).secure(bench.end(role), to: level) { outcome($0) }
            var steps = 0
            repeat {
                bench.carry()
                steps += 1
                guard steps < 200 else { return "the users were asked again and again" }
            } while answer(bench.centralUser, bench.peripheralUser, dice)
                || answer(bench.peripheralUser, bench.centralUser, dice)
            if dice.chance(3) { bench.time.advance(by: .seconds(dice.below(40))) }
        }
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(31))
            bench.carry()
        }
        if outcomes.contains(where: { $0.count != 1 }) { return "a caller was answered \(outcomes.map(\.count)) times" }
        for role in [LinkRole.central, .peripheral] {
            if case .pairing? = bench.manager(role).session(of: bench.end(role))?.state { return "still pairing" }
            if bench.user(role).pending != nil { return "a question is left over" }
        }
        if bench.central.isOpen, bench.central.security.level != .none {
            let (one, other) = (bench.central.security, bench.peripheral.security)
            if one.level != other.level || one.keySize != other.keySize { return "\(one) here, \(other) there" }
        }
        let floor = bench.centralManager.configuration.keySizes.lowerBound
        if bench.centralBonds.bonds.contains(where: { $0.strength.keySize < floor }) { return "a short key was kept" }
        return nil
    }

    @Test func everyPairingEndsWithAnyPackets() {
        let first = UInt64.random(in: 0...UInt64.max / 2)
        for seed in first..<first + 2000 {
            let fault = session(seed)
            #expect(fault == nil, "seed \(seed)")
            if fault != nil { break }
        }
    }

    @Test func randomPacketsAreIgnored() {
        let seed = UInt64.random(in: 0...UInt64.max / 2)
        let dice = Dice(seed)
        for _ in 0..<300 {
            let bench = PairingBench(random: { dice.octets($0) })
            for _ in 0..<30 {
                let role: LinkRole = dice.chance(2) ? .central : .peripheral
                bench.deliver([UInt8(dice.below(20))] + dice.octets(dice.below(70)), from: role)
                if dice.chance(3) { bench.carry() }
                if dice.chance(8) { bench.peripheralUser.answer(.accept) }
            }
            bench.carry()
            #expect(bench.central.security.level == .none && bench.peripheral.security.level == .none, "seed \(seed)")
        }
    }
}
