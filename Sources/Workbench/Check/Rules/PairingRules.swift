import BluetoothHost
import BluetoothModel
import Harald

private let smp = "Core 5.4, Vol 3, Part H, "

extension CheckRule {
    private static func pairing(
        _ id: String, _ severity: Severity = .error, _ section: String, test: String? = nil, needs: Needs = [],
        _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule {
        exchange(id, severity, section, test: test, needs: needs.union(.pair), text, fix: fix, judge: judge)
    }

    /// Returns a rule about a bond that needs no raw frames: it uses the operations of the adapter's stack.
    private static func bond(
        _ id: String, _ section: String, test: String? = nil, _ text: String, fix: String, judge: @escaping Judge
    ) -> CheckRule {
        CheckRule(
            id, .error, smp + section, test: test, needs: [.pair, .database], sends: true, text, fix: fix, judge: judge)
    }

    /// Returns a rule about the fields of the Pairing Response.
    private static func response(
        _ id: String, _ severity: Severity = .error, _ text: String, fix: String,
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
        _ id: String, _ section: String, test: String? = nil, _ text: String, fix: String, _ fields: [UInt8],
        reasons: Set<UInt8>
    ) -> CheckRule {
        pairing(id, .error, smp + section, test: test, text, fix: fix) { run in
            let answer = try await run.askToPair(fields)
            try await run.abandonPairing()
            if let bytes = answer.bytes, bytes.count == 2, bytes[0] == 0x05 {
                if bytes[1] == 0x05 { return .notRun("the device does not pair") }
                if bytes[1] == 0x09 { return .notRun("the device refuses further attempts for a while") }
                if reasons.contains(bytes[1]) { return .passed }
            }
            return .found([CheckFinding(answer.bytes == nil ? "no answer" : "it does not fail", text: answer.evidence)])
        }
    }

    /// Rules whose pairing requests fail. They run last, because devices refuse further attempts for some time after a
    /// failure.
    static let pairingRequestRules: [CheckRule] = [
        response(
            "sm-response-fields", .error,
            "The fields of a Pairing Response are in range: capability 0 to 4, out-of-band flag 0 or 1, reserved "
                + "bits zero.",
            fix: "Correct the fields."
        ) { bytes in
            bytes[1] <= 4 && bytes[2] <= 1 && bytes[3] & 0xC0 == 0 && bytes[5] & 0xF0 == 0 && bytes[6] & 0xF0 == 0
                ? nil : "a field is out of range"
        },
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
            "sm-capability-reserved", "3.5.1",
            "A Pairing Request with a reserved capability fails with Invalid Parameters.",
            fix: "Check the fields of the request.", [0x07, 0x00, 0x09, 0x10, 0x03, 0x03], reasons: [0x0A]),
        failure(
            "sm-key-size-short", "2.3.4", test: "SM/PER/EKS/BI-02-C",
            "A Pairing Request with a maximum key size of 6 fails with Encryption Key Size or Invalid Parameters.",
            fix: "Refuse sizes below 7.", [0x03, 0x00, 0x09, 0x06, 0x03, 0x03], reasons: [0x06, 0x0A]),
        failure(
            "sm-key-size-long", "3.5.1",
            "A Pairing Request with a maximum key size of 17 fails with Invalid Parameters.",
            fix: "Refuse sizes above 16.", [0x03, 0x00, 0x09, 0x11, 0x03, 0x03], reasons: [0x06, 0x0A]),
        pairing(
            "sm-request-length", .error, smp + "3.5.1", needs: .hostile,
            "A Pairing Request that is too short fails, or is ignored, and the link stays connected.",
            fix: "Check the length before the fields."
        ) { run in
            try await run.fresh()
            await run.link?.takeSecurity(true)
            try await run.send([0x01, 0x03, 0x00], on: RawLink.security)
            let probe = try await run.raw([0x04] + le(1) + le(1))
            let began = run.securityPackets.last?.first == 0x02
            await run.close()
            if began { return .finding("it is answered", run.securityPackets.last ?? []) }
            return probe.bytes == nil ? .found([probe.finding("no answer afterwards")]) : .passed
        },
        pairing(
            "sm-order", .error, smp + "2.3",
            "A Pairing Confirm without a Pairing Request is no pairing: it fails or is ignored, and the link stays "
                + "connected.",
            fix: "Keep the phase of the pairing."
        ) { run in
            try await run.fresh()
            await run.link?.takeSecurity(true)
            let count = run.securityPackets.count
            try await run.send([0x03] + [UInt8](repeating: 0x5A, count: 16), on: RawLink.security)
            let probe = try await run.raw([0x04] + le(1) + le(1))
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
                return .notRun("the device does not pair with LE Secure Connections")
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
            let answer = try await run.askToPair()
            guard let bytes = answer.bytes, bytes.first == 0x02, bytes.count == 7, bytes[3] & 0x08 != 0 else {
                try await run.abandonPairing()
                return .notRun("the device does not pair with LE Secure Connections")
            }
            let reply = try await run.security([0x0C] + P256Point.generatedOctets())
            try await run.abandonPairing()
            guard let key = reply.bytes, key.first == 0x0C, key.count == 65 else {
                return .notRun("the device sent no public key")
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

    /// Rules about a successful pairing.
    static let pairedRules: [CheckRule] = [
        bond(
            "sm-pair", "2.3", test: "SM/PER/SCJW/BV-02-C",
            "Pairing that the device offers succeeds, and encrypts the link.",
            fix: "Look at the reason of the failure."
        ) { run in
            try await run.pairOnce()
            guard let pairing = run.pairing else { return .notRun("the device does not pair") }
            return pairing.isPaired ? .passed : .found([CheckFinding("pairing failed", text: pairing.outcome)])
        },
        pairing(
            "sm-link-key-size", .warning, smp + "2.3.4", "The link is encrypted with a key of 16 octets.",
            fix: "Use 16."
        ) { run in
            try await run.pairOnce()
            guard let pairing = run.pairing, pairing.isPaired else { return .notRun("the device was not paired") }
            return pairing.keySize >= 16 ? .passed : .found([CheckFinding("\(pairing.keySize) octets", text: "-")])
        },
        bond(
            "sm-bond-kept", "2.4.4.1",
            "A bonded device encrypts the next link with the key of the bond.",
            fix: "Keep the keys, also after the link."
        ) { run in
            try await run.pairOnce()
            guard let pairing = run.pairing, pairing.isPaired else { return .notRun("the device was not paired") }
            await run.close()
            do throws(BluetoothError) {
                try await run.peripheral.connect(timeout: .seconds(20))
                try await run.peripheral.pair(timeout: .seconds(20))
            } catch {
                await run.close()
                if error.code == .cancelled { throw error }
                return .found([CheckFinding("the link is not encrypted", text: error.reason)])
            }
            let isEncrypted = run.peripheral.security.level != .none
            await run.close()
            return isEncrypted ? .passed : .found([CheckFinding("the link is not encrypted", text: "-")])
        },
        pairing(
            "sm-identity-key", .error, smp + "3.6.4",
            "The identity resolving key that a device distributes resolves its private address: bonded peers "
                + "recognize it "
                + "by that.", fix: "Compute the address with the key that is distributed."
        ) { run in
            guard let address = run.advertising.address, address.randomKind == .resolvablePrivate else {
                return .notRun("the address is not a resolvable private one")
            }
            try await run.pairOnce()
            guard let packet = run.securityPackets.last(where: { $0.first == 0x08 && $0.count == 17 }),
                let key = SecurityKey(littleEndian: packet.dropFirst())
            else { return .notRun("the device distributed no identity resolving key") }
            if address.isResolved(by: key) { return .passed }
            return .found([CheckFinding("the key does not resolve the address", text: address.text)])
        },
        pairing(
            "sm-protected-readable", .error, "Core 5.4, Vol 3, Part C, 10.3",
            "Characteristics that require encryption are readable on an encrypted link.",
            fix: "Permit reading when the link is encrypted."
        ) { run in
            let all = run.database.protected
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected") }
            try await run.pairOnce()
            guard let pairing = run.pairing, pairing.isPaired else { return .notRun("the device was not paired") }
            try await run.connectEncrypted()
            var findings: [CheckFinding] = []
            for item in all.prefix(24) {
                let answer = try await run.request([0x0A] + le(item.handle))
                if let body = answer.body, body.count < run.mtu - 1 { run.database.pairedValues[item.handle] = body }
                // 0x05 and 0x08 may require an authenticated key, which Just Works does not create.
                if answer.code == 0x0F || answer.code == 0x0C { findings.append(answer.finding(answer.words)) }
            }
            return .findings(findings)
        },
        pairing(
            "cccd-bonded", .error, "Core 5.4, Vol 3, Part G, 3.3.3.3",
            "The subscription of a bonded client is still there on its next link.",
            fix: "Keep the configurations of bonded clients."
        ) { run in
            guard let sender = run.database.senders.first else {
                return .notApplicable("no characteristic sends values")
            }
            try await run.pairOnce()
            guard let pairing = run.pairing, pairing.isPaired else { return .notRun("the device was not paired") }
            try await run.connectEncrypted()
            let bits: UInt16 = sender.item.has(0x10) ? 1 : 2
            let answer = try await run.configure(sender.configuration, bits)
            guard answer.opcode == 0x13 else { return .notRun("the subscription is refused: \(answer.words)") }
            await run.close()
            try await run.connectEncrypted()
            let read = try await run.request([0x0A] + le(sender.configuration))
            _ = try await run.configure(sender.configuration, 0)
            await run.close()
            return read.body == le(bits) ? .passed : .found([read.finding("\(read.words) after the subscription")])
        },
    ]

    /// Rules that remove the bond on this side. They run after all other rules of the bond.
    static let bondRules: [CheckRule] = [
        pairing(
            "sm-bonded-values", .error, "Core 5.4, Vol 3, Part C, 10.3.1",
            "To a bonded client that has not encrypted the link, protected values are refused as to any other.",
            fix: "Look at the encryption of the link, not at the bond."
        ) { run in
            let all = try await run.readAsBondedWithoutKey()
            return .findings(all.filter { $0.body != nil }.map { $0.finding("the value is given away") })
        },
        pairing(
            "sm-bonded-error-code", .warning, "Core 5.4, Vol 3, Part C, 10.3.1",
            "To a bonded client that has not encrypted the link, the refusal is Insufficient Encryption (0x0F): it "
                + "has a "
                + "key, and should not pair again.", fix: "Answer with 0x0F if there is a key for the client."
        ) { run in
            let all = try await run.readAsBondedWithoutKey()
            return .findings(all.filter { $0.code == 0x05 }.map { $0.finding($0.words) })
        },
        CheckRule(
            "adv-address-rotation", .warning, "Core 5.4, Vol 3, Part C, 10.7.1.2", needs: .slow,
            "A resolvable private address is replaced after 15 minutes at most: otherwise the device can be followed.",
            fix: "Make a new address every 15 minutes."
        ) { run in
            guard let address = run.advertising.address else { return .notRun("the adapter does not show the address") }
            guard address.randomKind == .resolvablePrivate else { return .notRun("the address is not a private one") }
            guard let isHeard = run.options.isHeardLater else { return .notRun("the check cannot listen again") }
            await run.close()
            guard try await isHeard() else { return .passed }
            return .found([CheckFinding("the address is still in use", text: address.text)])
        },
    ]
}
