import BluetoothModel
import BluetoothProfiles

private typealias Point = (item: CheckDatabase.Characteristic, configuration: UInt16)

extension CheckRun {
    /// Returns the control points of a type that can indicate their responses.
    fileprivate func points(_ uuid: BluetoothUUID) -> [Point] { database.senders.filter { $0.item.uuid == uuid } }

    /// Enables indications, writes to a control point, and returns the answer to the write and the indication.
    fileprivate func procedure(_ point: Point, _ bytes: [UInt8]) async throws -> (CheckAnswer, [UInt8]?) {
        let configured = try await configure(point.configuration, 2)
        guard configured.isAccepted else { throw CheckStop("the subscription is refused: \(configured.words)") }
        let count = values.count
        let answer = try await request(.write(point.item.handle, bytes))
        if answer.isAboutSecurity { throw CheckStop("the control point takes security") }
        func response() -> [UInt8]? {
            values[count...].first { $0.handle == point.item.handle }.map { Array($0.octets.dropFirst(3)) }
        }
        if answer.isAccepted, response() == nil {
            let handle = point.item.handle
            _ = try await observe(options.patience) { $0.contains { $0.handle == handle } }
        }
        let result = response()
        _ = try await configure(point.configuration, 0)
        return (answer, result)
    }
}

extension CheckRule {
    private static func point(
        _ id: String, _ uuid: BluetoothUUID, _ section: String, _ text: String, fix: String, write: [UInt8],
        _ isRight: @escaping @Sendable ([UInt8]) -> Bool
    ) -> CheckRule {
        CheckRule(
            id, .error, section, needs: [.raw, .database, .writes], sends: true, text, fix: fix
        ) { run in
            let all = run.points(uuid)
            guard !all.isEmpty else { return .notApplicable("there is no \(uuid) that indicates") }
            var findings: [CheckFinding] = []
            for point in all {
                let (answer, response) = try await run.procedure(point, write)
                if let response, isRight(response) { continue }
                let came = response.map { $0.hexText(separator: " ") } ?? "nothing"
                findings.append(
                    CheckFinding(
                        response == nil ? "no response: \(answer.words)" : "another response",
                        handle: point.item.handle,
                        text: "written \(write.hexText(separator: " ")), indicated \(came)"))
            }
            return .findings(findings)
        }
    }

    /// Returns a rule that a write to a control point is refused while its indications are disabled.
    private static func unconfigured(
        _ id: String, _ uuid: BluetoothUUID, _ section: String, _ name: String, write: [UInt8]
    ) -> CheckRule {
        CheckRule(
            id, .error, section, needs: [.raw, .database, .writes], sends: true,
            "A write to a \(name) whose indications are off is refused with 0xFD, or 0x81 as older services define it: "
                + "the response could not be sent.",
            fix: "Look at the configuration of the client before the procedure."
        ) { run in
            let all = run.points(uuid)
            guard !all.isEmpty else { return .notApplicable("there is no \(uuid) that indicates") }
            try await run.fresh()
            var findings: [CheckFinding] = []
            for point in all {
                let answer = try await run.request(.write(point.item.handle, write))
                if answer.isAboutSecurity { return .notRun("the control point takes security") }
                if let finding = answer.refused(with: [0xFD, 0x81]) { findings.append(finding) }
            }
            return .findings(findings)
        }
    }

