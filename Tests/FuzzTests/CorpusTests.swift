import BluetoothModel
import Testing

@testable import HaraldFuzz

/// The stored inputs, which reach distinct code or found faults, without sanitizers.
@Suite struct CorpusTests {
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
