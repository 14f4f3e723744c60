import BluetoothModel
import Testing

@testable import BluetoothHost

/// Each check against a peer, or a device in the middle, that violates the protocol.
@Suite struct MisbehavingPeerTests {
    private static let roles = [LinkRole.central, .peripheral]

    private func numeric() -> PairingBench {
        PairingBench(central: SecurityConfiguration(.displayYesNo), peripheral: SecurityConfiguration(.displayYesNo))
    }

    private func passkey(_ isSecure: Bool) -> PairingBench {
        PairingBench(
            central: SecurityConfiguration(.displayOnly, secureConnections: isSecure),
            peripheral: SecurityConfiguration(.keyboardOnly))
    }

    // MARK: Public keys

    @Test(arguments: roles) func aKeyOffTheCurveIsRefused(_ victim: LinkRole) {
        let bench = numeric()
        bench.change(to: victim, 12) { packet in packet.enumerated().map { $0 == 40 ? $1 ^ 1 : $1 } }
        bench.expectRefusal(by: victim, .invalidParameters)
    }

    @Test(arguments: roles) func aKeyOfZerosIsRefused(_ victim: LinkRole) {
        let bench = numeric()
        bench.change(to: victim, 12) { packet in [12] + [UInt8](repeating: 0, count: 64) }
        bench.expectRefusal(by: victim, .invalidParameters)
    }

    @Test func aReflectedPublicKeyIsRefused() {
        let bench = numeric()
        var own: [UInt8] = []
        bench.tamper = { sender, packet in
            guard packet[0] == 12 else { return [packet] }
            if sender == .central { own = packet }
            return [own]
        }
        bench.expectRefusal(by: .central, .invalidParameters)
    }

