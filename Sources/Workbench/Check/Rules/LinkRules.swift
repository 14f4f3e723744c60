import BluetoothModel
import Harald

private let l2cap = "Core 5.4, Vol 3, Part A, "

extension CheckRule {
    /// Returns a rule that changes a property of the link, and judges whether the device still answers.
    private static func change(
        _ id: String, _ section: String, test: String? = nil, _ text: String, fix: String,
        _ change: @escaping @Sendable (CheckRun) async throws -> Void
    ) -> CheckRule {
        exchange(id, .error, section, test: test, text, fix: fix) { run in
            try await run.ready()
            do throws(BluetoothError) {
                try await CheckRule.change(run, change)
            } catch {
                // A refusal is no fault of the device, because both controllers negotiate the change.
                if case .cancelled = error.code { throw error }
                if run.link?.isOpen == true { return .notRun(error.reason) }
            }
            do {
                let answer = try await run.raw(.findInformation(1, 1))
                return answer.bytes == nil ? .found([answer.finding("no answer after the change")]) : .passed
            } catch let stop as CheckStop where stop.isLoss {
                return .found([CheckFinding("the link ended", text: stop.description)])
            }
        }
    }

    private static func change(
        _ run: CheckRun, _ body: @Sendable (CheckRun) async throws -> Void
    ) async throws(BluetoothError) {
        do { try await body(run) } catch let error as BluetoothError { throw error } catch {
            throw BluetoothError(.notConnected, operation: "", reason: "\(error)")
        }
    }

    static let linkRules: [CheckRule] = linkChangeRules + signallingRules

    private static let linkChangeRules: [CheckRule] = [
        change(
            "link-parameters", "Core 5.4, Vol 6, Part B, 5.1.1",
            "The link stays connected after the central changed the connection interval to 50 ms and back.",
            fix: "Apply the parameters at the instant of the procedure."
        ) { run in
            try await run.peripheral.updateConnectionParameters(
                .init(interval: .milliseconds(50) ... .milliseconds(50), supervisionTimeout: .seconds(4)),
                timeout: .seconds(5))
            try await run.peripheral.updateConnectionParameters(
                .init(interval: .milliseconds(30) ... .milliseconds(50), supervisionTimeout: .seconds(4)),
                timeout: .seconds(5))
        },
        change(
            "link-latency", "Core 5.4, Vol 6, Part B, 4.5.1",
            "The device answers on a link with a latency of 4.",
            fix: "Use the latency only while there is nothing to send."
        ) { run in
            try await run.peripheral.updateConnectionParameters(
                .init(interval: .milliseconds(30) ... .milliseconds(30), latency: 4, supervisionTimeout: .seconds(4)),
                timeout: .seconds(5))
        },
        change(
            "link-phy", "Core 5.4, Vol 6, Part B, 5.1.10",
            "The link stays connected after the central asked for the 2M PHY, whether the device has it or not.",
            fix: "Answer LL_PHY_REQ, or reject it as unknown."
        ) { run in
            _ = try await run.peripheral.setPHY(transmit: [.le2M], receive: [.le2M], timeout: .seconds(3))
        },
        change(
            "link-data-length", "Core 5.4, Vol 6, Part B, 5.1.9",
            "The link stays connected after the central asked for packets of 251 octets.",
            fix: "Answer LL_LENGTH_REQ, or reject it as unknown."
        ) { run in try await run.peripheral.setDataLength(251, timeout: .seconds(3)) },
    ]

