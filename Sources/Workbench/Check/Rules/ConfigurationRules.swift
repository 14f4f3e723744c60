import BluetoothModel

private let nothing = CheckVerdict.notApplicable(
    "no characteristic with a Client Characteristic Configuration that can be read")

/// Returns the characteristics whose configuration was read without pairing.
private func configurable(
    _ run: CheckRun
) -> [(item: CheckDatabase.Characteristic, configuration: UInt16)] {
    Array(run.database.senders.filter { run.database.values[$0.configuration]?.bytes != nil }.prefix(8))
}

extension CheckRule {
    static let configurationRules: [CheckRule] = [
        exchange(
            "cccd-read", .error, gatt + "3.3.3.3", test: nil,
            "A Client Characteristic Configuration can be read without pairing, and has 2 octets.",
            fix: "Permit reading, and return two octets; protect writing if the value is protected."
        ) { run in
            guard !run.database.senders.isEmpty else { return nothing }
            return .findings(
                run.database.senders.compactMap { sender in
                    switch run.database.values[sender.configuration] {
                    case .bytes(let bytes) where bytes.count == 2: nil
                    case .bytes(let bytes): CheckFinding("\(bytes.count) octets", handle: sender.configuration, bytes)
                    case .refused(let error): CheckFinding("reading is refused", handle: sender.configuration, error)
                    case nil: CheckFinding("no answer", handle: sender.configuration, .read(sender.configuration))
                    }
                })
        },
        exchange(
            "cccd-default", .error, gatt + "3.3.3.3",
            "For a client without a bond the configuration is 0 at the beginning of each link.",
            fix: "Keep the configuration for each client, and begin with 0."
        ) { run in
            guard !run.database.senders.isEmpty else { return nothing }
            return .findings(
                run.database.senders.compactMap { sender in
                    guard let bytes = run.database.values[sender.configuration]?.bytes,
                        bytes.contains(where: { $0 != 0 })
                    else { return nil }
                    return CheckFinding(
                        "a subscription that this client did not make", handle: sender.configuration, bytes)
                })
        },
        exchange(
            "cccd-write", .error, gatt + "3.3.3.3", test: "GATT/SR/GAN/BV-01-C",
            "A client can enable what the properties offer, or receives an error that states the required security, "
                + "and reads the "
                + "configuration that it wrote.", fix: "Permit writing, and keep the value."
        ) { run in
            let all = configurable(run)
            guard !all.isEmpty else { return nothing }
            var findings: [CheckFinding] = []
            for (item, configuration) in all {
                for bits: UInt16 in [0x10, 0x20] where item.has(UInt8(bits)) {
                    let value = bits >> 4
                    let answer = try await run.configure(configuration, value)
                    guard answer.isAccepted else {
                        if !answer.isAboutSecurity, (answer.code ?? 0) < 0x80 {
                            findings.append(answer.finding("\(answer.words) to a subscription"))
                        }
                        continue
                    }
                    let back = try await run.request(.read(configuration))
                    if back.body != le(value) {
                        findings.append(
                            back.finding("\(back.words) after writing \(le(value).hexText(separator: " "))"))
                    }
                    let off = try await run.configure(configuration, 0)
                    if !off.isAccepted { findings.append(off.finding("\(off.words) to the end of a subscription")) }
                    let last = try await run.request(.read(configuration))
                    if off.isAccepted, last.body != [0, 0] {
                        findings.append(last.finding("\(last.words) after the end of the subscription"))
                    }
                }
            }
            return .findings(findings)
        },
        exchange(
            "cccd-length", .error, att + "3.4.5.1",
            "A configuration of 3 octets is refused with Invalid Attribute Value Length, and not kept.",
            fix: "Accept two octets only."
        ) { run in
            guard let (item, configuration) = configurable(run).first else { return nothing }
            let answer = try await run.request(.write(configuration, [UInt8(item.has(0x10) ? 1 : 2), 0, 0]))
            if answer.isAboutSecurity { return .notRun("the subscription takes security") }
            let back = try await run.request(.read(configuration))
            if back.body != [0, 0] { _ = try await run.configure(configuration, 0) }
            if let finding = answer.refused(with: [0x0D]) { return .found([finding]) }
            return back.body == [0, 0] ? .passed : .found([back.finding("it is kept although it was refused")])
        },
        exchange(
            "cccd-unsupported", .warning, gatt + "3.3.3.3",
            "A configuration that the properties do not offer is refused, or not kept: the client would wait for "
                + "values that never come.", fix: "Refuse it with Value Not Allowed (0x13) or 0xFD."
        ) { run in
            let all = configurable(run).filter { !$0.item.has(0x10) || !$0.item.has(0x20) }
            guard !all.isEmpty else { return .notApplicable("no characteristic that either notifies or indicates") }
            var findings: [CheckFinding] = []
            for (item, configuration) in all.prefix(3) {
                let bits: UInt16 = item.has(0x10) ? 2 : 1
                let answer = try await run.configure(configuration, bits)
                let back = try await run.request(.read(configuration))
                _ = try await run.configure(configuration, 0)
                guard back.body == le(bits) else { continue }
                findings.append(back.finding(answer.code == nil ? "it is accepted and kept" : "it is refused and kept"))
            }
            return .findings(findings)
        },
        exchange(
            "cccd-reserved", .warning, gatt + "3.3.3.3",
            "The reserved bits of a configuration are refused or ignored: they are not read back.",
            fix: "Mask the value with 0x0003, or refuse it."
        ) { run in
            guard let (_, configuration) = configurable(run).first else { return nothing }
            _ = try await run.configure(configuration, 0x4004)
            let back = try await run.request(.read(configuration))
            _ = try await run.configure(configuration, 0)
            return back.body.map { $0.contains { $0 & 0xFC != 0 } } == true
                ? .found([back.finding("reserved bits are kept")]) : .passed
        },
        exchange(
            "cccd-independent", .error, gatt + "3.3.3.3",
            "Each characteristic has a configuration of its own: writing one changes no other.",
            fix: "Keep a value for each descriptor."
        ) { run in
            let all = configurable(run)
            guard all.count > 1 else { return .notApplicable("fewer than two configurations") }
            var isJudged = false
            for sender in all {
                let answer = try await run.configure(sender.configuration, sender.item.has(0x10) ? 1 : 2)
                guard answer.isAccepted else { continue }
                isJudged = true
                var findings: [CheckFinding] = []
                for other in all where other.configuration != sender.configuration {
                    let read = try await run.request(.read(other.configuration))
                    guard let body = read.body, body.contains(where: { $0 != 0 }) else { continue }
                    findings.append(
                        read.finding("on after \(hexHandle(sender.configuration)) was switched on"))
                }
                _ = try await run.configure(sender.configuration, 0)
                if !findings.isEmpty { return .found(findings) }
            }
            return isJudged ? .passed : .notRun("every subscription is refused")
        },
        exchange(
            "cccd-reconnect", .error, gatt + "3.3.3.3",
            "A client without a bond is no longer subscribed on its next link.",
            fix: "Clear the configurations of clients without a bond when the link ends."
        ) { run in
            var written: [UInt16] = []
            for (item, configuration) in configurable(run) {
                let answer = try await run.configure(configuration, item.has(0x10) ? 1 : 2)
                if answer.isAccepted { written.append(configuration) }
            }
            guard !written.isEmpty else { return nothing }
            try await run.fresh()
            var findings: [CheckFinding] = []
            for configuration in written {
                let read = try await run.request(.read(configuration))
                if let body = read.body, body.contains(where: { $0 != 0 }) {
                    findings.append(read.finding("the subscription of an earlier link"))
                    _ = try await run.configure(configuration, 0)
                }
            }
            // The values of a subscription that is not read.
            if findings.isEmpty {
                let handles = configurable(run).map(\.item.handle)
                let values = try await run.observe(.milliseconds(1500)) { $0.contains { handles.contains($0.handle) } }
                for value in values.prefix(1) where handles.contains(value.handle) {
                    findings.append(CheckFinding("a value of an earlier link", handle: value.handle, value.octets))
                }
            }
            return .findings(findings)
        },
        CheckRule(
            "cccd-per-client", .error, gatt + "3.3.3.3", needs: [.raw, .database, .second], sends: true,
            "Each client has a configuration of its own: the subscription of one is not that of another.",
            fix: "Keep the configuration for each link."
        ) { run in
            guard let second = run.second, let (item, configuration) = configurable(run).first else { return nothing }
            let answer = try await run.configure(configuration, item.has(0x10) ? 1 : 2)
            guard answer.isAccepted else { return .notRun("the subscription is refused") }
            let other = CheckRun(second, advertising: run.advertising, options: run.options)
            other.database = run.database
            let read: CheckAnswer
            let values: [CheckRun.ReceivedValue]
            do {
                read = try await other.request(.read(configuration))
                values = try await other.observe(.milliseconds(1500)) { $0.contains { $0.handle == item.handle } }
            } catch let stop as CheckStop {
                return .notRun("the device takes no second link: \(stop)")
            }
            await other.close()
            if run.link?.isOpen == true { _ = try await run.configure(configuration, 0) }
            if let value = values.first(where: { $0.handle == item.handle }) {
                return .finding("a value to a client that did not subscribe", handle: item.handle, value.octets)
            }
            guard let body = read.body else { return .notRun("the second client cannot read it: \(read.words)") }
            return body.contains { $0 != 0 }
                ? .found([read.finding("on for a client that did not subscribe")]) : .passed
        },
    ]
}
