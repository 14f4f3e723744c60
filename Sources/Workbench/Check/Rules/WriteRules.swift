import BluetoothModel

private let security: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]

/// Returns the readable characteristics of the Bluetooth SIG that do not permit writes, with their values. Rules write
/// the same value, which changes nothing even if the device accepts it.
private func readOnly(_ run: CheckRun) -> [(item: CheckDatabase.Characteristic, bytes: [UInt8])] {
    run.database.constants.filter { !$0.item.has(0x4C) && $0.bytes.count <= 100 }
}

/// Returns the characteristics that permit reads and writes, with their values. Times (2A2B, 2A08), whose values change
/// by themselves, and Client Supported Features (2B29) are omitted.
private func writable(_ run: CheckRun) -> [(item: CheckDatabase.Characteristic, bytes: [UInt8])] {
    let excluded: Set<BluetoothUUID> = [0x2A2B, 0x2A08, 0x2B29]
    return run.database.readable.filter {
        $0.item.isWritable && !$0.bytes.isEmpty && !excluded.contains($0.item.uuid)
    }
}

extension CheckRule {
    static let writeRules: [CheckRule] = writeHandleRules + prepareRules + changingRules

    private static let writeHandleRules: [CheckRule] = [
        refusal(
            "att-write-zero", "3.4.5.1", test: "GATT/SR/GAW/BI-02-C",
            "A Write Request for handle 0x0000 is refused with Invalid Handle.", fix: "Check the handle.",
            codes: [0x01]
        ) { _ in [[0x12, 0, 0, 0]] },
        refusal(
            "att-write-unknown", "3.4.5.1", test: "GATT/SR/GAW/BI-02-C",
            "A Write Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.",
            codes: [0x01]
        ) { run in run.database.freeHandle.map { [[0x12] + le($0) + [0]] } ?? [] },
        refusal(
            "att-write-declaration", "3.4.5.1", test: "GATT/SR/GAW/BI-03-C",
            "A Write Request for a declaration is refused with Write Not Permitted.",
            fix: "Make declarations read-only.",
            codes: [0x03]
        ) { run in
            run.database.services.prefix(24).map { [0x12] + le($0.start) + $0.octets.dropFirst(4) }
                + run.database.characteristics.prefix(24).map { [0x12] + le($0.declaration) + $0.octets }
        },
        refusal(
            "att-write-not-permitted", "3.4.5.1", test: "GATT/SR/GAW/BI-03-C",
            "A Write Request for a characteristic without the property Write is refused with Write Not Permitted. "
                + "(The check writes the value that it has.)", fix: "Take the permission from the properties.",
            codes: security.union([0x03]), missing: "there is no constant value that cannot be written"
        ) { run in readOnly(run).prefix(6).map { [0x12] + le($0.item.handle) + $0.bytes } },
        exchange(
            "att-write-command-unknown", .error, att + "3.4.5.3",
            "A Write Command is never answered, also not for a handle without an attribute.",
            fix: "Ignore commands that cannot be carried out."
        ) { run in
            guard let free = run.database.freeHandle else { return .notRun("all handles are in use") }
            let answer = try await run.silence(after: [0x52] + le(free) + [0])
            return answer.map { .found([$0.finding("\($0.words) to a command")]) } ?? .passed
        },
        exchange(
            "att-write-command-declaration", .error, att + "3.4.5.3",
            "A Write Command for a declaration is ignored.", fix: "Ignore commands that are not permitted."
        ) { run in
            guard let item = run.database.characteristics.first else { return .notRun("there is no characteristic") }
            if let answer = try await run.silence(after: [0x52] + le(item.declaration) + [0]) {
                return .found([answer.finding("\(answer.words) to a command")])
            }
            let value = try await run.request([0x0A] + le(item.declaration))
            return value.body == item.octets ? .passed : .found([value.finding("the declaration changed")])
        },
        exchange(
            "att-write-signed", .error, att + "3.4.5.4",
            "A Signed Write Command with a wrong signature is ignored.", fix: "Check the signature; answer nothing."
        ) { run in
            guard let item = run.database.characteristics.first else { return .notRun("there is no characteristic") }
            let pdu = [0xD2] + le(item.declaration) + [0] + [UInt8](repeating: 0xA5, count: 12)
            let answer = try await run.silence(after: pdu)
            return answer.map { .found([$0.finding("\($0.words) to a command")]) } ?? .passed
        },
    ]

