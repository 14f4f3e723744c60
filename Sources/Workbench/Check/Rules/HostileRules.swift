import BluetoothModel

/// A request that is too short, or has a wrong length.
private struct Truncated {
    var name: String
    var title: String
    var section: String
    var pdus: [[UInt8]]
    var isOptional = false

    static let all = [
        Truncated(name: "mtu", title: "Exchange MTU Request", section: "3.4.2.1", pdus: [[0x02], [0x02, 0x17]]),
        Truncated(
            name: "find-information", title: "Find Information Request", section: "3.4.3.1",
            pdus: [[0x04, 1, 0], [0x04, 1, 0, 0xFF]]),
        Truncated(
            name: "find-by-type", title: "Find By Type Value Request", section: "3.4.3.3",
            pdus: [[0x06, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0]]),
        Truncated(
            name: "read-by-type", title: "Read By Type Request", section: "3.4.4.1",
            pdus: [[0x08, 1, 0, 0xFF, 0xFF], [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28, 0]]),
        Truncated(
            name: "read", title: "Read Request", section: "3.4.4.3", pdus: [[0x0A], [0x0A, 1], [0x0A, 1, 0, 0]]),
        Truncated(
            name: "blob", title: "Read Blob Request", section: "3.4.4.5", pdus: [[0x0C, 1, 0], [0x0C, 1, 0, 0]],
            isOptional: true),
        Truncated(
            name: "multiple", title: "Read Multiple Request", section: "3.4.4.7", pdus: [[0x0E], [0x0E, 1, 0, 1]],
            isOptional: true),
        Truncated(
            name: "read-by-group", title: "Read By Group Type Request", section: "3.4.4.9",
            pdus: [[0x10, 1, 0, 0xFF, 0xFF], [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28, 0]]),
        Truncated(name: "write", title: "Write Request", section: "3.4.5.1", pdus: [[0x12], [0x12, 1]]),
        Truncated(
            name: "prepare", title: "Prepare Write Request", section: "3.4.6.1",
            pdus: [[0x16, 1, 0], [0x16, 1, 0, 0]],
            isOptional: true),
        Truncated(
            name: "execute", title: "Execute Write Request", section: "3.4.6.3", pdus: [[0x18]], isOptional: true),
    ]
}

extension CheckRule {
    private static func ignored(
        _ id: String, _ section: String, _ text: String, fix: String, channel: UInt16 = 0x0004,
        _ pdus: @escaping @Sendable (CheckRun) -> [[UInt8]]
    ) -> CheckRule {
        exchange(id, .error, section, needs: .hostile, text, fix: fix) { run in
            var findings: [CheckFinding] = []
            for pdu in pdus(run) {
                do {
                    try await run.ready()
                    let link = run.linkCount
                    if let answer = try await run.silence(after: pdu, on: channel) {
                        findings.append(answer.finding(answer.words))
                        continue
                    }
                    // The link may end after the answer to the probe.
                    _ = try await run.raw(.findInformation(1, 1))
                    if run.linkCount != link {
                        findings.append(CheckFinding("the link ended", text: "after \(pdu.hexText(separator: " "))"))
                    }
                } catch let stop as CheckStop where stop.isLoss {
                    findings.append(CheckFinding("the link ended", text: stop.description))
                }
            }
            return .findings(findings)
        }
    }

    static let hostileRules: [CheckRule] = truncationRules + strangeRules

    private static let truncationRules: [CheckRule] = Truncated.all.map { kind in
        exchange(
            "hostile-\(kind.name)-length", .error, att + kind.section, needs: .hostile,
            "A \(kind.title) of a wrong length is refused with Invalid PDU, and the link stays connected.",
            fix: "Check the length before the fields."
        ) { run in
            var findings: [CheckFinding] = []
            for pdu in kind.pdus {
                do {
                    let answer = try await run.request(pdu)
                    let codes: Set<UInt8> = kind.isOptional ? [0x04, 0x06] : [0x04]
                    if let finding = answer.refused(with: codes) { findings.append(finding) }
                } catch let stop as CheckStop where stop.isLoss {
                    findings.append(CheckFinding("the link ended", text: stop.description))
                }
            }
            return .findings(findings)
        }
    }

