import Foundation
import JSON
import Testing

@testable import HealthHub

/// The text of the answer to a batch.
@Suite struct BatchResultTests {
    @Test func hasEveryMemberInAlphabeticalOrder() throws {
        let rule = try #require(try Assessor().rules.first)
        let judgement = Judgement.judged(rule, sentence: "142/88 mmHg: \"high\"")
        let batch = BatchResult(
            results: [
                ReadingResult(index: 0, status: .stored, id: "7", person: "1", judgement: judgement),
                ReadingResult(index: 1, status: .refused, problem: "hex is\nmissing"),
            ], people: [1, 2], states: [2: #"{"b":2}"#, 1: #"{"a":1}"#])
        let expected: JSONValue = [
            "results": [
                [
                    "index": .int(0), "status": "stored", "id": "7", "problem": .null, "person": "1",
                    "judgement": judgement.json(),
                ],
                [
                    "index": .int(1), "status": "refused", "id": .null, "problem": "hex is\nmissing",
                    "person": .null, "judgement": .null,
                ],
            ], "states": ["1": ["a": .int(1)], "2": ["b": .int(2)]],
        ]
        // The encoded form of a value has its keys in alphabetical order.
        #expect(String(decoding: batch.json, as: UTF8.self) == expected.text)
    }

    @Test func isEmptyWithoutReadings() {
        let json = BatchResult(results: [], people: []).json
        #expect(String(decoding: json, as: UTF8.self) == #"{"results":[],"states":{}}"#)
    }
}