    private static let prepareRules: [CheckRule] = [
        refusal(
            "att-prepare-unknown", "3.4.6.1", test: "GATT/SR/GAW/BI-07-C",
            "A Prepare Write Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.", codes: [0x01, 0x06]
        ) { run in ([0] + (run.database.freeHandle.map { [$0] } ?? [])).map { [0x16] + le($0) + le(0) + [0] } },
        refusal(
            "att-prepare-declaration", "3.4.6.1", test: "GATT/SR/GAW/BI-08-C",
            "A Prepare Write Request for a declaration is refused with Write Not Permitted.",
            fix: "Check the permission at the Prepare Write Request.", codes: [0x03, 0x06]
        ) { run in run.database.characteristics.prefix(1).map { [0x16] + le($0.declaration) + le(0) + [0] } },
        refusal(
            "att-prepare-not-permitted", "3.4.6.1", test: "GATT/SR/GAW/BI-08-C",
            "A Prepare Write Request for a characteristic without the property Write is refused.",
            fix: "Check the permission at the Prepare Write Request.", codes: security.union([0x03, 0x06]),
            missing: "there is no constant value that cannot be written"
        ) { run in readOnly(run).prefix(2).map { [0x16] + le($0.item.handle) + le(0) + $0.bytes.prefix(8) } },
        exchange(
            "att-execute-empty", .error, att + "3.4.6.3",
            "An Execute Write Request without prepared values is answered with an Execute Write Response, or with "
                + "Request "
                + "Not Supported.", fix: "An empty queue is no error."
        ) { run in
            var findings: [CheckFinding] = []
            for flags: UInt8 in [0, 1] {
                let answer = try await run.request([0x18, flags])
                if answer.bytes != [0x19], answer.code != 0x06 {
                    findings.append(answer.finding("\(answer.words) to an empty queue"))
                }
            }
            return .findings(findings)
        },
    ]

    private static func changing(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, _ text: String,
        fix: String, judge: @escaping Judge
    ) -> CheckRule {
        exchange(id, severity, section, test: test, needs: .writes, text, fix: fix, judge: judge)
    }

