import BluetoothModel
import Testing

@testable import BluetoothHost

extension PairingBench {
    /// Pairs, and expects that `victim` ends it with `reason` and nothing is encrypted or kept.
    func expectRefusal(
        by victim: LinkRole, _ reason: PairingFailureReason, _ location: SourceLocation = #_sourceLocation
    ) {
        let outcome = pair()
        #expect(outcome.count == 1 && outcome.error != nil, sourceLocation: location)
        #expect(refusals.first?.reason == reason, sourceLocation: location)
        #expect(refusals.first?.sender == victim, sourceLocation: location)
        #expect(central.security == LinkSecurity(), sourceLocation: location)
        #expect(peripheral.security == LinkSecurity(), sourceLocation: location)
        #expect(centralBonds.bonds.isEmpty && peripheralBonds.bonds.isEmpty, sourceLocation: location)
        #expect(user(victim).failures == [.refused(reason)], sourceLocation: location)
    }

    /// Changes every packet of one kind that goes to `victim`.
    func change(to victim: LinkRole, _ code: UInt8, _ change: @escaping ([UInt8]) -> [UInt8]) {
        tamper = { sender, packet in
            [sender != victim && packet[0] == code ? change(packet) : packet]
        }
    }
}
