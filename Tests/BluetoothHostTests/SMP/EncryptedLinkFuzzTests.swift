#if canImport(VirtualBluetooth)
import BluetoothRuntime
import Foundation
import Testing
import VirtualBluetooth

@testable import BluetoothHost

/// Random and mutated traffic of SMP and ATT on links of the virtual air.
///
///     HARALD_FUZZ_SECONDS=60     for how long (2)
///     HARALD_FUZZ_SEED=NUMBER    the first seed; each link has the next one
@Suite(.timeLimit(.minutes(40))) struct EncryptedLinkFuzzTests {
    @Test func noProtectedDataLeaksAndEveryOperationEnds() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["HARALD_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        let first = environment["HARALD_FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 48)
        // Printed before the run: a crash prints nothing.
        print("EncryptedLinkFuzzTests: HARALD_FUZZ_SEED=\(first)")
        var seed = first
        var encrypted = 0
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            let (fault, isEncrypted) = try await session(seed)
            if isEncrypted { encrypted += 1 }
            #expect(fault == nil, "repeat it with HARALD_FUZZ_SEED=\(seed) HARALD_FUZZ_SECONDS=0")
            if fault != nil { break }
            seed += 1
        } while ContinuousClock.now < end
        print("EncryptedLinkFuzzTests: \(seed - first) links, \(encrypted) of them encrypted")
    }

    /// Runs one link from its beginning to its end; returns its fault, and if it was encrypted before the first invalid
    /// packet.
    private func session(_ seed: UInt64) async throws -> (fault: String?, isEncrypted: Bool) {
        let test = try await AirTest { _ in }
        let fuzz = try await test.run { LoopBound(confined: EncryptedLinkFuzz($0, seed: seed), loop: $0.loop) }
        try await test.until("both hosts are ready") { $0.isReady }
        try await test.run { _ in try fuzz.value.connect() }
        try await test.until("both sides have the link") { _ in fuzz.value.isConnected }
        try await test.run { _ in fuzz.value.listen() }
        try await test.until("the open value was read") { _ in fuzz.value.ended.count == 1 }
        // Some links are never protected before it begins.
        if try await test.run({ _ in !fuzz.value.dice.chance(5) }) {
            try await test.run { _ in fuzz.value.pair(from: 0) }
            try await test.until("pairing ended") { _ in
                fuzz.value.answer()
                return fuzz.value.ended.count == 2
            }
        }
        let isEncrypted = try await test.run { _ in fuzz.value.isEncrypted }
        for _ in 0..<12 {
            let pause = try await test.run { _ in
                let fuzz = fuzz.value
                fuzz.work()
                for _ in 0..<fuzz.dice.below(4) { fuzz.inject() }
                if fuzz.dice.chance(3) { fuzz.work() }
                fuzz.answer()
                return fuzz.dice.chance(15) ? 2000 + fuzz.dice.below(30_000) : 1 + fuzz.dice.below(40)
            }
            await test.clock.advance(by: .milliseconds(pause))
        }
        // The longest that anything may take: pairing and requests 30 s each, one after the other.
        for _ in 0..<4 { await test.clock.advance(by: .seconds(31)) }
        let fault = try await test.run { _ in fuzz.value.fault }
        try await test.end()
        return (fault, isEncrypted)
    }
}
#endif
