import Foundation

/// A report of test cases in the XML format of JUnit.
package struct JUnitReport: Sendable {
    package struct Case: Sendable {
        package var name: String
        /// The group, such as a file and a line.
        package var group: String
        package var seconds: Double
        /// The reason of a failure; nil for a case that passed.
        package var failure: String?
        /// True if the case ended with an error rather than with a wrong result.
        package var isError = false
        package var isSkipped = false

        package init(name: String, group: String, seconds: Double) {
            (self.name, self.group, self.seconds) = (name, group, seconds)
        }
    }

    package var name: String
    package var cases: [Case] = []

    package init(name: String) { self.name = name }

    package var xml: String {
        let failures = cases.count { $0.failure != nil && !$0.isError }
        let errors = cases.count { $0.failure != nil && $0.isError }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\" "
            + "skipped=\"\(cases.count { $0.isSkipped })\" time=\"\(Self.time(cases.reduce(0) { $0 + $1.seconds }))\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites \(counts)>",
            "  <testsuite name=\"\(name.xmlEscaped)\" \(counts)>",
        ]
        for test in cases {
            let head =
                "    <testcase classname=\"\(test.group.xmlEscaped)\" name=\"\(test.name.xmlEscaped)\" "
                + "time=\"\(Self.time(test.seconds))\""
            if test.isSkipped {
                lines.append(head + "><skipped/></testcase>")
            } else if let failure = test.failure {
                let tag = test.isError ? "error" : "failure"
                lines.append(head + "><\(tag) message=\"\(failure.xmlEscaped)\"/></testcase>")
            } else {
                lines.append(head + "/>")
            }
        }
        lines += ["  </testsuite>", "</testsuites>", ""]
        return lines.joined(separator: "\n")
    }

    private static func time(_ seconds: Double) -> String { String(format: "%.3f", seconds) }
}