    private static func signalling(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, needs: Needs = [],
        _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule {
        exchange(id, severity, l2cap + section, test: test, needs: needs, text, fix: fix, judge: judge)
    }

    private static let signallingRules: [CheckRule] = [
        signalling(
            "l2cap-command-unknown", .error, "4.1", test: "L2CAP/LE/REJ/BI-01-C",
            "An unknown signalling command is rejected with Command Not Understood.",
            fix: "Answer with Command Reject (0x01), reason 0x0000, and the identifier of the command."
        ) { run in
            let answer = try await run.signal(0x7E, 0x41, [])
            if answer.bytes == [0x01, 0x41, 0x02, 0x00, 0x00, 0x00] { return .passed }
            return .found([
                CheckFinding("\(answer.bytes == nil ? "no answer" : "another answer")", text: answer.evidence)
            ])
        },
        signalling(
            "l2cap-parameters-role", .error, "4.20", test: "L2CAP/LE/CPU/BI-02-C",
            "A peripheral rejects a Connection Parameter Update Request, which only a peripheral may send.",
            fix: "Answer with Command Reject, reason 0x0000."
        ) { run in
            let answer = try await run.signal(0x12, 0x42, le(24) + le(40) + le(0) + le(400))
            if answer.bytes?.first == 0x01, answer.bytes?.u16(4) == 0 { return .passed }
            return .found([
                CheckFinding("\(answer.bytes == nil ? "no answer" : "another answer")", text: answer.evidence)
            ])
        },
        signalling(
            "l2cap-channel-psm", .error, "4.22",
            "A request for a credit-based channel to a PSM that nobody listens on is refused: result 0x0002, or "
                + "Command Reject if there are no such channels.",
            fix: "Answer every LE Credit Based Connection Request."
        ) { run in
            let answer = try await run.signal(0x14, 0x43, le(0x00F7) + le(0x0050) + le(64) + le(64) + le(1))
            guard let bytes = answer.bytes else { return .found([CheckFinding("no answer", text: answer.evidence)]) }
            if bytes.first == 0x01 { return .passed }
            let isRefusal = bytes.first == 0x15 && bytes.count == 14 && bytes.u16(12) != 0
            return isRefusal ? .passed : .found([CheckFinding("not refused", text: answer.evidence)])
        },
        signalling(
            "l2cap-disconnect-unknown", .error, "4.6",
            "A Disconnection Request for a channel that is not open is rejected or ignored, not confirmed.",
            fix: "Answer with Command Reject, reason 0x0002 (Invalid CID)."
        ) { run in
            let answer = try await run.signal(0x06, 0x44, le(0x0070) + le(0x0071), within: .seconds(1))
            guard let bytes = answer.bytes, bytes.first != 0x01 else { return .passed }
            return .found([CheckFinding("not rejected", text: answer.evidence)])
        },
        signalling(
            "l2cap-response-unknown", .error, "4",
            "A response that answers nothing is ignored.", fix: "Drop responses with an unknown identifier."
        ) { run in
            try await run.ready()
            let pdu: [UInt8] = [0x13, 0x45] + le(2) + le(0)
            let count = run.signals.count
            if let answer = try await run.silence(after: pdu, on: 0x0005) {
                return .found([CheckFinding(answer.words, text: answer.evidence)])
            }
            let stray = run.signals[count...].first { $0.bytes.count > 1 && $0.bytes[1] == 0x45 }
            return stray.map { .finding("it is answered", $0.bytes) } ?? .passed
        },
        CheckRule(
            "l2cap-parameters-valid", .error, l2cap + "4.20", needs: [.raw, .database],
            "The parameters in a Connection Parameter Update Request of the device are in range: interval 7.5 ms to "
                + "4 s, "
                + "latency up to 499, timeout 100 ms to 32 s and longer than twice the interval times (latency + 1).",
            fix: "Correct the parameters: centrals refuse them."
        ) { run in
            let requests = { run.signals.map(\.bytes).filter { $0.first == 0x12 } }
            if requests().isEmpty {
                // A peripheral waits for 5 s after the connection, TGAP(conn_pause_peripheral).
                try await run.fresh()
                try await run.ready()
                await run.drain(.seconds(6))
            }
            let all = requests()
            guard !all.isEmpty else { return .notRun("the device asked for no parameters") }
            return .findings(
                all.compactMap { packet in
                    guard packet.count == 12, let low = packet.u16(4), let high = packet.u16(6),
                        let latency = packet.u16(8), let timeout = packet.u16(10)
                    else { return CheckFinding("\(packet.count) octets", packet) }
                    let isRight =
                        low >= 6 && high <= 3200 && low <= high && latency <= 499 && (10...3200).contains(timeout)
                        && Int(timeout) * 4 > (Int(latency) + 1) * Int(high)
                    return isRight
                        ? nil : CheckFinding("\(low) to \(high), latency \(latency), timeout \(timeout)", packet)
                })
        },
    ]
}
