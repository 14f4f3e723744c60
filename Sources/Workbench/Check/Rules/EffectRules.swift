import BluetoothModel

extension CheckRun {
    /// Sends packets, and waits until each was answered or, if it is a command, ignored.
    fileprivate func deliver(_ pdus: [[UInt8]]) async throws {
        for pdu in pdus {
            if pdu[0] & 0x40 == 0 { _ = try await request(pdu) } else { _ = try await silence(after: pdu) }
        }
    }

    /// Sends packets that must not write a value, and returns a finding if the value is changed to theirs. The old
    /// value is then written back.
    /// - Parameters:
    ///   - what: The name of the packets, for the message.
    ///   - packets: Returns the packets that would write a value.
    fileprivate func change(
        of handle: UInt16, by what: String, _ packets: ([UInt8]) -> [[UInt8]]
    ) async throws -> CheckFinding? {
        guard case .bytes(let old)? = try await read(handle), let first = old.first else { return nil }
        let new = [first ^ 1] + old.dropFirst()
        try await deliver(packets(new))
        guard case .bytes(let now)? = try await read(handle), now != old, now.starts(with: new) else { return nil }
        try await deliver(packets(old) + [.write(handle, old)])
        let sent = packets(new).map { $0.hexText(separator: " ") }.joined(separator: ", ")
        return CheckFinding(
            "\(what) changes the value", handle: handle,
            text: "before: \(old.hexText(separator: " ")), sent \(sent), after: \(now.hexText(separator: " "))")
    }

    /// The characteristics without a property for writes whose value can be read and fits a request.
    fileprivate var unwritable: [CheckDatabase.Characteristic] { short.filter { !$0.has(0x4C) } }

    /// The characteristics whose value can be read and fits a request of the smallest MTU.
    private var short: [CheckDatabase.Characteristic] {
        database.readable.filter { (1...18).contains($0.bytes.count) }.map(\.item)
    }

    /// The characteristics with the property Write whose Write Request is refused for security. The request has the
    /// value that the characteristic has, or a zero.
    func writeProtected() async throws -> [CheckDatabase.Characteristic] {
        if let knownProtected { return knownProtected }
        var all: [CheckDatabase.Characteristic] = []
        for item in database.characteristics.filter(\.isWritable).prefix(12) {
            let old = database.values[item.handle]?.bytes ?? [0]
            let answer = try await request(.write(item.handle, old.prefix(mtu - 3)))
            if answer.isAboutSecurity { all.append(item) }
        }
        knownProtected = all
        return all
    }

    /// The characteristics that keep another value that a Write Request writes, with the values that they have.
    func keeping() async throws -> [CheckDatabase.ReadValue] {
        if let knownKeeping { return knownKeeping }
        var all: [CheckDatabase.ReadValue] = []
        for (item, bytes) in writable.filter({ $0.bytes.count <= 20 }).prefix(8) {
            guard case .bytes(let old)? = try await read(item.handle), let first = old.first else { continue }
            let new = [first ^ 1] + old.dropFirst()
            let answer = try await request(.write(item.handle, new))
            guard answer.isAccepted else { continue }
            let isKept = try await read(item.handle) == .bytes(new)
            _ = try await request(.write(item.handle, old))
            if isKept { all.append((item, bytes)) }
        }
        knownKeeping = all
        return all
    }

    /// Writes protected values in every way over a link that is not encrypted, to a device that has a bond with this
    /// client, and judges the values over an encrypted one.
    func writeAsBondedWithoutKey() async throws -> CheckVerdict {
        // The link is not encrypted yet if this is the first rule.
        let all = try await writeProtected()
        guard !all.isEmpty else { return .notApplicable("no characteristic is protected from writing") }
        try await paired()
        try await connectEncrypted()
        var before: [(handle: UInt16, old: [UInt8])] = []
        for item in all.prefix(6) {
            guard case .bytes(let old)? = try await read(item.handle), (1...18).contains(old.count) else { continue }
            before.append((item.handle, old))
        }
        guard !before.isEmpty else { return .notRun("no protected value can be read back") }
        let ways = ["a Write Request", "a Write Command", "a prepared write"]
        func value(_ old: [UInt8], _ way: Int) -> [UInt8] { [old[0] ^ (1 << UInt8(way))] + old.dropFirst() }
        try await withoutKey {
            for (handle, old) in before {
                try await deliver([
                    .write(handle, value(old, 0)), .writeCommand(handle, value(old, 1)),
                    .prepareWrite(handle, offset: 0, value(old, 2)), .executeWrite(true),
                ])
            }
        }
        try await connectEncrypted()
        var findings: [CheckFinding] = []
        for (handle, old) in before {
            guard case .bytes(let now)? = try await read(handle),
                let way = ways.indices.first(where: { value(old, $0) == now })
            else { continue }
            findings.append(CheckFinding("\(ways[way]) without encryption changes the value", handle: handle, now))
            _ = try await request(.write(handle, old))
        }
        return .findings(findings)
    }

