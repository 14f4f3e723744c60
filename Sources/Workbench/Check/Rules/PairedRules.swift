import BluetoothHost
import BluetoothModel
import Harald

extension CheckRule {
    /// Returns a rule that pairs, or needs the bond of the check.
    static func pairing(
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

    /// Rules about a successful pairing.
    static let pairedRules: [CheckRule] = [
        bond(
            "sm-pair", "2.3", test: "SM/PER/SCJW/BV-02-C",
            "Pairing that the device offers succeeds, and encrypts the link.",
            fix: "Look at the reason of the failure."
        ) { run in
            try await run.pairOnce()
            guard let pairing = run.pairing else { return .notRun("the device was not paired") }
            if let refusal = pairing.refusal { return .notRun(refusal) }
            return pairing.isPaired ? .passed : .found([CheckFinding("pairing failed", text: pairing.outcome)])
        },
        pairing(
            "sm-link-key-size", .warning, smp + "2.3.4", "The link is encrypted with a key of 16 octets.",
            fix: "Use 16."
        ) { run in
            let pairing = try await run.paired()
            return pairing.keySize >= 16 ? .passed : .found([CheckFinding("\(pairing.keySize) octets", text: "-")])
        },
        bond(
            "sm-bond-kept", "2.4.4.1",
            "A bonded device encrypts the next link with the key of the bond.",
            fix: "Keep the keys, also after the link."
        ) { run in
            try await run.paired()
            await run.close()
            do throws(BluetoothError) {
                try await run.peripheral.connect(timeout: .seconds(20))
                try await run.peripheral.pair(timeout: .seconds(20))
            } catch {
                await run.forgetPairing()
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
            "sm-protected-readable", .error, gap + "10.3",
            "Characteristics that require encryption are readable on an encrypted link.",
            fix: "Permit reading when the link is encrypted."
        ) { run in
            let all = run.database.protected
            guard !all.isEmpty else { return .notApplicable("no characteristic is protected") }
            try await run.paired()
            try await run.connectEncrypted()
            var findings: [CheckFinding] = []
            for item in all.prefix(24) {
                let answer = try await run.request(.read(item.handle))
                if let body = answer.body, body.count < run.mtu - 1 { run.database.pairedValues[item.handle] = body }
                // 0x05 and 0x08 may require an authenticated key, which Just Works does not create.
                if answer.code == 0x0F || answer.code == 0x0C { findings.append(answer.finding(answer.words)) }
            }
            return .findings(findings)
        },
        pairing(
            "cccd-bonded", .error, gatt + "3.3.3.3",
            "The subscription of a bonded client is still there on its next link.",
            fix: "Keep the configurations of bonded clients."
        ) { run in
            guard let sender = run.database.senders.first else {
                return .notApplicable("no characteristic sends values")
            }
            try await run.paired()
            try await run.connectEncrypted()
            let bits: UInt16 = sender.item.has(0x10) ? 1 : 2
            let answer = try await run.configure(sender.configuration, bits)
            guard answer.isAccepted else { return .notRun("the subscription is refused: \(answer.words)") }
            let handle = sender.item.handle
            let first = try await run.observe(run.options.observation) { $0.count(where: { $0.handle == handle }) > 1 }
            let isRegular = first.count(where: { $0.handle == handle }) > 1
            await run.close()
            try await run.connectEncrypted()
            let read = try await run.request(.read(sender.configuration))
            let later =
                isRegular
                ? try await run.observe(run.options.observation * 2) { $0.contains { $0.handle == handle } } : []
            _ = try await run.configure(sender.configuration, 0)
            await run.close()
            guard read.body == le(bits) else {
                return .found([read.finding("\(read.words) after the subscription")])
            }
            return !isRegular || later.contains { $0.handle == handle }
                ? .passed : .found([read.finding("the subscription is read, and no value is sent")])
        },
    ]

    /// Rules about a bonded client that has not encrypted the link.
    static let bondRules: [CheckRule] = [
        pairing(
            "sm-bonded-values", .error, gap + "10.3.1",
            "To a bonded client that has not encrypted the link, protected values are refused as to any other.",
            fix: "Look at the encryption of the link, not at the bond."
        ) { run in
            let all = try await run.readAsBondedWithoutKey()
            return .findings(all.filter { $0.body != nil }.map { $0.finding("the value is given away") })
        },
        pairing(
            "sm-bonded-error-code", .warning, gap + "10.3.1",
            "To a bonded client that has not encrypted the link, the refusal is Insufficient Encryption (0x0F): it "
                + "has a "
                + "key, and should not pair again.", fix: "Answer with 0x0F if there is a key for the client."
        ) { run in
            let all = try await run.readAsBondedWithoutKey()
            return .findings(all.filter { $0.code == 0x05 }.map { $0.finding($0.words) })
        },
        exchange(
            "sec-write-bonded", .error, gap + "10.3", needs: [.pair, .writes],
            "A value that takes encryption for writing is changed by no request and no command of a bonded client that "
                + "has not encrypted the link.",
            fix: "Look at the encryption of the link, not at the bond, in every packet that writes."
        ) { run in try await run.writeAsBondedWithoutKey() },
        CheckRule(
            "adv-address-rotation", .warning, gap + "10.7.1.2", needs: .slow,
            "A resolvable private address is replaced after 15 minutes at most: otherwise the device can be followed.",
            fix: "Make a new address every 15 minutes."
        ) { run in
            guard let address = run.advertising.address else { return .notRun("the adapter does not show the address") }
            guard address.randomKind == .resolvablePrivate else { return .notRun("the address is not a private one") }
            guard let isHeard = run.options.isHeardLater else { return .notRun("the check cannot listen again") }
            // With the bond of the check, the host hears the device under its identity.
            if run.pairing == nil { await run.close() } else { await run.forgetPairing() }
            guard try await isHeard() else { return .passed }
            return .found([CheckFinding("the address is still in use", text: address.text)])
        },
    ]
}
