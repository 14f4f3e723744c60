import BluetoothModel
import Testing

@testable import BluetoothHost

/// A derived key that is no secret is never used.
@Suite struct DegenerateKeyTests {
    /// The events of a pairing.
    private final class Owner: PairingOwner {
        var sent: [SecurityPacket] = []
        var encrypted = 0
        var ended: [PairingFailure] = []

        func send(_ packet: SecurityPacket) { sent.append(packet) }
        func heard(_ keypress: Keypress) {}
        func reached(_ step: PairingStep) {}
        func drop(_ packet: SecurityPacket) {}
        func encrypt(with key: PairingKey, strength: KeyStrength) { encrypted += 1 }
        func makeKeys(_ kinds: KeyDistribution, size: UInt8) -> DistributedKeys { DistributedKeys() }
        let contestedBond: Bond? = nil
        func adopted(_ keys: DistributedKeys) -> (keys: DistributedKeys, bond: Bond?) { (keys, nil) }
        func permitReplacement(of bond: Bond) {}
        func takeLocalOutOfBandData() -> LocalOutOfBandData? { nil }
        func ask(_ question: SecurityQuestion) {}
        func pairingEnded(_ result: Result<KeyExchange, PairingFailure>) {
            if case .failure(let failure) = result { ended.append(failure) }
        }
    }

    private func pairing(_ owner: Owner, _ role: LinkRole, _ keySizes: ClosedRange<UInt8>) -> Pairing {
        let policy = PairingPolicy(
            capability: .noInputNoOutput, wantsMITM: false, isBonding: true, offersSecureConnections: true,
            sendsKeypresses: false, minimumLevel: .none, keySizes: keySizes, ownKeys: .all, peerKeys: .all,
            allowsDebugKey: false)
        let pairing = Pairing(
            Pairing.Parameters(
                role: role, policy: policy, ownAddress: address(1), peerAddress: address(2), isWanted: true,
                usesDebugKey: false, passkey: nil, limiter: InMemoryPasskeyLimiter(), random: SecurityRandom.system),
            owner: owner)
        if role == .central {
            pairing.start()
            pairing.receive(.pairingResponse(policy.makeResponse(to: policy.makeRequest())))
        } else {
            pairing.start(with: policy.makeRequest())
        }
        return pairing
    }

    @Test(arguments: [LinkRole.central, .peripheral], [0, 0xFF, 0x42] as [UInt8])
    func aDegenerateKeyIsNotUsed(_ role: LinkRole, _ octet: UInt8) {
        for size in [UInt8(16), 7] {
            // The truncated octets have no effect.
            let head: [UInt8] = size == 7 ? Array(1...9) : [UInt8](repeating: octet, count: 9)
            let owner = Owner()
            let pairing = pairing(owner, role, 7...size)
            pairing.agreed(on: head + [UInt8](repeating: octet, count: 7), isDebug: false)
            #expect(owner.encrypted == 0 && pairing.awaitedKey == nil)
            #expect(owner.ended == [.refused(.unspecifiedReason)])
        }
        let owner = Owner()
        let pairing = pairing(owner, role, 16...16)
        pairing.agreed(on: Array(1...16), isDebug: false)
        #expect(owner.ended.isEmpty && (role == .central ? owner.encrypted == 1 : pairing.awaitedKey != nil))
    }
}
