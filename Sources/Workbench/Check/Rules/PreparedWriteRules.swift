import BluetoothModel

extension CheckRule {
    static let preparedWriteRules: [CheckRule] = prepareRules + executingRules

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
            fix: "Check the permission at the Prepare Write Request.", codes: .securityRefusals.union([0x03, 0x06]),
            missing: "there is no constant value that cannot be written"
        ) { run in run.readOnly.prefix(2).map { [0x16] + le($0.item.handle) + le(0) + $0.bytes.prefix(8) } },
        exchange(
            "att-execute-empty", .error, att + "3.4.6.3",
            "An Execute Write Request without prepared values is answered with an Execute Write Response, or with "
                + "Request Not Supported.", fix: "An empty queue is no error."
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

    /// Prepares a change of the first octet of a value, and judges that none of the values that `discard` reads has it.
    /// - Parameter discard: discards the prepared value, and returns the values that it then reads of the attribute
    ///   with this handle.
    private static func unchanged(
        _ run: CheckRun, discard: (UInt16) async throws -> [CheckDatabase.Value?]
    ) async throws -> CheckVerdict {
        guard let (item, _) = run.writable.first else {
            return .notApplicable("no characteristic can be read and written")
        }
        guard case .bytes(let before)? = try await run.read(item.handle), let first = before.first else {
            return .notRun("the value could not be read")
        }
        let prepared = try await run.request([0x16] + le(item.handle) + le(0) + [first ^ 0xFF])
        guard prepared.opcode == 0x17 else { return .notRun("prepared writes are refused") }
        let values = try await discard(item.handle)
        if values.allSatisfy({ $0 == .bytes(before) }) { return .passed }
        _ = try await run.request([0x12] + le(item.handle) + before)
        return .finding("before: \(before.hexText())", handle: item.handle, values.last??.bytes ?? [])
    }

    private static let executingRules: [CheckRule] = [
        changing(
            "att-prepare-echo", .error, att + "3.4.6.2", test: "GATT/SR/GAW/BV-05-C",
            "A Prepare Write Response repeats handle, offset and part: the client compares them.",
            fix: "Send the request's fields back unchanged."
        ) { run in
            guard let (item, bytes) = run.writable.first else {
                return .notApplicable("no characteristic can be read and written")
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
            let all = run.writable
            guard let (item, old) = all.last(where: { $0.bytes.count > 18 }) ?? all.last else {
                return .notApplicable("no characteristic can be read and written")
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
            try await unchanged(run) { handle in
                let unexecuted = try await run.read(handle)
                _ = try await run.request([0x18, 0])
                return [unexecuted, try await run.read(handle)]
            }
        },
        changing(
            "att-prepare-queue-link", .error, att + "3.4.6.1",
            "Prepared values are lost with the link: the next link begins with an empty queue.",
            fix: "Clear the queue when a link ends."
        ) { run in
            try await unchanged(run) { handle in
                try await run.fresh()
                _ = try await run.request([0x18, 1])
                return [try await run.read(handle)]
            }
        },
        changing(
            "att-prepare-offset", .error, att + "3.4.6.3", test: "GATT/SR/GAW/BI-09-C",
            "A part beyond the end of the value is refused with Invalid Offset, at the latest when it is executed, "
                + "and changes nothing.",
            fix: "Compare the offset with the length."
        ) { run in
            // The fields of User Data (181C) cannot be written in parts.
            let all = run.writable.filter { run.database.services[$0.item.service].uuid != 0x181C }
            let known = all.first { [0x2A00, 0x2A01].contains($0.item.uuid) }
            guard let (item, bytes) = known ?? all.first else {
                return .notApplicable("no characteristic can be read and written")
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
    ]
}
