import BluetoothModel
import Harald

let smp = "Core 5.4, Vol 3, Part H, "

extension CheckRule {
    /// Returns a rule about the fields of the Pairing Response.
    private static func response(
        _ id: String, _ severity: Severity, _ text: String, fix: String,
        _ problem: @escaping @Sendable ([UInt8]) -> String?
    ) -> CheckRule {
        pairing(id, severity, smp + "3.5.2", text, fix: fix) { run in
            let answer = try await run.pairingResponse()
            guard let bytes = answer.bytes, bytes.first == 0x02, bytes.count == 7 else {
                return .found([CheckFinding("no Pairing Response of 7 octets", text: answer.evidence)])
            }
            return problem(bytes).map { .found([CheckFinding($0, text: answer.evidence)]) } ?? .passed
        }
    }

    /// Returns a rule that a Pairing Request fails with one of `reasons`.
    private static func failure(
        _ id: String, _ severity: Severity, _ section: String, test: String? = nil, _ text: String,
        fix: String, _ fields: [UInt8], reasons: Set<UInt8>
    ) -> CheckRule {
        pairing(id, severity, smp + section, test: test, text, fix: fix) { run in
            let answer = try await run.askToPair(fields)
            try await run.abandonPairing()
            if let bytes = answer.bytes, bytes.count == 2, bytes[0] == 0x05 {
                if reasons.contains(bytes[1]) { return .passed }
                if bytes[1] == 0x05 { return .notRun(CheckRun.refusal(bytes)) }
            }
            return .found([CheckFinding(answer.bytes == nil ? "no answer" : "it does not fail", text: answer.evidence)])
        }
    }