    static let controlPointRules: [CheckRule] = [
        point(
            "racp-count", 0x2A52, "GLS 1.0, 3.4.1",
            "Report Number of Stored Records (04 01) is answered with the number.",
            fix: "Indicate 05 00 and the number, 16 bits.", write: [0x04, 0x01]
        ) { $0.count >= 4 && $0[0] == 0x05 && $0[1] == 0 || $0.starts(with: [0x06, 0x00, 0x04]) },
        point(
            "racp-opcode", 0x2A52, "GLS 1.0, 3.4.2", "An unknown opcode is answered with Op Code Not Supported.",
            fix: "Indicate 06 00, the opcode and 02.", write: [0x7F, 0x01]
        ) { $0 == [0x06, 0x00, 0x7F, 0x02] },
        point(
            "racp-operator", 0x2A52, "GLS 1.0, 3.4.2", "An operator of Null is answered with Invalid Operator.",
            fix: "Indicate 06 00 04 03.", write: [0x04, 0x00]
        ) { $0 == [0x06, 0x00, 0x04, 0x03] || $0 == [0x06, 0x00, 0x04, 0x04] },
        point(
            "racp-operator-unknown", 0x2A52, "GLS 1.0, 3.4.2",
            "An unknown operator is answered with Operator Not Supported.", fix: "Indicate 06 00 04 04.",
            write: [0x04, 0x7E]
        ) { $0 == [0x06, 0x00, 0x04, 0x04] || $0 == [0x06, 0x00, 0x04, 0x03] },
        point(
            "racp-abort", 0x2A52, "GLS 1.0, 3.4.1", "Abort without a procedure in progress is answered.",
            fix: "Indicate 06 00 03 and a result.", write: [0x03, 0x00]
        ) { $0.count == 4 && $0.starts(with: [0x06, 0x00, 0x03]) },
        unconfigured("racp-unconfigured", 0x2A52, "GLS 1.0, 3.4", "Record Access Control Point", write: [0x04, 0x01]),
        point(
            "sc-opcode", 0x2A55, "CSCS 1.0, 3.4.2",
            "An unknown opcode at an SC Control Point is answered with Op Code Not Supported.",
            fix: "Indicate 10, the opcode and 02.", write: [0x7F]
        ) { $0.starts(with: [0x10, 0x7F, 0x02]) },
        unconfigured("sc-unconfigured", 0x2A55, "CSCS 1.0, 3.4", "SC Control Point", write: [0x7F]),
        CheckRule(
            "cgms-opcode", .error, "CGMS 1.0, 3.7", needs: [.raw, .database, .writes], sends: true,
            "An unknown opcode at a CGM Specific Ops Control Point is answered with Op Code Not Supported.",
            fix: "Indicate 1C, the opcode and 02."
        ) { run in
            guard let point = run.points(0x2AAC).first else { return .notApplicable("there is no 2AAC that indicates") }
            var (answer, response) = try await run.procedure(point, [0x7F])
            if answer.code == 0x80 {
                // The device requires a checksum (E2E-CRC) in commands.
                (answer, response) = try await run.procedure(point, [0x7F] + le(CRC16.ccitt([0x7F])))
            }
            if response?.starts(with: [0x1C, 0x7F, 0x02]) == true { return .passed }
            let came = response.map { $0.hexText(separator: " ") } ?? "nothing"
            return .found([CheckFinding("\(answer.words)", handle: point.item.handle, text: "indicated \(came)")])
        },
        CheckRule(
            "hrs-control-point-value", .error, "HRS 1.0, 3.3.1", needs: [.raw, .database, .writes], sends: true,
            "A reserved value at the Heart Rate Control Point is refused with 0x80 (Control Point Not Supported).",
            fix: "Accept the value 01 only."
        ) { run in
            guard let item = run.database.all(0x2A39).first(where: \.isWritable) else {
                return .notApplicable("there is no Heart Rate Control Point")
            }
            let answer = try await run.request(.write(item.handle, [0xFF]))
            if answer.isAboutSecurity { return .notRun("the control point takes security") }
            return answer.refused(with: [0x80]).map { .found([$0]) } ?? .passed
        },
        CheckRule(
            "lls-level-value", .error, "LLS 1.0, 3.1", needs: [.raw, .database, .writes], sends: true,
            "A reserved Alert Level of the Link Loss service is refused, or not kept.", fix: "Accept 0 to 2."
        ) { run in
            guard let item = run.database.all(0x2A06, in: 0x1803).first(where: \.isWritable) else {
                return .notApplicable("there is no Alert Level to write")
            }
            let old = run.database.bytes(item.handle) ?? [0]
            let answer = try await run.request(.write(item.handle, [7]))
            let back = try await run.request(.read(item.handle))
            _ = try await run.request(.write(item.handle, old))
            return back.body == [7] ? .found([answer.finding("the level is kept")]) : .passed
        },
        CheckRule(
            "cts-value", .error, "CTS 1.1, 3.1", needs: [.raw, .database, .writes], sends: true,
            "A Current Time with a month of 13 is refused, or ignored.",
            fix: "Check the fields before the clock is set."
        ) { run in
            guard let item = run.database.all(0x2A2B).first(where: \.isWritable),
                case .bytes(let before)? = try await run.read(item.handle), before.count == 10
            else { return .notApplicable("there is no Current Time to set") }
            var wrong = before
            wrong[2] = 13
            let answer = try await run.request(.write(item.handle, wrong))
            guard case .bytes(let after)? = try await run.read(item.handle), after.count == 10, after[2] == 13 else {
                return .passed
            }
            _ = try await run.request(.write(item.handle, before))
            return .found([answer.finding("the clock shows month 13")])
        },
    ]
}
