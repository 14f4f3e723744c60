import BluetoothModel
import TestSupport
import Testing

@testable import HaraldFuzz

/// The stored inputs, which reach distinct code or found faults, without sanitizers.
@Suite(.blocksThread, .timeLimit(.minutes(5))) struct CorpusTests {
    @Test(arguments: FuzzTarget.all) func theCorpusHasNoFindings(_ target: FuzzTarget) throws {
        let inputs = try target.seeds() + Corpus(of: target).inputs
        #expect(!inputs.isEmpty)
        for input in inputs {
            do throws(Finding) {
                try target.run(input)
            } catch {
                Issue.record("\(target.name): \(input.hexText()): \(error)")
            }
        }
    }

    /// The generator is seeded, so that the result depends on the code alone.
    @Test(arguments: ["replay", "survey"]) func mutatedInputsHaveNoFindings(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = target.seeds()
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        for _ in 0..<1000 {
            var input = seeds[random(seeds.count)]
            for _ in 0...random(6) where !input.isEmpty {
                input[random(input.count)] = [0, 1, 0xFF, 0x7F, UInt8(random(256))][random(5)]
            }
            do throws(Finding) { try target.run(input) } catch {
                Issue.record("\(target.name): \(input.hexText()): \(error)")
            }
        }
    }

    @Test func targetNamesAreUnique() {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
    }

    @Test func aCorpusRoundTrips() throws {
        #expect(Corpus.text([[2, 3], [], [0xFF], [2, 3]]) == "FF\n0203\n")
    }
}

extension FuzzTarget: CustomTestStringConvertible {
    /// The name of the target.
    public var testDescription: String { name }
}