    /// Rules whose pairing requests fail or are aborted. They run after the others: devices refuse further attempts for
    /// some time after a failure, which the check waits for.
    static let pairingRequestRules: [CheckRule] = [
        response(
            "sm-response-fields", .error,
            "The fields of a Pairing Response are in range: out-of-band flag 0 or 1, reserved bits zero.",
            fix: "Correct the fields."
        ) { bytes in
            bytes[2] <= 1 && bytes[3] & 0xC0 == 0 && bytes[5] & 0xF0 == 0 && bytes[6] & 0xF0 == 0
                ? nil : "a field is out of range"
        },
        response(
            "sm-response-capability", .warning,
            "The IO capability in a Pairing Response is 0 to 4: centrals handle reserved ones in different ways.",
            fix: "Send the capability of the device."
        ) { $0[1] <= 4 ? nil : "\($0[1])" },
        response(
            "sm-key-size", .error, "The maximum key size of a device is 7 to 16.", fix: "Use 16."
        ) { (7...16).contains($0[4]) ? nil : "\($0[4])" },
        response(
            "sm-key-size-full", .warning, "The maximum key size of a device is 16: shorter keys protect less.",
            fix: "Use 16."
        ) { (7...15).contains($0[4]) ? "\($0[4])" : nil },
        response(
            "sm-key-distribution", .error,
            "The keys in a Pairing Response are among those of the request.",
            fix: "Mask the keys with those of the request."
        ) { $0[5] & ~0x03 & 0x0F != 0 || $0[6] & ~0x03 & 0x0F != 0 ? "keys that were not asked for" : nil },
        response(
            "sm-secure-connections", .warning,
            "A device pairs with LE Secure Connections: legacy pairing with Just Works can be decrypted by anybody "
                + "who hears it.",
            fix: "Set bit 3 of the authentication requirements."
        ) { $0[3] & 0x08 == 0 ? "legacy pairing only" : nil },
        response(
            "sm-bonding", .warning, "A device that is asked for a bond keeps one.", fix: "Set the bonding flags to 1."
        ) { $0[3] & 3 == 0 ? "no bonding" : nil },
        failure(
            "sm-capability-reserved", .warning, "3.5.1",
            "A Pairing Request with a reserved capability fails with Invalid Parameters.",
            fix: "Check the fields of the request.", [0x07, 0x00, 0x09, 0x10, 0x03, 0x03], reasons: [0x0A]),
        failure(
            "sm-key-size-short", .error, "2.3.4", test: "SM/PER/EKS/BI-02-C",
            "A Pairing Request with a maximum key size of 6 fails with Encryption Key Size or Invalid Parameters.",
            fix: "Refuse sizes below 7.", [0x03, 0x00, 0x09, 0x06, 0x03, 0x03], reasons: [0x06, 0x0A]),
        failure(
            "sm-key-size-long", .error, "3.5.1",
            "A Pairing Request with a maximum key size of 17 fails with Invalid Parameters.",
            fix: "Refuse sizes above 16.", [0x03, 0x00, 0x09, 0x11, 0x03, 0x03], reasons: [0x06, 0x0A]),
        pairing(
            "sm-request-length", .error, smp + "3.5.1", needs: .hostile,
            "A Pairing Request that is too short fails, or is ignored, and the link stays connected.",
            fix: "Check the length before the fields."
        ) { run in
            try await run.takeSecurity()
            let count = run.securityPackets.count
            try await run.send([0x01, 0x03, 0x00], on: RawLink.security)
            let probe = try await run.raw(.findInformation(1, 1))
            let response = run.securityPackets[count...].first { $0.first == 0x02 }
            await run.close()
            if let response { return .finding("it is answered", response) }
            return probe.bytes == nil ? .found([probe.finding("no answer afterwards")]) : .passed
        },
        pairing(
            "sm-order", .error, smp + "2.3",
            "A Pairing Confirm without a Pairing Request is no pairing: it fails or is ignored, and the link stays "
                + "connected.",
            fix: "Keep the phase of the pairing."
        ) { run in
            try await run.takeSecurity()
            let count = run.securityPackets.count
            try await run.send([0x03] + [UInt8](repeating: 0x5A, count: 16), on: RawLink.security)
            let probe = try await run.raw(.findInformation(1, 1))
            let answer = run.securityPackets[count...].first { $0.first != 0x0B && $0.first != 0x05 }
            await run.close()
            if let answer { return .finding("it is answered", answer) }
            return probe.bytes == nil ? .found([probe.finding("no answer afterwards")]) : .passed
        },
        pairing(
            "sm-public-key", .error, smp + "2.3.5.6.1", test: "SM/PER/KDU/BI-01-C",
            "A public key that is not on the curve ends the pairing: otherwise the key can be computed by somebody "
                + "in the "
                + "middle (CVE-2018-5383).", fix: "Check the point before it is used."
        ) { run in
            let answer = try await run.askToPair()
            guard let bytes = answer.bytes, bytes.first == 0x02, bytes.count == 7, bytes[3] & 0x08 != 0 else {
                try await run.abandonPairing()
                if let bytes = answer.bytes, bytes.first == 0x05 { return .notRun(CheckRun.refusal(bytes)) }
                return .notRun("no public key was sent: the device does not pair with LE Secure Connections")
            }
            let key = [0x0C] + [UInt8](repeating: 0x11, count: 32) + [UInt8](repeating: 0x22, count: 32)
            var reply = try await run.security(key)
            if reply.bytes?.first == 0x0C { reply = try await run.security(nil) }
            let isOpen = run.link?.isOpen == true
            try await run.abandonPairing()
            if reply.bytes?.first == 0x05 || !isOpen { return .passed }
            // Silence counts as a refusal: the pairing does not continue.
            guard let next = reply.bytes else { return .passed }
            return .finding("the pairing continues", next)
        },
        pairing(
            "sm-debug-key", .error, smp + "2.3.5.6.1",
            "A device does not use the debug key, whose private part everybody knows.",
            fix: "Make a key pair for the device."
        ) { run in
            try await run.pairOnce()
            guard let key = run.securityPackets.last(where: { $0.first == 0x0C && $0.count == 65 }) else {
                return .notRun(run.pairing?.refusal ?? "the device does not pair with LE Secure Connections")
            }
            return Array(key[1..<33]) == Self.debugX.reversed() ? .finding("the debug key", key) : .passed
        },
    ]

    /// The x coordinate of the public debug key (Core 5.4, Vol 3, Part H, 2.3.5.6.1), most significant octet first.
    private static let debugX: [UInt8] = [
        0x20, 0xB0, 0x03, 0xD2, 0xF2, 0x97, 0xBE, 0x2C, 0x5E, 0x2C, 0x83, 0xA7, 0xE9, 0xF9, 0xA5, 0xB9, 0xEF, 0xF4,
        0x91,
        0x11, 0xAC, 0xF4, 0xFD, 0xDB, 0xCC, 0x03, 0x01, 0x48, 0x0E, 0x35, 0x9D, 0xE6,
    ]
}
