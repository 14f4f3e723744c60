import BluetoothModel
import Testing

@testable import BluetoothHost

/// Keys that must be refused, and peers that distribute keys too early.
@Suite struct MisbehavingKeyTests {
    /// Replaces the peer's packet of one kind during key distribution.
    private func handOver(
        _ code: UInt8, _ packet: [UInt8], isSecure: Bool = false
    ) -> PairingBench {
        let bench = PairingBench(central: SecurityConfiguration(.noInputNoOutput, secureConnections: isSecure))
        bench.change(to: .central, code) { _ in packet }
        bench.pair()
        return bench
    }

    @Test(arguments: [0, 0xFF, 0x42] as [UInt8]) func aKeyOfEqualOctetsIsRejected(_ octet: UInt8) {
        for code in [UInt8(6), 10] {
            let bench = handOver(code, [code] + [UInt8](repeating: octet, count: 16))
            #expect(bench.refusals.first?.reason == .keyRejected && bench.refusals.first?.sender == .central)
            #expect(bench.central.disconnection == .authenticationFailure && bench.centralBonds.bonds.isEmpty)
        }
    }

    @Test func reflectedKeysAreRejected() {
        let key = handOver(8, [8] + [UInt8](repeating: 1, count: 16)).centralManager.identityKey
        #expect(key.octets.count == 16)
        let bench = PairingBench()
        let own = bench.centralManager.identityKey.littleEndian
        bench.change(to: .central, 8) { _ in [8] + own }
        bench.pair()
        #expect(bench.refusals.map(\.reason) == [.keyRejected] && bench.centralBonds.bonds.isEmpty)
        let identity = PairingBench()
        identity.change(to: .central, 9) { _ in octets("09 00 0100000000C0") }
        identity.pair()
        #expect(identity.refusals.map(\.reason) == [.keyRejected])
    }

    @Test func aPrivateAddressIsRefusedAsIdentity() {
        let bench = handOver(9, octets("09 01 665544332251"))
        #expect(bench.refusals.map(\.reason) == [.invalidParameters] && bench.centralBonds.bonds.isEmpty)
    }

    @Test func aZeroIdentityKeyMeansNone() {
        let bench = handOver(8, [8] + [UInt8](repeating: 0, count: 16))
        #expect(bench.centralBonds.bonds.first?.peerIdentityKey == nil && bench.centralBonds.bonds.count == 1)
    }

    @Test func keysOutOfOrderAreRefused() {
        let bench = handOver(6, octets("07 3412 0102030405060708"))
        #expect(bench.refusals.map(\.reason) == [.unspecifiedReason] && bench.centralBonds.bonds.isEmpty)
    }

    @Test func keysBeforeEncryptionAreRefused() {
        // The peripheral distributes a key instead of its DHKey check or random value.
        for isSecure in [true, false] {
            let bench = PairingBench(central: SecurityConfiguration(.noInputNoOutput, secureConnections: isSecure))
            bench.change(to: .central, isSecure ? 13 : 4) { _ in [6] + [UInt8](1...16) }
            bench.expectRefusal(by: .central, .unspecifiedReason)
        }
        // The central distributes a key instead of encrypting.
        let bench = PairingBench()
        bench.tamper = { sender, packet in
            sender == .peripheral && packet[0] == 13 ? [] : [packet]
        }
        bench.pair()
        bench.deliver([8] + [UInt8](1...16), from: .central)
        bench.carry()
        #expect(bench.refusals.map(\.reason) == [.unspecifiedReason])
        #expect(bench.peripheralManager.longTermKey(on: bench.peripheral, randomNumber: 0, diversifier: 0) == nil)
    }

    @Test func aCentralCannotEncryptWithAnotherKeyWhilePairing() throws {
        let bench = PairingBench(central: SecurityConfiguration(.noInputNoOutput, secureConnections: false))
        bench.pair()
        let bond = try #require(bench.peripheralBonds.bonds.first?.localKey)
        bench.disconnect()
        bench.connect()
        #expect(
            bench.peripheralManager.longTermKey(
                on: bench.peripheral, randomNumber: bond.randomNumber, diversifier: bond.diversifier) == bond.key)
        bench.deliver(octets("01 03 00 01 10 00 00"), from: .central)
        #expect(
            bench.peripheralManager.longTermKey(
                on: bench.peripheral, randomNumber: bond.randomNumber, diversifier: bond.diversifier) == nil)
    }
}
