import BluetoothModel

extension CheckRule {
    /// Returns a rule about the answers to all requests of the check.
    private static func log(
        _ id: String, _ severity: Severity = .error, _ section: String, _ text: String, fix: String,
        _ problem: @escaping @Sendable (CheckAnswer, Int) -> String?
    ) -> CheckRule {
        exchange(id, severity, section, text, fix: fix) { run in
            guard !run.exchanges.isEmpty else { return .notRun("nothing was asked") }
            let all = run.exchanges.compactMap { item in problem(item.answer, item.mtu).map { item.answer.finding($0) }
            }
            return .findings(Array(all.prefix(8)))
        }
    }

    static let logRules: [CheckRule] = [
        log(
            "att-answers", .error, att + "3.3.3",
            "Every request is answered, within 30 s (here: in the time of the check).",
            fix: "Answer each request, at least with an Error Response."
        ) { answer, _ in answer.bytes == nil ? "no answer" : nil },
        log(
            "att-response-opcode", .error, att + "3.4.8",
            "The answer to a request is its own response or an Error Response.",
            fix: "Use the opcode of the request + 1."
        ) { answer, _ in
            guard let bytes = answer.bytes, let asked = answer.request.first else { return nil }
            guard let first = bytes.first else { return "an empty answer" }
            return first == 0x01 || first == asked &+ 1 ? nil : "a response of another kind"
        },
        log(
            "att-error-length", .error, att + "3.4.1.1", "An Error Response has 5 octets.",
            fix: "Send opcode, request, handle and code."
        ) { answer, _ in
            guard let bytes = answer.bytes, bytes.first == 0x01 else { return nil }
            return bytes.count == 5 ? nil : "\(bytes.count) octets"
        },
        log(
            "att-error-request", .error, att + "3.4.1.1", "An Error Response names the request that it refuses.",
            fix: "Repeat the opcode of the request."
        ) { answer, _ in
            guard let bytes = answer.bytes, bytes.first == 0x01, bytes.count == 5, bytes[1] != answer.request.first
            else {
                return nil
            }
            return "another request is named"
        },
        log(
            "att-error-handle", .error, att + "3.4.1.1",
            "An Error Response names the handle of the request, the first one of a range, or the one that caused it.",
            fix: "Repeat the handle of the request."
        ) { answer, _ in
            guard let bytes = answer.bytes, bytes.first == 0x01, bytes.count == 5, let opcode = answer.request.first,
                let handle = bytes.u16(3 - 1)
            else { return nil }
            switch opcode {
            case 0x0A, 0x0C, 0x12, 0x16:
                guard let asked = answer.request.u16(1), bytes[4] != 0x04, bytes[4] != 0x06 else { return nil }
                return handle == asked ? nil : "another handle is named"
            case 0x04, 0x06, 0x10:
                guard [0x01, 0x0A].contains(bytes[4]), let asked = answer.request.u16(1) else { return nil }
                return handle == asked ? nil : "another handle is named"
            case 0x08:
                guard let low = answer.request.u16(1), let high = answer.request.u16(3) else { return nil }
                if [0x01, 0x0A].contains(bytes[4]) { return handle == low ? nil : "another handle is named" }
                return bytes[4] == 0x04 || bytes[4] == 0x06 || (low...max(low, high)).contains(handle)
                    ? nil : "a handle outside of the range is named"
            default: return nil
            }
        },
        log(
            "att-error-code", .error, att + "3.4.1.1", "The code of an Error Response is assigned, and not zero.",
            fix: "Use a code of the specification, of the profile (0xE0 up), or of the application (0x80 to 0x9F)."
        ) { answer, _ in
            guard let code = answer.code else { return nil }
            return code == 0 || (0x14...0x7F).contains(code) || (0xA0...0xDF).contains(code)
                ? "code 0x\([code].hexText())" : nil
        },
        log(
            "att-response-length", .error, att + "3.2.8", "No packet is longer than the MTU.",
            fix: "Truncate values at the MTU."
        ) { answer, mtu in
            guard let bytes = answer.bytes, bytes.count > mtu, answer.request.first != 0x02 else { return nil }
            return "\(bytes.count) octets with an MTU of \(mtu)"
        },
        exchange(
            "att-response-stray", .error, att + "3.3.2", "The server sends no response that was not asked for.",
            fix: "Answer each request once."
        ) { run in
            .findings(run.strays.prefix(8).map { CheckFinding("an answer to nothing", $0.bytes ?? []) })
        },
        exchange(
            "value-without-subscription", .error, gatt + "4.10",
            "Values are sent only to a client that subscribed to them.",
            fix: "Look at the configuration before each value."
        ) { run in
            // The configurations of a bonded client last: only links without encryption are judged.
            .findings(
                run.values.filter { !$0.isSubscribed }.prefix(8)
                    .map { CheckFinding("a value without a subscription", handle: $0.handle, $0.octets) })
        },
        exchange(
            "link-kept", .error, att + "3.3",
            "The device keeps the link, whatever requests it receives.",
            fix: "Answer with an error instead of ending the link; look for a crash."
        ) { run in
            .findings(
                run.losses.prefix(8).map {
                    CheckFinding(
                        "the link ended: \($0.reason)",
                        text: $0.request.isEmpty ? "while waiting" : "after \($0.request.hexText(separator: " "))")
                })
        },
        log(
            "att-response-extra", .error, att + "3.4.5.2", "Write Responses and Execute Write Responses are one octet.",
            fix: "Send the opcode alone."
        ) { answer, _ in
            guard let bytes = answer.bytes, [0x13, 0x19].contains(bytes.first), bytes.count > 1 else { return nil }
            return "\(bytes.count) octets"
        },
    ]
}
