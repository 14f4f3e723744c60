import Foundation
import Testing

@testable import HaraldSimulation

/// Programs as text.
struct ProgramTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func aProgramRoundTripsAsText(seed: UInt64) throws {
        let program = Program(seed: seed)
        #expect(!program.steps.isEmpty)
        #expect(try Program(program.description) == program)
        #expect(Program(seed: seed) == program)
        #expect(Program(seed: seed + 1) != program)
    }

    @Test(
        arguments: [
            ("", "the line 'world"), ("0 h0 scan", "line 1: the first line must begin with 'world'"),
            ("world hosts=9", "'hosts=9' is not one of"), ("world seed=1\n5 h0 jump", "line 2: 'jump' is not a verb"),
            ("world hosts=2\n5 h2 scan", "line 2: there is no such host"), ("world\n-5 h0 scan", "'-5' is not a time"),
            ("world\n5 h0 scan x", "'x' is neither"),
        ]) func anInvalidTextIsAnErrorWithItsCause(_ text: String, _ reason: String)
    {
        let error = #expect(throws: ActionSyntaxError.self) { try Program(text) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func everyStoredProgramIsOne() throws {
        #expect(Corpus.files.count > 50)
        for file in Corpus.files {
            #expect(throws: Never.self, "\(file)") { try Program(String(contentsOfFile: file, encoding: .utf8)) }
        }
    }

    /// Mutations are programs: they have steps, and their text has the same meaning.
    @Test func mutationsAreValid() throws {
        var programs: Set<Program> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            var (first, second) = (SimulationGenerator(seed: seed), SimulationGenerator(seed: seed))
            let program = Corpus.mutation(seed: seed, &first)
            #expect(!program.steps.isEmpty)
            #expect(!program.steps.contains { $0.verb.hasTarget && $0.host == $0.target })
            #expect(try Program(program.description) == program)
            #expect(Corpus.mutation(seed: seed, &second) == program)
            programs.insert(program)
        }
        #expect(programs.count == 200)
    }

    @Test func foreignValuesAreDetected() {
        let stamp = Stamp(host: 3, place: 2, number: 70_000, length: 40)
        #expect(Stamp(stamp.bytes) == stamp)
        for place in stamp.bytes.indices {
            var bytes = stamp.bytes
            bytes[place] ^= 0x10
            #expect(Stamp(bytes) != stamp)
        }
        #expect(Stamp([]) == nil)
    }
}
