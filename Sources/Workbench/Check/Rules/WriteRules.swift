import BluetoothModel

extension CheckRun {
    /// The readable characteristics of the Bluetooth SIG that do not permit writes, with their values. Rules write the
    /// same value, which changes nothing even if the device accepts it.
    var readOnly: [CheckDatabase.ReadValue] {
        database.constants.filter { !$0.item.has(0x4C) && $0.bytes.count <= 100 }
    }

    /// The characteristics that permit reads and writes, with their values. Times (2A2B, 2A08), whose values change by
    /// themselves, and Client Supported Features (2B29) are omitted.
    var writable: [CheckDatabase.ReadValue] {
        let excluded: Set<BluetoothUUID> = [0x2A2B, 0x2A08, 0x2B29]
        return database.readable.filter {
            $0.item.isWritable && !$0.bytes.isEmpty && !excluded.contains($0.item.uuid)
        }
    }
}

extension CheckRule {
    static let writeRules: [CheckRule] = writeHandleRules + changingRules

    private static let writeHandleRules: [CheckRule] = [
        refusal(
            "att-write-zero", "3.4.5.1", test: "GATT/SR/GAW/BI-02-C",
            "A Write Request for handle 0x0000 is refused with Invalid Handle.", fix: "Check the handle.",
            codes: [0x01]
        ) { _ in [.write(0, [0])] },
        refusal(
            "att-write-unknown", "3.4.5.1", test: "GATT/SR/GAW/BI-02-C",
            "A Write Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.",
            codes: [0x01]
        ) { run in run.database.freeHandle.map { [.write($0, [0])] } ?? [] },
        refusal(
            "att-write-declaration", "3.4.5.1", test: "GATT/SR/GAW/BI-03-C",
            "A Write Request for a declaration is refused with Write Not Permitted.",
            fix: "Make declarations read-only.",
            codes: [0x03]
        ) { run in
            run.database.services.prefix(24).map { .write($0.start, $0.octets.dropFirst(4)) }
                + run.database.characteristics.prefix(24).map { .write($0.declaration, $0.octets) }
        },
        refusal(
            "att-write-not-permitted", "3.4.5.1", test: "GATT/SR/GAW/BI-03-C",
            "A Write Request for a characteristic without the property Write is refused with Write Not Permitted. "
                + "(The check writes the value that it has.)", fix: "Take the permission from the properties.",
            codes: .securityRefusals.union([0x03]), missing: "there is no constant value that cannot be written"
        ) { run in run.readOnly.prefix(6).map { .write($0.item.handle, $0.bytes) } },
        exchange(
            "att-write-command-unknown", .error, att + "3.4.5.3",
            "A Write Command is never answered, also not for a handle without an attribute.",
            fix: "Ignore commands that cannot be carried out."
        ) { run in
            guard let free = run.database.freeHandle else { return .notRun("all handles are in use") }
            let answer = try await run.silence(after: .writeCommand(free, [0]))
            return answer.map { .found([$0.finding("\($0.words) to a command")]) } ?? .passed
        },
        exchange(
            "att-write-command-declaration", .error, att + "3.4.5.3",
            "A Write Command for a declaration is ignored.", fix: "Ignore commands that are not permitted."
        ) { run in
            guard let item = run.database.characteristics.first else {
                return .notApplicable("there is no characteristic")
            }
            if let answer = try await run.silence(after: .writeCommand(item.declaration, [0])) {
                return .found([answer.finding("\(answer.words) to a command")])
            }
            let value = try await run.request(.read(item.declaration))
            return value.body == item.octets ? .passed : .found([value.finding("the declaration changed")])
        },
        exchange(
            "att-write-signed", .error, att + "3.4.5.4",
            "A Signed Write Command with a wrong signature is ignored.", fix: "Check the signature; answer nothing."
        ) { run in
            guard let item = run.database.characteristics.first else {
                return .notApplicable("there is no characteristic")
            }
            let answer = try await run.silence(after: .wronglySignedWrite(item.declaration, [0]))
            return answer.map { .found([$0.finding("\($0.words) to a command")]) } ?? .passed
        },
    ]

