import BluetoothModel

extension CheckRule {
    /// Returns a rule that sends another request for values whose Read Request is refused for security.
    private static func bypass(
        _ id: String, _ section: String, _ what: String,
        request: @escaping @Sendable (CheckRun, CheckDatabase.Characteristic) -> [UInt8]?
    ) -> CheckRule {
        exchange(
            id, .error, att + section,
            "A value that a Read Request refuses for security is refused to a \(what) as well.",
            fix: "Check the permission of every request that reads."
        ) { run in
            let all = run.database.protected
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected") }
            var findings: [CheckFinding] = []
            for item in all.prefix(6) {
                guard let pdu = request(run, item) else { return .notApplicable("there is no other value to read") }
                let answer = try await run.request(pdu)
                if answer.body != nil { findings.append(answer.finding("a \(what) gives the value away")) }
            }
            return .findings(findings)
        }
    }

    static let disclosureRules: [CheckRule] = [
        bypass("sec-read-blob", "3.4.4.5", "Read Blob Request") { _, item in .readBlob(item.handle, offset: 0) },
        bypass("sec-read-by-type", "3.4.4.1", "Read By Type Request") { _, item in
            .readByType(item.handle, item.handle, item.uuid.octets)
        },
        bypass("sec-read-multiple", "3.4.4.7", "Read Multiple Request") { run, item in
            run.database.readable.first.map { .readMultiple([item.handle, $0.item.handle]) }
        },
        bypass("sec-read-variable", "3.4.4.11", "Read Multiple Variable Request") { run, item in
            run.database.readable.first.map { .readMultipleVariable([$0.item.handle, item.handle]) }
        },
        exchange(
            "sec-find-by-type", .error, att + "3.4.3.3",
            "A Find By Type Value Request does not compare with a value that takes security: one could guess it.",
            fix: "Answer with Attribute Not Found for a type whose reading takes security."
        ) { run in
            guard let item = run.database.protected.first(where: { $0.uuid.shortValue != nil }) else {
                return .notApplicable("no characteristic with a 16-bit UUID is protected")
            }
            for guess: [UInt8] in [[0], [1]] {
                let answer = try await run.request(
                    .findByTypeValue(item.handle, item.handle, item.uuid.octets + guess))
                if answer.isAccepted { return .found([answer.finding("a guess is confirmed")]) }
            }
            return .passed
        },
        exchange(
            "sec-error-code", .warning, gap + "10.3.1",
            "On a link without encryption and without a bond, the refusal is Insufficient Authentication (0x05): "
                + "Insufficient Encryption (0x0F) tells the client to encrypt with a key that it does not have.",
            fix: "Answer with 0x05 if there is no key."
        ) { run in
            guard run.peripheral.security.level == .none else { return .notRun("the link is encrypted") }
            let all = run.database.protected
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected") }
            return .findings(
                all.compactMap { item in
                    guard case .refused(let error)? = run.database.values[item.handle],
                        error[4] == 0x0F || error[4] == 0x0C
                    else { return nil }
                    return CheckFinding("\(ATTErrorCode(rawValue: error[4]))", handle: item.handle, error)
                })
        },
        exchange(
            "sec-values-open", .error, gap + "10.3",
            "A value whose reading takes security is not notified or indicated without it.",
            fix: "Refuse the subscription with the same error, or do not send."
        ) { run in
            let all = run.database.senders.filter { sender in run.database.protected.contains(sender.item) }
            guard !all.isEmpty else { return .notApplicable("no characteristic that sends values is protected") }
            var findings: [CheckFinding] = []
            for sender in all.prefix(6) {
                let bits: UInt16 = sender.item.has(0x10) ? 1 : 2
                let answer = try await run.configure(sender.configuration, bits)
                if answer.isAccepted {
                    findings.append(answer.finding("the subscription is accepted"))
                } else {
                    // The refusal may be an answer only.
                    let handle = sender.item.handle
                    let values = try await run.observe(.seconds(1)) { $0.contains { $0.handle == handle } }
                    for value in values.prefix(1) where value.handle == handle {
                        findings.append(
                            CheckFinding("sent although it was refused", handle: handle, value.octets))
                    }
                }
                _ = try await run.configure(sender.configuration, 0)
            }
            return .findings(findings)
        },
        CheckRule(
            "sec-write-prepared", .error, att + "3.4.6.1", needs: [.raw, .database, .writes], sends: true,
            "A write that a Write Request refuses for security is refused as a prepared write as well.",
            fix: "Check the permission of every request that writes."
        ) { run in
            let all = try await run.writeProtected()
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected from writing") }
            var findings: [CheckFinding] = []
            for item in all {
                let old = run.database.values[item.handle]?.bytes ?? [0]
                let prepared = try await run.request(.prepareWrite(item.handle, offset: 0, old.prefix(16)))
                guard prepared.isAccepted else { continue }
                let executed = try await run.request(.executeWrite(true))
                if executed.isAccepted { findings.append(prepared.finding("a prepared write is accepted")) }
            }
            return .findings(findings)
        },
        CheckRule(
            "sec-name-writable", .warning, gap + "12.1", needs: [.raw, .database, .writes], sends: true,
            "A writable Device Name requires an authenticated client: otherwise everybody can rename the device.",
            fix: "Require security for writing."
        ) { run in
            guard let item = run.database.all(0x2A00).first(where: \.isWritable),
                let old = run.database.values[item.handle]?.bytes
            else { return .notRun("the Device Name cannot be written") }
            let answer = try await run.request(.write(item.handle, old))
            return answer.isAccepted ? .found([answer.finding("written without security")]) : .passed
        },
    ]
}