    private static let strangeRules: [CheckRule] = [
        ignored(
            "hostile-response", att + "3.3",
            "A response, a notification or a confirmation of the client that answers nothing is ignored.",
            fix: "Drop packets that a client does not send."
        ) { _ in [[0x0B, 1, 2, 3], [0x1E], [0x01, 0x0A, 1, 0, 0x01], [0x1B, 1, 0, 5], [0x13]] },
        ignored(
            "hostile-command-length", att + "3.4.5.3", "A Write Command that is too short is ignored.",
            fix: "Check the length before the fields."
        ) { _ in [[0x52], [0x52, 1], [0xD2, 1, 0]] },
        ignored(
            "hostile-empty", att + "3.3.1", "An empty packet of the attribute protocol is ignored.",
            fix: "Check that there is an opcode."
        ) { _ in [[]] },
        ignored(
            "hostile-channel", "Core 5.4, Vol 3, Part A, 3.1", "A frame on a channel that does not exist is ignored.",
            fix: "Drop the frame.", channel: 0x003F
        ) { _ in [[1, 2, 3, 4], []] },
        ignored(
            "hostile-signal-length", "Core 5.4, Vol 3, Part A, 4",
            "A signalling packet whose length does not fit is not executed, and the link stays connected.",
            fix: "Compare the length with the frame.", channel: 0x0005
        ) { _ in [[0x12], [0x12, 0x51, 0x08, 0x00, 0x18], [0x14, 0x52, 0xFF, 0xFF]] },
        exchange(
            "hostile-mtu-small", .error, att + "3.4.2.1", needs: .hostile,
            "After an Exchange MTU Request below 23 the server continues with 23, or refuses it.",
            fix: "Never use an MTU below 23."
        ) { run in
            try await run.fresh()
            let answer = try await run.raw(.exchangeMTU(5))
            guard answer.bytes != nil else { return .found([answer.finding("no answer")]) }
            let next = try await run.raw(.findInformation(1, 0xFFFF))
            await run.close()
            guard let count = next.bytes?.count, next.body != nil, count <= 23 else {
                return .found([next.finding("\(next.words) afterwards")])
            }
            return .passed
        },
        exchange(
            "hostile-prepare-many", .error, att + "3.4.6.1", needs: [.hostile, .writes],
            "A queue of prepared values that is full is refused with Prepare Queue Full, and none of them is stored.",
            fix: "Bound the queue."
        ) { run in
            guard
                let item = run.database.characteristics.first(where: {
                    $0.isWritable && run.database.values[$0.handle]?.bytes != nil
                })
            else { return .notApplicable("no characteristic can be read and written") }
            let before = try await run.read(item.handle)
            for _ in 0..<2000 {
                let answer = try await run.request(.prepareWrite(item.handle, offset: 0, [0]))
                if answer.isAccepted { continue }
                let cancelled = try await run.request(.executeWrite(false))
                let now = try await run.read(item.handle)
                if now?.bytes?.first == 0, now != before {
                    return .found([cancelled.finding("a part of the queue is stored")])
                }
                if answer.code == 0x06 || answer.isAboutSecurity { return .notRun("prepared writes are refused") }
                return answer.refused(with: [0x09, 0x11]).map { .found([$0]) } ?? .passed
            }
            let cancelled = try await run.request(.executeWrite(false))
            return .found([cancelled.finding("2000 prepared writes were accepted")])
        },
        exchange(
            "hostile-requests-at-once", .error, att + "3.3.2", needs: .hostile,
            "A second request before the response to the first does not end the link or confuse the answers.",
            fix: "Queue it, or drop it."
        ) { run in
            let first = try await run.sendTwice(.findInformation(1, 1))
            guard first.bytes != nil else { return .found([first.finding("no answer")]) }
            let last = try await run.raw([0x0A, 0, 0])
            return last.bytes?.prefix(2) == [0x01, 0x0A]
                ? .passed : .found([last.finding("the answer is of another request")])
        },
    ]
}