    /// The characteristics whose value can be read without security, and is not written without it.
    fileprivate func readableProtected() async throws -> [CheckDatabase.Characteristic] {
        let all = try await writeProtected()
        return short.filter { all.contains($0) }
    }

    /// The characteristics that permit writes with a response only, and take no security.
    fileprivate func respondingOnly() async throws -> [CheckDatabase.Characteristic] {
        let all = try await writeProtected()
        return short.filter { $0.isWritable && !$0.has(0x04) && !all.contains($0) }
    }
}

extension CheckRule {
    /// Returns a rule that packets, which the device has to refuse or to ignore, change no value. It is judged by
    /// reading the value back, not by the answer.
    private static func effect(
        _ id: String, _ severity: Severity, _ section: String, _ what: String, _ text: String, fix: String,
        on items: @escaping @Sendable (CheckRun) async throws -> [CheckDatabase.Characteristic],
        packets: @escaping @Sendable (UInt16, [UInt8]) -> [[UInt8]]
    ) -> CheckRule {
        changing(id, severity, section, text, fix: fix) { run in
            let all = try await items(run)
            guard !all.isEmpty else { return .notApplicable("there is no such value that can be read") }
            var findings: [CheckFinding] = []
            for item in all.prefix(12) {
                let finding = try await run.change(of: item.handle, by: what) { packets(item.handle, $0) }
                if let finding { findings.append(finding) }
            }
            return .findings(findings)
        }
    }

    private static func command(_ handle: UInt16, _ value: [UInt8]) -> [[UInt8]] { [.writeCommand(handle, value)] }

    /// Rules about the effect of writes that a device refuses or ignores. Their values differ from those of the device.
    static let effectRules: [CheckRule] = [
        effect(
            "att-write-refused", .error, att + "3.4.5.1", "a Write Request",
            "A Write Request of another value for a characteristic without a property for writes, or without the "
                + "security that it takes, changes nothing, whatever the answer is.",
            fix: "Check the permission before the value is stored.",
            on: { run in try await run.unwritable.prefix(8) + run.readableProtected() }
        ) { [.write($0, $1)] },
        effect(
            "att-write-command-not-permitted", .error, att + "3.4.5.3", "a Write Command",
            "A Write Command for a characteristic without a property for writes is ignored.",
            fix: "Check the permission of commands as of requests.", on: { $0.unwritable }, packets: command),
        effect(
            "att-write-command-property", .warning, gatt + "3.3.1.1", "a Write Command",
            "A Write Command for a characteristic without the property Write Without Response is ignored.",
            fix: "Set the property, or ignore the command.", on: { try await $0.respondingOnly() }, packets: command),
        effect(
            "sec-write-command", .error, att + "3.4.5.3", "a Write Command without encryption",
            "A write that a Write Request refuses for security is ignored as a Write Command as well.",
            fix: "Check the permission of every packet that writes.", on: { try await $0.readableProtected() },
            packets: command),
        effect(
            "att-write-signed-value", .error, att + "3.4.5.4", "a Signed Write Command",
            "A Signed Write Command with a wrong signature changes no value.",
            fix: "Check the signature before the value is stored.",
            on: { run in run.database.readable.filter { (1...8).contains($0.bytes.count) }.map(\.item) }
        ) { [.wronglySignedWrite($0, $1)] },
        effect(
            "att-prepare-refused", .error, att + "3.4.6.1", "a prepared write",
            "A prepared write for a characteristic without a property for writes, or without the security that it "
                + "takes, changes nothing when it is executed, whatever the answers are.",
            fix: "Queue nothing that was refused; check the permission at the Execute Write Request too.",
            on: { run in try await run.unwritable.prefix(8) + run.readableProtected() }
        ) { [.prepareWrite($0, offset: 0, $1), .executeWrite(true)] },
        changing(
            "att-write-independent", .error, att + "3.4.5.1",
            "A write changes no constant value and no Client Characteristic Configuration of another characteristic.",
            fix: "Store the value at the handle of the request."
        ) { run in
            let keeping = try await run.keeping()
            guard !keeping.isEmpty else { return .notApplicable("no characteristic keeps what is written") }
            var others = run.database.constants.prefix(8).map { ($0.item.handle, $0.bytes) }
            for sender in run.database.senders.prefix(8) {
                guard let bytes = run.database.values[sender.configuration]?.bytes else { continue }
                others.append((sender.configuration, bytes))
            }
            var findings: [CheckFinding] = []
            for (item, old) in keeping.prefix(3) {
                _ = try await run.request(.write(item.handle, [old[0] ^ 1] + old.dropFirst()))
                for (handle, bytes) in others where handle != item.handle {
                    guard case .bytes(let now)? = try await run.read(handle), now != bytes else { continue }
                    findings.append(
                        CheckFinding("changed by a write of \(hexHandle(item.handle))", handle: handle, now))
                }
                _ = try await run.request(.write(item.handle, old))
            }
            return .findings(findings)
        },
    ]
}
