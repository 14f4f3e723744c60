import BluetoothModel
import Testing

@testable import BluetoothHost

/// The limit of attempts on a passkey that is the same in each pairing.
@Suite struct FixedPasskeyTests {
    private static let passkey: UInt32 = 123_456

    /// Creates a bench where the attacker enters a passkey and the device shows the fixed one, or the device enters it.
    private static func bench(secureConnections: Bool, deviceEnters: Bool = false) -> PairingBench {
        let bench = PairingBench(
            central: SecurityConfiguration(
                deviceEnters ? .displayOnly : .keyboardOnly, secureConnections: secureConnections),
            peripheral: SecurityConfiguration(
                deviceEnters ? .keyboardOnly : .displayOnly, secureConnections: secureConnections))
        bench.peripheralUser.user = SecurityUser(
            capability: deviceEnters ? .keyboardOnly : .displayOnly, wantsMITM: true, passkey: passkey)
        if deviceEnters {
            bench.peripheralUser.onQuestion = { $0 == .enterPasskey ? .passkey(Self.passkey) : nil }
        }
        return bench
    }

    /// Returns true if the device revealed a confirm value, with which the attacker can verify a guess.
    private static func wasEvaluated(_ bench: PairingBench) -> Bool { bench.codes(.peripheral).contains(.confirm) }

    private static func attempt(_ bench: PairingBench, from number: UInt64, with guess: UInt32?) -> Bool {
        bench.disconnect()
        // Longer than the longest waiting interval after a failed attempt.
        bench.time.advance(by: .seconds(600))
        bench.link = (BluetoothAddress(value: number | 0b11 << 46, kind: .random), bench.link.peripheral)
        bench.connect()
        bench.centralUser.onQuestion = { question in
            question == .enterPasskey ? guess.map { .passkey($0) } ?? .refuse : nil
        }
        return bench.pair().value != nil
    }

    @Test(arguments: [true, false])
    func sevenDaysOfFreshAddressesGetThreeAttempts(secureConnections: Bool) {
        let bench = Self.bench(secureConnections: secureConnections)
        var evaluated = 0
        // An attempt every ten minutes, each from another address.
        for number in 1...(7 * 24 * 6) {
            #expect(!Self.attempt(bench, from: UInt64(number), with: UInt32(number)))
            if Self.wasEvaluated(bench) { evaluated += 1 }
        }
        #expect(evaluated == 3)
        #expect(bench.peripheralUser.blocks == 1)
        #expect(bench.refusals.last?.reason == .repeatedAttempts)
        // The correct passkey is refused too, until the program allows it again.
        #expect(!Self.attempt(bench, from: 5000, with: Self.passkey))
        try? bench.peripheralManager.allowPasskey(Self.passkey)
        #expect(Self.attempt(bench, from: 5001, with: Self.passkey))
    }

    @Test func aSuccessDoesNotResetFailures() {
        let bench = Self.bench(secureConnections: true)
        #expect(!Self.attempt(bench, from: 1, with: 1))
        #expect(!Self.attempt(bench, from: 2, with: 2))
        for number in 3..<8 { #expect(Self.attempt(bench, from: UInt64(number), with: Self.passkey)) }
        #expect(!Self.attempt(bench, from: 9, with: 3))
        #expect(!Self.attempt(bench, from: 10, with: Self.passkey))
        #expect(bench.peripheralUser.blocks == 1)
    }

    /// An attacker that disconnects in the middle has learned a part as well.
    @Test func anAbortedAttemptCounts() {
        let bench = Self.bench(secureConnections: true)
        for number in 1...3 {
            bench.tamper = { [unowned bench] sender, packet in
                // The attacker disconnects after the first confirm value.
                if sender == .peripheral, packet.first == SecurityPacket.Code.confirm.rawValue {
                    bench.queue.append { bench.disconnect() }
                    return []
                }
                return [packet]
            }
            #expect(!Self.attempt(bench, from: UInt64(number), with: Self.passkey))
        }
        bench.tamper = nil
        #expect(bench.peripheralUser.blocks == 1)
        #expect(!Self.attempt(bench, from: 4, with: Self.passkey))
        #expect(!Self.wasEvaluated(bench))
    }

    @Test func aDeviceThatEntersAFixedPasskeyCountsToo() {
        let bench = Self.bench(secureConnections: true, deviceEnters: true)
        var evaluated = 0
        for number in 1...20 {
            // The attacker displays another number.
            #expect(!Self.attempt(bench, from: UInt64(number), with: nil))
            if Self.wasEvaluated(bench) { evaluated += 1 }
        }
        #expect(evaluated == 3 && bench.peripheralUser.blocks == 1)
    }

    @Test func aFreshPasskeyHasNoLimit() {
        let bench = Self.bench(secureConnections: true)
        bench.peripheralUser.user = SecurityUser(capability: .displayOnly, wantsMITM: true)
        for number in 1...10 { #expect(!Self.attempt(bench, from: UInt64(number), with: 1)) }
        #expect(Self.wasEvaluated(bench) && bench.peripheralUser.blocks == 0)
    }
}