    @Test func theMirrorImageOfOurKeyIsRefused() {
        let bench = numeric()
        let prime = octets("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        var own: [UInt8] = []
        bench.tamper = { sender, packet in
            guard packet[0] == 12 else { return [packet] }
            guard sender == .peripheral else {
                own = packet
                return [packet]
            }
            // The other point with the same x has p - y, here with the least significant octet first.
            var mirrored = Array(own.prefix(33))
            var borrow = 0
            for index in 0..<32 {
                let difference = Int(prime[31 - index]) - Int(own[33 + index]) - borrow
                borrow = difference < 0 ? 1 : 0
                mirrored.append(UInt8(truncatingIfNeeded: difference))
            }
            return [mirrored]
        }
        bench.expectRefusal(by: .central, .invalidParameters)
    }

    @Test func thePeripheralRefusesItsOwnKeyToo() {
        // Both sides generate the same random numbers, and so the same key.
        let bench = PairingBench(random: { [UInt8](repeating: 7, count: $0) })
        bench.expectRefusal(by: .peripheral, .invalidParameters)
    }

    @Test(arguments: roles) func theDebugKeyIsRefusedUnlessAllowed(_ victim: LinkRole) {
        var debug = SecurityConfiguration(.noInputNoOutput)
        debug.usesDebugKey = true
        var tolerant = SecurityConfiguration(.noInputNoOutput)
        let strict = tolerant
        let refusing = PairingBench(
            central: victim == .central ? strict : debug, peripheral: victim == .central ? debug : strict)
        refusing.expectRefusal(by: victim, .invalidParameters)
        tolerant.allowsDebugKey = true
        let bench = PairingBench(
            central: victim == .central ? tolerant : debug, peripheral: victim == .central ? debug : tolerant)
        #expect(bench.pair().value == LinkSecurity(level: .encrypted, keySize: 16))
        #expect(bench.centralBonds.bonds.isEmpty && bench.peripheralBonds.bonds.isEmpty)
        let both = PairingBench(central: debug, peripheral: debug)
        #expect(both.pair().value?.level == .encrypted)
    }

    // MARK: Confirm values, nonces and checks

    @Test(arguments: roles) func aWrongKeyCheckIsRefused(_ victim: LinkRole) {
        let bench = numeric()
        bench.change(to: victim, 13) { packet in packet.enumerated().map { $0 == 16 ? $1 ^ 0x80 : $1 } }
        bench.expectRefusal(by: victim, .dhKeyCheckFailed)
    }

    @Test func theKeyCheckCannotBeLeftOut() {
        // Central: without the peripheral's check nothing is encrypted.
        let one = numeric()
        one.tamper = { sender, packet in sender == .peripheral && packet[0] == 13 ? [] : [packet] }
        one.pair()
        #expect(one.encryptions == 0 && one.central.security.level == .none)
        // Peripheral: before the central's check there is no key.
        let other = numeric()
        other.tamper = { sender, packet in sender == .central && packet[0] == 13 ? [] : [packet] }
        other.pair()
        #expect(other.peripheralManager.longTermKey(on: other.peripheral, randomNumber: 0, diversifier: 0) == nil)
        // A key that belongs after the check arrives in its place.
        let early = numeric()
        early.change(to: .peripheral, 13) { _ in [8] + [UInt8](1...16) }
        early.expectRefusal(by: .peripheral, .unspecifiedReason)
    }

    @Test func aNonceThatWasNotCommittedToIsRefused() {
        let bench = numeric()
        bench.change(to: .central, 4) { packet in packet.enumerated().map { $0 == 1 ? $1 ^ 1 : $1 } }
        bench.expectRefusal(by: .central, .confirmValueFailed)
    }

    @Test func aManInTheMiddleMakesTheNumbersDiffer() {
        // The commitment and the nonce match, but the two sides have different nonces of the central.
        let bench = numeric()
        bench.tamper = { sender, packet in
            sender == .central && packet[0] == 4 ? [packet.enumerated().map { $0 == 9 ? $1 ^ 1 : $1 }] : [packet]
        }
        #expect(bench.pair().error != nil)
        #expect(bench.centralUser.questions != bench.peripheralUser.questions)
        #expect(bench.refusals.first?.reason == .numericComparisonFailed)
        #expect(bench.central.security.level == .none)
    }

    @Test(arguments: [true, false]) func aReflectedConfirmValueIsRefused(isSecure: Bool) {
        let bench = passkey(isSecure)
        var own: [UInt8] = []
        bench.tamper = { sender, packet in
            guard packet[0] == 3 || packet[0] == 4 else { return [packet] }
            if sender == .central { own = packet }
            return [own]
        }
        bench.expectRefusal(by: .central, .confirmValueFailed)
    }

    @Test(arguments: [true, false]) func aReflectedNonceIsRefused(isSecure: Bool) {
        let bench = passkey(isSecure)
        var own: [UInt8] = []
        bench.tamper = { sender, packet in
            guard packet[0] == 4 else { return [packet] }
            if sender == .central { own = packet }
            return [own]
        }
        bench.expectRefusal(by: .central, .confirmValueFailed)
    }

    @Test(arguments: [true, false]) func aWrongPasskeyIsRefused(isSecure: Bool) {
        let bench = passkey(isSecure)
        let outcome = Outcome<LinkSecurity>()
        bench.centralManager.pair(bench.central) { outcome($0) }
        bench.carry()
        let wrong = ((bench.centralUser.shown ?? 0) ^ 0x4_0000) % 1_000_000
        bench.peripheralUser.answer(.passkey(wrong))
        bench.run()
        #expect(outcome.error != nil && bench.refusals.map(\.reason) == [.confirmValueFailed])
        #expect(bench.central.security.level == .none && bench.peripheral.security.level == .none)
    }

    @Test func aPasskeyOutOfRangeIsRefused() {
        for isSecure in [true, false] {
            for answer in [SecurityAnswer.passkey(1_000_000), .passkey(.max), .accept] {
                let bench = passkey(isSecure)
                bench.peripheralUser.onQuestion = { _ in answer }
                #expect(bench.pair().error != nil && bench.refusals.first?.reason == .passkeyEntryFailed)
            }
        }
    }

    // MARK: State

    @Test(arguments: SecurityPacketTests.samples) func packetsOutsideAPairingAreIgnored(_ sample: String) {
        for role in Self.roles {
            let bench = PairingBench()
            let packet = octets(sample)
            bench.deliver(packet, from: role.opposite)
            let begins = packet[0] == (role == .peripheral ? 1 : 11)
            let isWrongSide = packet[0] == (role == .peripheral ? 11 : 1)
            #expect(bench.end(role).dropped == (begins || isWrongSide ? 0 : 1))
            bench.carry()
            let answers = bench.refusals.filter { $0.sender == role }.map(\.reason)
            #expect(answers == (isWrongSide ? [.commandNotSupported] : []))
            #expect(bench.central.security.level == .none && bench.encryptions == 0)
        }
    }

    @Test(arguments: SecurityPacketTests.samples) func unexpectedPacketsEndThePairing(_ sample: String) {
        // The peripheral waits for the central's public key, the central for the response.
        let packet = octets(sample)
        let request = octets("01 03 00 09 10 00 00")
        let bench = PairingBench()
        bench.deliver(request, from: .central)
        bench.peripheralUser.answer(.accept)
        bench.carry()
        bench.deliver(packet, from: .central)
        bench.carry()
        let expected: [PairingFailureReason] =
            switch packet[0] {
            case 5, 14: []
            case 12: [.invalidParameters]
            default: [.unspecifiedReason]
            }
        #expect(bench.refusals.filter { $0.sender == .peripheral }.map(\.reason) == expected)
        #expect(bench.peripheralUser.failures.count == (packet[0] == 14 ? 0 : 1))
    }

    @Test func packetsOfTheWrongLengthAreRefused() {
        let bench = PairingBench()
        bench.deliver([1, 3, 0, 1, 16, 7], from: .central)
        bench.deliver([1], from: .central)
        bench.deliver([11], from: .peripheral)
        bench.deliver([], from: .central)
        bench.deliver([0x33, 1, 2], from: .central)
        bench.carry()
        #expect(bench.refusals.map(\.reason) == [.invalidParameters, .invalidParameters, .invalidParameters])
        #expect(bench.peripheral.dropped == 4 + 1 && bench.central.dropped == 1 + 2)
        let other = numeric()
        other.change(to: .central, 3) { Array($0.dropLast()) }
        other.expectRefusal(by: .central, .invalidParameters)
    }
}
