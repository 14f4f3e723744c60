import BluetoothModel

/// Beginnings of the sections that rules cite: the Generic Access Profile, the Attribute Protocol and the Generic
/// Attribute Profile.
let gap = "Core 5.4, Vol 3, Part C, "
let att = "Core 5.4, Vol 3, Part F, "
let gatt = "Core 5.4, Vol 3, Part G, "

extension CheckRule {
    /// Returns a rule that requests are refused with one of `codes`.
    /// - Parameter requests: Returns the requests; an empty array if the rule does not apply to the database.
    static func refusal(
        _ id: String, _ section: String, test: String? = nil, needs: Needs = [], _ text: String, fix: String,
        codes: Set<UInt8>, missing: String = "the database has nothing to ask about",
        requests: @escaping @Sendable (CheckRun) -> [[UInt8]]
    ) -> CheckRule {
        CheckRule(
            id, .error, att + section, test: test, needs: needs.union([.raw, .database]), sends: true, text, fix: fix
        ) { run in
            let all = requests(run)
            guard !all.isEmpty else { return .notApplicable(missing) }
            var findings: [CheckFinding] = []
            for request in all {
                let answer = try await run.request(request)
                if let finding = answer.refused(with: codes) { findings.append(finding) }
            }
            return .findings(findings)
        }
    }

    /// Returns a rule that sends requests and judges the answers.
    static func exchange(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, needs: Needs = [],
        _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule {
        CheckRule(
            id, severity, section, test: test, needs: needs.union([.raw, .database]), sends: true, text, fix: fix,
            judge: judge)
    }
}

extension CheckAnswer {
    /// The first handle in the request; nil for Exchange MTU and Execute Write, which have none.
    var handle: UInt16? { request.first == 0x02 || request.first == 0x18 ? nil : request.u16(1) }

    /// Returns a finding, unless the answer is an Error Response with one of these codes.
    func refused(with codes: Set<UInt8>) -> CheckFinding? {
        if let code, codes.contains(code) { return nil }
        let expected = codes.sorted().map { "\(ATTErrorCode(rawValue: $0))" }.joined(separator: " or ")
        return CheckFinding("\(words) instead of \(expected)", handle: handle, self)
    }

    func finding(_ message: String) -> CheckFinding { CheckFinding(message, handle: handle, self) }
}