    /// A rule that writes, and needs permission for that.
    static func changing(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, _ text: String,
        fix: String, judge: @escaping Judge
    ) -> CheckRule {
        exchange(id, severity, section, test: test, needs: .writes, text, fix: fix, judge: judge)
    }

    private static let changingRules: [CheckRule] = [
        changing(
            "att-write-value", .error, gatt + "4.9.3", test: "GATT/SR/GAW/BV-03-C",
            "A characteristic with the property Write accepts the value that it has, or says which security that "
                + "takes.",
            fix: "Clear the property, or permit writing."
        ) { run in
            let all = run.writable.filter { $0.bytes.count <= run.mtu - 3 }
            guard !all.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            var findings: [CheckFinding] = []
            for (item, bytes) in all.prefix(6) {
                let answer = try await run.request(.write(item.handle, bytes))
                if answer.body == [] { continue }
                guard let code = answer.code, ![0x01, 0x02, 0x03, 0x06].contains(code) else {
                    findings.append(answer.finding("\(answer.words) to a write"))
                    continue
                }
            }
            return .findings(findings)
        },
        changing(
            "att-write-read-only", .error, gatt + "3.3.1.1",
            "A vendor's characteristic without the property Write refuses a Write Request of the value that it has.",
            fix: "Take the permission from the properties."
        ) { run in
            let all = run.database.readable.filter { !$0.item.has(0x4C) && $0.item.uuid.shortValue == nil }
            guard !all.isEmpty else { return .notApplicable("there is no such characteristic") }
            var findings: [CheckFinding] = []
            for (item, bytes) in all.prefix(6) {
                let answer = try await run.request(.write(item.handle, bytes.prefix(run.mtu - 3)))
                if let finding = answer.refused(with: .securityRefusals.union([0x03])) { findings.append(finding) }
            }
            return .findings(findings)
        },
        changing(
            "att-write-too-long", .error, att + "3.4.5.1", test: "GATT/SR/GAW/BI-32-C",
            "A Write Request of more octets than the Appearance or the Device Name can have is refused, and stores "
                + "nothing.",
            fix: "Answer with Invalid Attribute Value Length (0x0D)."
        ) { run in
            guard let item = (run.database.all(0x2A00) + run.database.all(0x2A01)).first(where: \.isWritable) else {
                return .notRun("neither the Device Name nor the Appearance can be written")
            }
            let old = run.database.values[item.handle]?.bytes ?? []
            let length = item.uuid == 0x2A01 ? 3 : 300
            guard run.mtu >= length + 3 else { return .notRun("the MTU is too small for such a write") }
            let answer = try await run.request(.write(item.handle, [UInt8](repeating: 0x41, count: length)))
            let now = try await run.read(item.handle)
            if now != .bytes(old) { _ = try await run.request(.write(item.handle, old)) }
            if let finding = answer.refused(with: .securityRefusals.union([0x0D, 0x13, 0xFF])) {
                return .found([finding])
            }
            return now == .bytes(old) ? .passed : .found([answer.finding("the value that is refused is stored")])
        },
        changing(
            "att-write-kept", .warning, gatt + "4.9.3", test: "GATT/SR/GAW/BV-03-C",
            "A value that was written with a response is read back: it is neither the old one nor cut short. (The "
                + "check writes the old value again.)", fix: "Refuse what cannot be stored, with 0x0D or 0x13."
        ) { run in
            let all = run.writable.filter { $0.bytes.count <= 20 }
            guard !all.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            var findings: [CheckFinding] = []
            for (item, _) in all.prefix(6) {
                guard case .bytes(let old)? = try await run.read(item.handle), let first = old.first else { continue }
                let changed = [first ^ 1] + old.dropFirst()
                let long = old + [UInt8](repeating: 0x41, count: max(1, min(run.mtu - 3, 500) - old.count))
                for value in [changed, long] {
                    let answer = try await run.request(.write(item.handle, value))
                    let now = try await run.read(item.handle)?.bytes
                    // Also what is stored in spite of a refusal, so that the rule about that begins with the old value.
                    if now != old { _ = try await run.request(.write(item.handle, old)) }
                    guard answer.isAccepted, let now else { continue }
                    let isCut = value.count > now.count && value.starts(with: now)
                    if now == old || isCut, now != value {
                        findings.append(
                            CheckFinding(
                                now == old ? "the old value is read" : "the value is cut to \(now.count) octets",
                                handle: item.handle, text: answer.evidence))
                    }
                }
            }
            return .findings(findings)
        },
        changing(
            "att-write-length-code", .error, att + "3.4.5.1",
            "A Write Request that is refused because the value is too long is refused with Invalid Attribute Value "
                + "Length, and stores nothing.",
            fix: "Answer with 0x0D, or a code of the application."
        ) { run in
            let all = run.writable.filter { $0.bytes.count < run.mtu - 3 }
            guard !all.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            // Error codes that do not concern the value.
            let others: Set<UInt8> = [0x01, 0x02, 0x04, 0x06, 0x07, 0x0A, 0x0B, 0x10]
            var findings: [CheckFinding] = []
            for (item, _) in all.prefix(6) {
                guard case .bytes(let old)? = try await run.read(item.handle) else { continue }
                let long = old + [UInt8](repeating: 0x41, count: max(1, min(run.mtu - 3, 512) - old.count))
                let answer = try await run.request(.write(item.handle, long))
                if let code = answer.code, others.contains(code) { findings.append(answer.finding(answer.words)) }
                guard case .bytes(let now)? = try await run.read(item.handle), now != old else { continue }
                _ = try await run.request(.write(item.handle, old))
                if answer.code != nil, long.starts(with: now) {
                    findings.append(answer.finding("\(now.count) octets of the refused value are stored"))
                }
            }
            return .findings(findings)
        },
        changing(
            "gatt-features-clear", .error, gatt + "7.2",
            "A client cannot clear a bit of its Client Supported Features: that is refused with Value Not Allowed, and "
                + "the bit is still read.",
            fix: "Compare the new bits with the old ones."
        ) { run in
            guard let item = run.database.all(0x2B29).first, item.isWritable else {
                return .notApplicable("there are no Client Supported Features")
            }
            let set = try await run.request(.write(item.handle, [0x01]))
            guard set.isAccepted else { return .found([set.finding("\(set.words) to setting bit 0")]) }
            let clear = try await run.request(.write(item.handle, [0x00]))
            let back = try await run.request(.read(item.handle))
            await run.close()
            if let finding = clear.refused(with: [0x13]) { return .found([finding]) }
            return back.body?.first.map { $0 & 1 } == 1
                ? .passed : .found([back.finding("the bit is cleared although that was refused")])
        },
        changing(
            "gatt-features-link", .error, gatt + "7.2",
            "Client Supported Features of a client that is not bonded are zero again on the next link.",
            fix: "Keep the value for each client; forget that of clients without a bond."
        ) { run in
            guard let item = run.database.all(0x2B29).first, item.isWritable else {
                return .notApplicable("there are no Client Supported Features")
            }
            let set = try await run.request(.write(item.handle, [0x01]))
            guard set.isAccepted else { return .notRun("the features cannot be written") }
            let read = try await run.request(.read(item.handle))
            try await run.fresh()
            let again = try await run.request(.read(item.handle))
            var findings: [CheckFinding] = []
            if read.body?.first != 1 { findings.append(read.finding("the bit that was set is not read")) }
            if again.body?.first != 0 { findings.append(again.finding("the value of an earlier link")) }
            return .findings(findings)
        },
    ]
}
