import Harald

extension CheckRule {
    private static func repair(
        _ id: String, _ severity: Severity, _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule { pairing(id, severity, smp + "2.3", text, fix: fix, judge: judge) }

    /// Rules about a pairing that replaces a bond without its key: somebody with the address of the bonded client, who
    /// has not encrypted the link, pairs again (BLERP, NDSS 2026). Each is judged by the key of the bond, not by the
    /// answer.
    static let repairRules: [CheckRule] = [
        repair(
            "sm-repair-aborted", .error,
            "A pairing that is begun without the key of the bond, and aborted, does not remove the bond.",
            fix: "Keep the bond until the new pairing has succeeded."
        ) { run in
            let answer = try await run.withoutKey {
                let answer = try await run.askToPair([0x03, 0x00, 0x09, 0x10, 0x03, 0x03]) { try await run.fresh() }
                try await run.abandonPairing()
                return answer
            }
            return try await run.judgeBond("a pairing that was aborted removed it", evidence: answer.evidence)
        },
        repair(
            "sm-repair-legacy", .error,
            "A bond of LE Secure Connections is not replaced by LE legacy pairing without its key.",
            fix: "Refuse a pairing whose key is weaker than that of the bond."
        ) { run in
            try await run.paired()
            guard run.securityPackets.contains(where: { $0.first == 0x0C }) else {
                return .notRun("the bond is not one of LE Secure Connections")
            }
            return try await run.replaceBond(secureConnections: false)
        },
        repair(
            "sm-repair-key-size", .error,
            "A bond with a key of 16 octets is not replaced by one with a key of 7 without its key.",
            fix: "Refuse a pairing whose key is shorter than that of the bond."
        ) { run in
            guard try await run.paired().keySize == 16 else { return .notRun("the key of the bond is shorter") }
            return try await run.replaceBond(keySizes: 7...7)
        },
        repair(
            "sm-repair-unencrypted", .warning,
            "An unauthenticated bond is not replaced by a pairing over a link that its key does not encrypt, without a "
                + "decision on the device: anybody could take the place of the client.",
            fix: "Require encryption with the key of the bond, or a button on the device, before the bond is replaced."
        ) { run in
            guard try await run.paired().level < .authenticated else { return .notRun("the bond is authenticated") }
            return try await run.replaceBond()
        },
    ]

    /// The rule about an authenticated bond. It runs after the rules that create one.
    static let authenticatedRepairRules: [CheckRule] = [
        repair(
            "sm-repair-unauthenticated", .error,
            "An authenticated bond is not replaced by a pairing with Just Works without its key.",
            fix: "Refuse a pairing that authenticates less than the bond."
        ) { run in
            guard let pairing = run.pairing, pairing.level >= .authenticated else {
                return .notRun("no pairing authenticated the key")
            }
            return try await run.replaceBond()
        }
    ]
}
