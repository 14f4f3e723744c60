import BluetoothModel

extension CheckRule {
    static let preparedWriteRules: [CheckRule] = prepareRules + echoRules + keptRules + discardRules

    private static let prepareRules: [CheckRule] = [
        refusal(
            "att-prepare-unknown", "3.4.6.1", test: "GATT/SR/GAW/BI-07-C",
            "A Prepare Write Request for a handle without an attribute is refused with Invalid Handle.",
            fix: "Check the handle.", codes: [0x01, 0x06]
        ) { run in ([0] + (run.database.freeHandle.map { [$0] } ?? [])).map { .prepareWrite($0, offset: 0, [0]) } },
        refusal(
            "att-prepare-declaration", "3.4.6.1", test: "GATT/SR/GAW/BI-08-C",
            "A Prepare Write Request for a declaration is refused with Write Not Permitted.",
            fix: "Check the permission at the Prepare Write Request.", codes: [0x03, 0x06]
        ) { run in run.database.characteristics.prefix(1).map { .prepareWrite($0.declaration, offset: 0, [0]) } },
        refusal(
            "att-prepare-not-permitted", "3.4.6.1", test: "GATT/SR/GAW/BI-08-C",
            "A Prepare Write Request for a characteristic without the property Write is refused.",
            fix: "Check the permission at the Prepare Write Request.", codes: .securityRefusals.union([0x03, 0x06]),
            missing: "there is no constant value that cannot be written"
        ) { run in run.readOnly.prefix(2).map { .prepareWrite($0.item.handle, offset: 0, $0.bytes.prefix(8)) } },
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
        guard !run.writable.isEmpty else { return .notApplicable("no characteristic can be read and written") }
        for (item, _) in run.writable.prefix(6) {
            guard case .bytes(let before)? = try await run.read(item.handle), let first = before.first else { continue }
            let prepared = try await run.request(.prepareWrite(item.handle, offset: 0, [first ^ 0xFF]))
            guard prepared.isAccepted else { continue }
            let values = try await discard(item.handle)
            guard let changed = values.first(where: { $0 != .bytes(before) }) else { return .passed }
            _ = try await run.request(.write(item.handle, before))
            return .finding("before: \(before.hexText())", handle: item.handle, changed?.bytes ?? [])
        }
        return .notRun("prepared writes are refused")
    }

    /// Writes a value that the characteristic keeps in prepared parts of `size` octets, and returns the value that is
    /// then read. The old value is written back.
    /// - Throws: ``CheckStop`` if the device refuses it.
    private static func execute(
        _ run: CheckRun, _ item: CheckDatabase.Characteristic, _ value: [UInt8], old: [UInt8], partsOf size: Int
    ) async throws -> [UInt8] {
        for offset in stride(from: 0, to: value.count, by: size) {
            let part = value[offset..<min(offset + size, value.count)]
            let answer = try await run.request(.prepareWrite(item.handle, offset: UInt16(offset), part))
            guard answer.isAccepted else {
                _ = try await run.request(.executeWrite(false))
                throw CheckStop("prepared writes are refused: \(answer.words)")
            }
        }
        let executed = try await run.request(.executeWrite(true))
        guard executed.isAccepted else { throw CheckStop("the value is refused: \(executed.words)") }
        let now = try await run.read(item.handle)?.bytes ?? []
        _ = try await run.request(.write(item.handle, old.prefix(run.mtu - 3)))
        return now
    }

    /// Returns a rule about the values that are kept when they are written.
    private static func keeping(
        _ id: String, _ section: String, test: String? = nil, needs: Needs = [], _ text: String, fix: String,
        judge: @escaping @Sendable (CheckRun, [CheckDatabase.ReadValue]) async throws -> CheckVerdict
    ) -> CheckRule {
        exchange(id, .error, section, test: test, needs: needs.union(.writes), text, fix: fix) { run in
            let all = try await run.keeping()
            guard !all.isEmpty else { return .notApplicable("no characteristic keeps what is written") }
            return try await judge(run, all)
        }
    }