    private static let changingRules: [CheckRule] = [
        changing(
            "att-write-value", .error, "Core 5.4, Vol 3, Part G, 4.9.3", test: "GATT/SR/GAW/BV-03-C",
            "A characteristic with the property Write accepts the value that it has, or says which security that "
                + "takes.",
            fix: "Clear the property, or permit writing."
        ) { run in
            let all = writable(run).filter { $0.bytes.count <= run.mtu - 3 }
            guard !all.isEmpty else { return .notRun("no characteristic can be read and written") }
            var findings: [CheckFinding] = []
            for (item, bytes) in all.prefix(6) {
                let answer = try await run.request([0x12] + le(item.handle) + bytes)
                if answer.bytes == [0x13] { continue }
                guard let code = answer.code, ![0x01, 0x02, 0x03, 0x06].contains(code) else {
                    findings.append(answer.finding("\(answer.words) to a write"))
                    continue
                }
            }
            return .findings(findings)
        },
        changing(
            "att-write-read-only", .error, "Core 5.4, Vol 3, Part G, 3.3.1.1",
            "A vendor's characteristic without the property Write refuses a Write Request of the value that it has.",
            fix: "Take the permission from the properties."
        ) { run in
            let all = run.database.readable.filter { !$0.item.has(0x4C) && $0.item.uuid.shortValue == nil }
            guard !all.isEmpty else { return .notRun("there is no such characteristic") }
            var findings: [CheckFinding] = []
            for (item, bytes) in all.prefix(6) {
                let answer = try await run.request([0x12] + le(item.handle) + bytes.prefix(run.mtu - 3))
                if let finding = answer.refused(with: security.union([0x03])) { findings.append(finding) }
            }
            return .findings(findings)
        },
        changing(
            "att-write-too-long", .error, att + "3.4.5.1", test: "GATT/SR/GAW/BI-32-C",
            "A Write Request of more octets than the Appearance or the Device Name can have is refused.",
            fix: "Answer with Invalid Attribute Value Length (0x0D)."
        ) { run in
            guard let item = (run.database.all(0x2A00) + run.database.all(0x2A01)).first(where: \.isWritable) else {
                return .notRun("neither the Device Name nor the Appearance can be written")
            }
            let old = run.database.values[item.handle]?.bytes ?? []
            let length = item.uuid == 0x2A01 ? 3 : 300
            guard run.mtu >= length + 3 else { return .notRun("the MTU is too small for such a write") }
            let answer = try await run.request([0x12] + le(item.handle) + [UInt8](repeating: 0x41, count: length))
            if answer.opcode == 0x13 { _ = try await run.request([0x12] + le(item.handle) + old) }
            return answer.refused(with: security.union([0x0D, 0x13, 0xFF])).map { .found([$0]) } ?? .passed
        },
        changing(
            "att-write-kept", .warning, "Core 5.4, Vol 3, Part G, 4.9.3", test: "GATT/SR/GAW/BV-03-C",
            "A value that was written with a response is read back: it is neither the old one nor cut short. (The "
                + "check "
                + "writes the old value again.)", fix: "Refuse what cannot be stored, with 0x0D or 0x13."
        ) { run in
            let all = writable(run).filter { $0.bytes.count <= 20 }
            guard !all.isEmpty else { return .notRun("no characteristic can be read and written") }
            var findings: [CheckFinding] = []
            for (item, _) in all.prefix(6) {
                guard case .bytes(let old)? = try await run.read(item.handle), let first = old.first else { continue }
                let changed = [first ^ 1] + old.dropFirst()
                let long = old + [UInt8](repeating: 0x41, count: max(1, min(run.mtu - 3, 500) - old.count))
                for value in [changed, long] {
                    let answer = try await run.request([0x12] + le(item.handle) + value)
                    guard answer.opcode == 0x13, case .bytes(let now)? = try await run.read(item.handle) else {
                        continue
                    }
                    let isCut = value.count > now.count && value.starts(with: now)
                    if now == old || isCut, now != value {
                        findings.append(
                            CheckFinding(
                                now == old ? "the old value is read" : "the value is cut to \(now.count) octets",
                                handle: item.handle, text: answer.evidence))
                    }
                    _ = try await run.request([0x12] + le(item.handle) + old)
                }
            }
            return .findings(findings)
        },
        changing(
            "att-write-length-code", .error, att + "3.4.5.1",
            "A Write Request that is refused because the value is too long is refused with Invalid Attribute Value "
                + "Length.",
            fix: "Answer with 0x0D, or a code of the application."
        ) { run in
            let all = writable(run).filter { $0.bytes.count < run.mtu - 3 }
            guard !all.isEmpty else { return .notRun("no characteristic can be read and written") }
            // Error codes that do not concern the value.
            let others: Set<UInt8> = [0x01, 0x02, 0x04, 0x06, 0x07, 0x0A, 0x0B, 0x10]
            var findings: [CheckFinding] = []
            for (item, _) in all.prefix(6) {
                guard case .bytes(let old)? = try await run.read(item.handle) else { continue }
                let long = old + [UInt8](repeating: 0x41, count: max(1, min(run.mtu - 3, 512) - old.count))
                let answer = try await run.request([0x12] + le(item.handle) + long)
                if let code = answer.code, others.contains(code) { findings.append(answer.finding(answer.words)) }
                if answer.opcode == 0x13 { _ = try await run.request([0x12] + le(item.handle) + old) }
            }
            return .findings(findings)
        },
        changing(
            "att-prepare-echo", .error, att + "3.4.6.2", test: "GATT/SR/GAW/BV-05-C",
            "A Prepare Write Response repeats handle, offset and part: the client compares them.",
            fix: "Send the request's fields back unchanged."
        ) { run in
            guard let (item, bytes) = writable(run).first else {
                return .notRun("no characteristic can be read and written")
            }
            let pdu = [0x16] + le(item.handle) + le(0) + Array(bytes.prefix(16))
            let answer = try await run.request(pdu)
            if answer.opcode == 0x17 { _ = try await run.request([0x18, 0]) }
            if answer.code == 0x06 || answer.isAboutSecurity { return .notRun("prepared writes are refused") }
            return answer.body == Array(pdu.dropFirst()) ? .passed : .found([answer.finding("the response differs")])
        },
        changing(
            "att-long-write", .error, "Core 5.4, Vol 3, Part G, 4.9.4", test: "GATT/SR/GAW/BV-05-C",
            "A value that is written in prepared parts is read back whole. (The check writes the old value again.)",
            fix: "Join all parts before the value is stored."
        ) { run in
            let all = writable(run)
            guard let (item, old) = all.last(where: { $0.bytes.count > 18 }) ?? all.last else {
                return .notRun("no characteristic can be read and written")
            }
            let value = old.count > 18 ? old : old + [UInt8](repeating: 0x41, count: 40 - old.count)
            for offset in stride(from: 0, to: value.count, by: 18) {
                let part = value[offset..<min(offset + 18, value.count)]
                let answer = try await run.request([0x16] + le(item.handle) + le(UInt16(offset)) + part)
                guard answer.opcode == 0x17 else {
                    _ = try await run.request([0x18, 0])
                    return .notRun("prepared writes are refused: \(answer.words)")
                }
            }
            let executed = try await run.request([0x18, 1])
            guard executed.opcode == 0x19 else { return .notRun("the value is refused: \(executed.words)") }
            let now = try await run.read(item.handle)?.bytes ?? []
            _ = try await run.request([0x12] + le(item.handle) + old.prefix(run.mtu - 3))
            if now == value || now == old { return .passed }
            return .finding("\(now.count) of \(value.count) octets", handle: item.handle, now)
        },
        changing(
            "att-prepare-cancel", .error, att + "3.4.6.3", test: "GATT/SR/GAW/BV-07-C",
            "A cancelled Execute Write changes nothing.", fix: "Discard the queue if the flags are 0."
        ) { run in
            guard let (item, _) = writable(run).first else {
                return .notRun("no characteristic can be read and written")
            }
            guard case .bytes(let before)? = try await run.read(item.handle), let first = before.first else {
                return .notRun("the value could not be read")
            }
            let prepared = try await run.request([0x16] + le(item.handle) + le(0) + [first ^ 0xFF])
            guard prepared.opcode == 0x17 else { return .notRun("prepared writes are refused") }
            let unexecuted = try await run.read(item.handle)
            _ = try await run.request([0x18, 0])
            let after = try await run.read(item.handle)
            if unexecuted == .bytes(before), after == .bytes(before) { return .passed }
            _ = try await run.request([0x12] + le(item.handle) + before)
            return .finding("before: \(before.hexText())", handle: item.handle, after?.bytes ?? [])
        },
        changing(
            "att-prepare-queue-link", .error, att + "3.4.6.1",
            "Prepared values are lost with the link: the next link begins with an empty queue.",
            fix: "Clear the queue when a link ends."
        ) { run in
            guard let (item, _) = writable(run).first else {
                return .notRun("no characteristic can be read and written")
            }
            guard case .bytes(let before)? = try await run.read(item.handle), let first = before.first else {
                return .notRun("the value could not be read")
            }
            let prepared = try await run.request([0x16] + le(item.handle) + le(0) + [first ^ 0xFF])
            guard prepared.opcode == 0x17 else { return .notRun("prepared writes are refused") }
            try await run.fresh()
            _ = try await run.request([0x18, 1])
            let after = try await run.read(item.handle)
            if after == .bytes(before) { return .passed }
            _ = try await run.request([0x12] + le(item.handle) + before)
            return .finding("before: \(before.hexText())", handle: item.handle, after?.bytes ?? [])
        },
        changing(
            "att-prepare-offset", .error, att + "3.4.6.3", test: "GATT/SR/GAW/BI-09-C",
            "A part beyond the end of the value is refused with Invalid Offset, at the latest when it is executed, "
                + "and changes nothing.",
            fix: "Compare the offset with the length."
        ) { run in
            // The fields of User Data (181C) cannot be written in parts.
            let all = writable(run).filter { run.database.services[$0.item.service].uuid != 0x181C }
            let known = all.first { [0x2A00, 0x2A01].contains($0.item.uuid) }
            guard let (item, bytes) = known ?? all.first else {
                return .notRun("no characteristic can be read and written")
            }
            let prepared = try await run.request([0x16] + le(item.handle) + le(UInt16(bytes.count + 2)) + [0])
            guard prepared.opcode == 0x17 else {
                if prepared.code == 0x06 || prepared.isAboutSecurity { return .notRun("prepared writes are refused") }
                return .passed
            }
            let answer = try await run.request([0x18, 1])
            guard answer.opcode == 0x19 else { return .passed }
            let now = try await run.read(item.handle)?.bytes ?? []
            _ = try await run.request([0x12] + le(item.handle) + bytes)
            return now == bytes ? .passed : .found([answer.finding("the value is changed to \(now.hexText())")])
        },
        changing(
            "gatt-features-clear", .error, "Core 5.4, Vol 3, Part G, 7.2",
            "A client cannot clear a bit of its Client Supported Features: that is refused with Value Not Allowed.",
            fix: "Compare the new bits with the old ones."
        ) { run in
            guard let item = run.database.all(0x2B29).first, item.isWritable else {
                return .notRun("there are no Client Supported Features")
            }
            let set = try await run.request([0x12] + le(item.handle) + [0x01])
            guard set.opcode == 0x13 else { return .found([set.finding("\(set.words) to setting bit 0")]) }
            let clear = try await run.request([0x12] + le(item.handle) + [0x00])
            await run.close()
            return clear.refused(with: [0x13]).map { .found([$0]) } ?? .passed
        },
        changing(
            "gatt-features-link", .error, "Core 5.4, Vol 3, Part G, 7.2",
            "Client Supported Features of a client that is not bonded are zero again on the next link.",
            fix: "Keep the value for each client; forget that of clients without a bond."
        ) { run in
            guard let item = run.database.all(0x2B29).first, item.isWritable else {
                return .notRun("there are no Client Supported Features")
            }
            let set = try await run.request([0x12] + le(item.handle) + [0x01])
            guard set.opcode == 0x13 else { return .notRun("the features cannot be written") }
            let read = try await run.request([0x0A] + le(item.handle))
            try await run.fresh()
            let again = try await run.request([0x0A] + le(item.handle))
            var findings: [CheckFinding] = []
            if read.body?.first != 1 { findings.append(read.finding("the bit that was set is not read")) }
            if again.body?.first != 0 { findings.append(again.finding("the value of an earlier link")) }
            return .findings(findings)
        },
    ]
}
