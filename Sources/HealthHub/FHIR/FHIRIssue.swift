import JSON

/// The reason why a resource was refused, as an issue of an OperationOutcome.
package struct FHIRIssue: Error, Sendable, Equatable {
    /// A code of the system issue-type: `invalid`, `required`, `value`, `not-supported`, `structure`.
    package var code: String
    /// The reason, with advice.
    package var diagnostics: String
    /// The FHIRPath of the element.
    package var expression: String?

    /// Creates an issue without an element.
    package init(code: String, diagnostics: String) { (self.code, self.diagnostics) = (code, diagnostics) }

    init(_ code: String, _ diagnostics: String, at expression: String? = nil) {
        (self.code, self.diagnostics, self.expression) = (code, diagnostics, expression)
    }

    package static func outcome(_ issues: [FHIRIssue], severity: String = "error") -> JSONValue {
        [
            "resourceType": "OperationOutcome",
            "issue": .array(
                issues.map { issue in
                    .known([
                        "severity": .string(severity), "code": .string(issue.code),
                        "diagnostics": .string(issue.diagnostics),
                        "expression": issue.expression.map { [.string($0)] },
                    ])
                }),
        ]
    }
}
