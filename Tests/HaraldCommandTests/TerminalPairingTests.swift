import Harald
import Synchronization
import Testing

@testable import HaraldCommand

/// The questions to a person while pairing, and the effect of the answers.
@Suite(.timeLimit(.minutes(2))) struct TerminalPairingTests {
    /// A person with prepared lines.
    private final class Person: AskedPerson {
        let isThere = true
        let questions = Mutex<[String]>([])
        private let answers: Mutex<[String]>

        init(_ answers: [String]) { self.answers = Mutex(answers) }

        func line(_ question: String) async -> String? {
            questions.withLock { $0.append(question) }
            return answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }

    private let lock: PeripheralID? = PeripheralID("C0:00:00:00:00:05" as BluetoothAddress)

    private func asked(
        _ question: PairingQuestion, _ answers: [String], _ change: (inout TerminalPairing) -> Void = { _ in }
    ) async throws -> (answer: PairingAnswer, questions: [String]) {
        let person = Person(answers)
        var pairing = TerminalPairing()
        pairing.person = person
        change(&pairing)
        let answer = await pairing.pairing(with: try #require(lock), asks: question)
        return (answer, person.questions.withLock { $0 })
    }

    @Test func anInvalidAnswerIsAskedAgain() async throws {
        let passkey = try await asked(.enterPasskey, ["12345", "12 456", "1234567", "000042", "1"])
        #expect(passkey.answer == .passkey(42) && passkey.questions.count == 4)
        let consent = try await asked(.compare(number: 7), ["maybe", "YES"])
        #expect(consent.answer == .accept && consent.questions.count == 2)
    }

    @Test func theDeviceIsNamed() async throws {
        for question in [PairingQuestion.confirm, .compare(number: 7), .enterPasskey] {
            let asked = try await asked(question, [""])
            #expect(asked.answer == .refuse && asked.questions.count == 1)
            #expect(asked.questions[0].contains("C0:00:00:00:00:05"))
        }
        #expect(try await asked(.compare(number: 7), [""]).questions[0].contains("000007"))
    }

    @Test func noAnswerRefuses() async throws {
        for question in [PairingQuestion.confirm, .compare(number: 7), .enterPasskey] {
            #expect(try await asked(question, []).answer == .refuse)
            #expect(try await asked(question, ["1"], { $0.rule = .refuse }).questions.isEmpty)
        }
    }

    @Test func optionsAnswerTheQuestions() async throws {
        let passkey = try await asked(.enterPasskey, []) { $0.givenPasskey = 123_456 }
        #expect(passkey.answer == .passkey(123_456) && passkey.questions.isEmpty)
        #expect(try await asked(.compare(number: 7), [], { $0.rule = .accept }).answer == .accept)
        #expect(TerminalPairing.passkey("000000") == 0 && TerminalPairing.passkey("999999") == 999_999)
        for text in ["", "1", "12345", "1234567", "12345a", "+12345", "١٢٣٤٥٦"] {
            #expect(TerminalPairing.passkey(text) == nil && TerminalPairing.problem(with: text) != nil)
        }
        #expect(TerminalPairing.problem(with: nil) == nil)
    }
}
