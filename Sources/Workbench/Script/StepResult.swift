import Explorer

package struct StepResult: Sendable {
    package enum Outcome: String, Sendable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case passed, failed, skipped
    }

    /// The line in the file, from 1.
    package var line: Int
    /// The action, such as `read`.
    package var action: String
    /// The subject of the action, such as a path.
    package var title: String
    /// The name of the device; nil if the step concerns none.
    package var device: String?
    /// The number of blocks that the step is in.
    package var depth: Int
    /// True for a step that contains others.
    package var isBlock: Bool
    package var outcome = Outcome.passed
    /// The duration in seconds.
    package var seconds = 0.0
    /// The expectation; nil if there is none.
    package var expected: String?
    /// The result, or the error.
    package var got: String?
    /// The error that made the step fail; nil if a result was not as expected.
    package var error: (any Error)?

    /// The result as a JSON object.
    package var json: JSONValue {
        [
            "line": .int(line), "action": .string(action), "target": .string(title), "device": .optional(device),
            "result": .string(outcome.rawValue), "seconds": .number((seconds * 1000).rounded() / 1000),
            "expected": .optional(expected), "got": .optional(got),
        ]
    }

    /// The result in one line.
    package var text: String {
        let mark =
            switch outcome {
            case .passed: "ok    "
            case .failed: "FAILED"
            case .skipped: "skip  "
            }
        let place = String(repeating: " ", count: max(0, 4 - "\(line)".count)) + "\(line)"
        var text = "\(mark) \(place)  " + String(repeating: "  ", count: depth) + heading
        switch outcome {
        case .passed: if let got, !got.isEmpty { text += ": \(got)" }
        case .failed:
            if let expected { text += ": expected \(expected)" }
            if let got { text += (expected == nil ? ": " : ", got ") + got }
        case .skipped: break
        }
        return outcome == .skipped ? text : text + "  (\(Self.time(seconds)))"
    }

    /// The action and its subject: "read 180F/2A19".
    package var heading: String { action + (title.isEmpty ? "" : " \(title)") }

    private static func time(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(Double(milliseconds / 10) / 100) s"
    }
}