    private static let echoRules: [CheckRule] = [
        changing(
            "att-prepare-echo", .error, att + "3.4.6.2", test: "GATT/SR/GAW/BV-05-C",
            "A Prepare Write Response repeats handle, offset and part: the client compares them.",
            fix: "Send the request's fields back unchanged."
        ) { run in
            guard !run.writable.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            for (item, bytes) in run.writable.prefix(6) {
                let pdu = [UInt8].prepareWrite(item.handle, offset: 0, Array(bytes.prefix(16)))
                let answer = try await run.request(pdu)
                if answer.isAccepted { _ = try await run.request(.executeWrite(false)) }
                if answer.code == 0x06 || answer.isAboutSecurity { continue }
                let isRight = answer.body == Array(pdu.dropFirst())
                return isRight ? .passed : .found([answer.finding("the response differs")])
            }
            return .notRun("prepared writes are refused")
        },
        changing(
            "att-long-write", .error, gatt + "4.9.4", test: "GATT/SR/GAW/BV-05-C",
            "A value that is written in prepared parts is read back whole. (The check writes the old value again.)",
            fix: "Join all parts before the value is stored."
        ) { run in
            guard !run.writable.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            var reason = ""
            // The longest value first; it may be protected, or permit no other length.
            for (item, old) in run.writable.reversed().prefix(6) {
                let long = old + [UInt8](repeating: 0x41, count: max(0, 40 - old.count))
                let value = [long[0] ^ 1] + long.dropFirst()
                do {
                    let now = try await execute(run, item, value, old: old, partsOf: 18)
                    if now == value { return .passed }
                    // A device that keeps nothing that is written is found by another rule.
                    if now == old, try await !run.keeping().contains(where: { $0.item == item }) { return .passed }
                    return .finding("\(now.count) of \(value.count) octets", handle: item.handle, now)
                } catch let stop as CheckStop where !stop.isLoss {
                    reason = stop.description
                }
            }
            return .notRun(reason)
        },
    ]

    private static let keptRules: [CheckRule] = [
        keeping(
            "att-prepare-executed", att + "3.4.6.3", test: "GATT/SR/GAW/BV-05-C",
            "All prepared parts of a value that are executed are read back.", fix: "Write every part of the queue."
        ) { run, all in
            var reason = ""
            for (item, old) in all.prefix(4) {
                let value = old.map { $0 ^ 1 }
                do {
                    let now = try await execute(run, item, value, old: old, partsOf: (value.count + 1) / 2)
                    return now == value
                        ? .passed
                        : .finding("not \(value.hexText(separator: " "))", handle: item.handle, now)
                } catch let stop as CheckStop where !stop.isLoss {
                    // The value may permit one octet to change only.
                    reason = stop.description
                }
            }
            return .notRun(reason)
        },
        keeping(
            "att-prepare-two", att + "3.4.6.3",
            "Prepared values of two characteristics that are executed together are both read back.",
            fix: "Write every part of the queue."
        ) { run, all in
            guard all.count > 1 else { return .notApplicable("fewer than two characteristics keep what is written") }
            let two = all.prefix(2)
            func value(_ old: [UInt8]) -> [UInt8] { [old[0] ^ 1] + old.dropFirst() }
            for (item, old) in two {
                let answer = try await run.request(.prepareWrite(item.handle, offset: 0, value(old).prefix(18)))
                guard answer.isAccepted else {
                    _ = try await run.request(.executeWrite(false))
                    return .notRun("prepared writes are refused: \(answer.words)")
                }
            }
            let executed = try await run.request(.executeWrite(true))
            var findings: [CheckFinding] = []
            for (item, old) in two {
                let now = try await run.read(item.handle)
                _ = try await run.request(.write(item.handle, old))
                guard executed.isAccepted, now?.bytes?.first != value(old)[0] else { continue }
                findings.append(CheckFinding("not written", handle: item.handle, now?.bytes ?? []))
            }
            if !executed.isAccepted { return .notRun("the values are refused: \(executed.words)") }
            return .findings(findings)
        },
        keeping(
            "att-execute-once", att + "3.4.6.3",
            "Executed values leave the queue: another Execute Write Request does not write them again.",
            fix: "Clear the queue when it was executed."
        ) { run, all in
            for (item, old) in all.prefix(4) {
                let value = [old[0] ^ 1] + old.dropFirst()
                let prepared = try await run.request(.prepareWrite(item.handle, offset: 0, value.prefix(18)))
                guard prepared.isAccepted else { continue }
                _ = try await run.request(.executeWrite(true))
                _ = try await run.request(.write(item.handle, old))
                let again = try await run.request(.executeWrite(true))
                let now = try await run.read(item.handle)?.bytes
                if now == old { return .passed }
                _ = try await run.request(.write(item.handle, old))
                return now == value ? .found([again.finding("the value is written again")]) : .passed
            }
            return .notRun("prepared writes are refused")
        },
        keeping(
            "att-prepare-per-client", att + "3.4.6.1", needs: .second,
            "Each client has a queue of its own: the Execute Write Request of one does not write what another prepared.",
            fix: "Keep the queue for each link."
        ) { run, all in
            guard let second = run.second else { return .notRun("requires a second adapter") }
            for (item, old) in all.prefix(4) {
                let prepared = try await run.request(.prepareWrite(item.handle, offset: 0, [old[0] ^ 1]))
                guard prepared.isAccepted else { continue }
                let other = CheckRun(second, advertising: run.advertising, options: run.options)
                other.database = run.database
                do {
                    _ = try await other.request(.executeWrite(true))
                } catch let stop as CheckStop {
                    return .notRun("the device takes no second link: \(stop)")
                }
                await other.close()
                let now = try await run.read(item.handle)?.bytes
                _ = try await run.request(.executeWrite(false))
                if now?.first != old[0] ^ 1 { return .passed }
                _ = try await run.request(.write(item.handle, old))
                return .finding("written by another client", handle: item.handle, now ?? [])
            }
            return .notRun("prepared writes are refused")
        },
    ]

