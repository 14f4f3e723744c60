import Harald

extension CheckRule {
    /// Returns a rule about an association model that authenticates the key.
    private static func model(
        _ id: String, _ section: String, test: String? = nil, _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule {
        exchange(
            id, .error, "Core 5.4, Vol 3, Part H, " + section, test: test, needs: .pair, text, fix: fix, judge: judge)
    }

    /// Rules about the association models that authenticate the key. Most need a person who answers the questions.
    static let pairingModelRules: [CheckRule] = [
        model(
            "sm-passkey-wrong", "2.3.5.6.3", test: "SM/PER/SCPK/BI-03-C",
            "Passkey Entry with the passkey 000000 fails: the device checks it, and has none that everybody tries "
                + "first.",
            fix: "Compare the confirm values; make a random passkey for each pairing."
        ) { run in
            let result = try await run.pair(by: "Passkey Entry", with: displays, as: .keyboardOnly) { _, question in
                question == .enterPasskey ? .passkey(0) : .refuse
            }
            await run.close()
            guard case .success(let security) = result else { return .passed }
            return .found([CheckFinding("the device pairs", text: "\(security.level)")])
        },
        model(
            "sm-passkey", "2.3.5.6.3", test: "SM/PER/SCPK/BV-02-C",
            "Passkey Entry with the passkey that the device shows succeeds, and authenticates the key.",
            fix: "Look at the reason of the failure; compute with the passkey that is shown."
        ) { run in
            guard let person = run.options.person else {
                return .notRun("nobody can enter the passkey that the device shows; pass it to the check")
            }
            let result = try await run.pair(by: "Passkey Entry", with: displays, as: .keyboardOnly) {
                await person.pairing(with: $0, asks: $1)
            }
            return verdict(result)
        },
        model(
            "sm-numeric-comparison", "2.3.5.6.2",
            "Numeric Comparison of equal numbers succeeds, and authenticates the key.",
            fix: "Look at the reason of the failure; show the number of the specification's function g2."
        ) { run in
            guard let person = run.options.person else { return .notRun("nobody can compare the numbers") }
            let result = try await run.pair(
                by: "Numeric Comparison", with: [1, 4], as: .displayYesNo, needsSecureConnections: true
            ) { await person.pairing(with: $0, asks: $1) }
            return verdict(result)
        },
        exchange(
            "sm-authenticated-readable", .error, gap + "10.3", needs: .pair,
            "Characteristics that require an authenticated key are readable on a link that is encrypted with one.",
            fix: "Permit reading when the key of the link is authenticated."
        ) { run in
            let all = run.database.protected
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected") }
            guard run.link?.isOpen == true, run.peripheral.security.level >= .authenticated else {
                return .notRun("no pairing authenticated the key")
            }
            var findings: [CheckFinding] = []
            for item in all.prefix(24) {
                let answer = try await run.request(.read(item.handle))
                // 0x08 (Insufficient Authorization) concerns the user, not the key.
                if let code = answer.code, [0x05, 0x0C, 0x0F].contains(code) {
                    findings.append(answer.finding(answer.words))
                }
            }
            return .findings(findings)
        },
    ]

    /// The IO capabilities of devices that can display a passkey.
    private static let displays: Set<UInt8> = [0, 1, 4]

    private static func verdict(_ result: Result<LinkSecurity, BluetoothError>) -> CheckVerdict {
        switch result {
        case .success(let security) where security.level >= .authenticated: .passed
        case .success(let security):
            .found([CheckFinding("the key is not authenticated", text: "\(security.level)")])
        case .failure(let error): .found([CheckFinding("pairing failed", text: error.reason)])
        }
    }
}