    private static let discardRules: [CheckRule] = [
        changing(
            "att-prepare-cancel", .error, att + "3.4.6.3", test: "GATT/SR/GAW/BV-07-C",
            "A cancelled Execute Write changes nothing, and empties the queue: a later one writes nothing of it.",
            fix: "Discard the queue if the flags are 0."
        ) { run in
            try await unchanged(run) { handle in
                let unexecuted = try await run.read(handle)
                _ = try await run.request(.executeWrite(false))
                let cancelled = try await run.read(handle)
                _ = try await run.request(.executeWrite(true))
                return [unexecuted, cancelled, try await run.read(handle)]
            }
        },
        changing(
            "att-prepare-queue-link", .error, att + "3.4.6.1",
            "Prepared values are lost with the link: the next link begins with an empty queue.",
            fix: "Clear the queue when a link ends."
        ) { run in
            try await unchanged(run) { handle in
                try await run.fresh()
                _ = try await run.request(.executeWrite(true))
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
            guard !all.isEmpty else { return .notApplicable("no characteristic can be read and written") }
            func isKnown(_ value: CheckDatabase.ReadValue) -> Bool { [0x2A00, 0x2A01].contains(value.item.uuid) }
            for (item, _) in (all.filter(isKnown) + all.filter { !isKnown($0) }).prefix(6) {
                guard case .bytes(let old)? = try await run.read(item.handle) else { continue }
                let prepared = try await run.request(.prepareWrite(item.handle, offset: UInt16(old.count + 2), [0]))
                if prepared.code == 0x06 || prepared.isAboutSecurity { continue }
                let answer = try await run.request(.executeWrite(true))
                let now = try await run.read(item.handle)?.bytes ?? []
                // A longer or shorter value: others may change by themselves.
                guard now.count != old.count else { return .passed }
                _ = try await run.request(.write(item.handle, old))
                return .found([answer.finding("the value is changed to \(now.hexText())")])
            }
            return .notRun("prepared writes are refused")
        },
    ]
}
