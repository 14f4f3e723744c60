import BluetoothHost
import BluetoothModel
import Harald

/// The pairing procedures of a check.
extension CheckRun {
    // MARK: Waiting

    /// Repeats a pairing that the device, or this host, refuses because an earlier one failed: after a pause that
    /// doubles each time (Core 5.4, Vol 3, Part H, 2.3.6).
    /// - Throws: ``CheckStop`` if it is still refused after ``CheckOptions/pairingWait``.
    private func afterBackOff<Result>(
        _ isTooSoon: (Result) -> Bool, _ attempt: () async throws -> Result
    ) async throws -> Result {
        var (pause, waited) = (Duration.seconds(1), Duration.zero)
        while true {
            let result = try await attempt()
            guard isTooSoon(result) else {
                refusesPairing = false
                return result
            }
            await close()
            // A device that refused for the whole time once is not waited for again.
            if refusesPairing || waited + pause > options.pairingWait {
                refusesPairing = true
                throw CheckStop(
                    "the device still refuses to pair \(options.pairingWait.components.seconds) s after a pairing "
                        + "failed (Repeated Attempts, 0x09); check the rule alone, later")
            }
            try await clock.sleep(for: pause)
            waited += pause
            pause = pause * 2
        }
    }

    /// Pairs with the adapter's stack on the present link, and returns the error of a failure.
    private func pairWithStack(
        to level: LinkSecurity.Level = .encrypted, timeout: Duration = .seconds(40)
    ) async throws -> Result<LinkSecurity, BluetoothError> {
        let count = securityPackets.count
        do throws(BluetoothError) {
            let security = try await peripheral.pair(to: level, timeout: timeout)
            // A device may store its keys some time after the link is encrypted.
            try? await clock.sleep(for: .seconds(1))
            if database.isRaw { await drain(.milliseconds(100)) }
            return .success(security)
        } catch {
            if error.code == .cancelled { throw error }
            // Frames of the link that arrived during pairing do not answer later requests.
            if database.isRaw { await drain(.milliseconds(100)) }
            var error = error
            if securityPackets[count...].contains([0x05, 0x09]) { error.securityProblem = .tooSoon }
            return .failure(error)
        }
    }

    private func isTooSoon(_ result: Result<LinkSecurity, BluetoothError>) -> Bool {
        if case .failure(let error) = result { error.securityProblem == .tooSoon } else { false }
    }

    // MARK: The bond

    /// Pairs with the device when first called, and after the bond was lost. Other calls do nothing.
    func pairOnce() async throws {
        guard pairing == nil else { return }
        let count = securityPackets.count
        let result = try await afterBackOff(isTooSoon) {
            await peripheral.forgetBond()
            if database.isRaw {
                try await fresh()
            } else {
                try await peripheral.connect(timeout: options.connectTimeout)
            }
            return try await pairWithStack()
        }
        switch result {
        case .success(let security):
            pairing = CheckPairing(level: security.level, keySize: Int(security.keySize))
        case .failure(let error):
            pairing = CheckPairing(outcome: error.reason)
            pairing?.refusal = refusal(since: count)
        }
    }

    /// The reason why the device offered no pairing since a number of its packets; nil if it sent a Pairing Response.
    private func refusal(since count: Int) -> String? {
        let packets = securityPackets[count...]
        guard !packets.contains(where: { $0.first == 0x02 }) else { return nil }
        return packets.last { $0.first == 0x05 }.map(Self.refusal)
    }

    /// Pairs with the device if that has not been done, and returns the pairing.
    /// - Throws: ``CheckStop`` if the device was not paired, with the reason.
    @discardableResult
    func paired() async throws -> CheckPairing {
        try await pairOnce()
        guard let pairing, pairing.isPaired else {
            throw CheckStop(pairing?.refusal ?? "the device was not paired: \(pairing?.outcome ?? "no attempt")")
        }
        return pairing
    }

    /// The description of a refusal, from a Pairing Failed packet.
    static func refusal(_ packet: [UInt8]) -> String {
        guard packet.count == 2 else { return "the device does not pair: \(packet.hexText(separator: " "))" }
        let reason = PairingFailureReason(rawValue: packet[1])
        return "the device refuses to pair: \(reason); if it has a bond with this adapter, delete it there"
    }

    /// Connects and encrypts the link with the key of the bond.
    func connectEncrypted(attempts: Int = 3) async throws {
        if link?.isOpen == true, peripheral.security.level != .none { return }
        try await fresh(attempts: attempts)
        if peripheral.security.level == .none { try await peripheral.pair(timeout: .seconds(20)) }
    }

    /// Opens a new link, which is encrypted if there is a bond: devices refuse a new pairing without the key of the
    /// bond.
    private func freshForPairing() async throws {
        await close()
        guard pairing?.isPaired == true else { return try await fresh() }
        do {
            try await connectEncrypted()
        } catch let error as BluetoothError {
            if error.code == .cancelled { throw error }
            await forgetPairing()
            try await fresh()
        }
    }

    /// Forgets a bond that the device no longer has. The next rule that needs one pairs again.
    func forgetPairing() async {
        await close()
        await peripheral.forgetBond()
        pairing = nil
    }

    /// Runs `body` on a link to the bonded device that is not encrypted, as somebody who has the address of this client
    /// and not its key. The bond is then as before, whatever `body` did.
    func withoutKey<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await paired()
        try await connectEncrypted()
        guard let bond = await link?.takeBond() else { throw CheckStop("the device keeps no bond") }
        let result: Swift.Result<Result, any Error>
        do {
            try await fresh()
            guard peripheral.security.level == .none else { throw CheckStop("the link is encrypted") }
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await close()
        await bond.putBack()
        return try result.get()
    }

    /// Reads the protected values on a link that is not encrypted, to a device that has a bond with this client.
    func readAsBondedWithoutKey() async throws -> [CheckAnswer] {
        let all = database.protected
        guard !all.isEmpty else { throw CheckStop("no characteristic is protected") }
        return try await withoutKey {
            var answers: [CheckAnswer] = []
            for item in all.prefix(6) { answers.append(try await request(.read(item.handle))) }
            return answers
        }
    }

    // MARK: Pairing by packets

    /// Sends a Pairing Request on a new link, and returns the device's answer.
    func askToPair(_ fields: [UInt8] = [0x03, 0x00, 0x09, 0x10, 0x03, 0x03]) async throws -> CheckAnswer {
        try await askToPair(fields) { try await freshForPairing() }
    }

    /// Sends a Pairing Request on the link that `open` opens, and returns the device's answer.
    func askToPair(_ fields: [UInt8], on open: () async throws -> Void) async throws -> CheckAnswer {
        try await afterBackOff({ $0.bytes == [0x05, 0x09] }) {
            try await open()
            await link?.takeSecurity(true)
            var answer = try await security([0x01] + fields)
            // The device may have sent a Security Request at the same time.
            if answer.bytes?.first == 0x0B { answer = try await security(nil) }
            return CheckAnswer(request: [0x01] + fields, bytes: answer.bytes)
        }
    }

    /// Opens a new link for packets of the Security Manager protocol that begin no pairing.
    func takeSecurity() async throws {
        try await freshForPairing()
        await link?.takeSecurity(true)
    }

    /// Aborts a pairing that is in progress. The reason, Authentication Requirements, is no attempt to guess a key: no
    /// value that depends on one was exchanged.
    func abandonPairing() async throws {
        if link?.isOpen == true { try await send([0x05, 0x03], on: RawLink.security) }
        await close()
    }

    /// Returns the Pairing Response of the device. The pairing is begun and aborted once for all rules.
    /// - Throws: ``CheckStop`` if the device refuses to pair.
    func pairingResponse(_ fields: [UInt8] = [0x03, 0x00, 0x09, 0x10, 0x03, 0x03]) async throws -> CheckAnswer {
        if let known = responses[fields] { return known }
        let answer = try await askToPair(fields)
        try await abandonPairing()
        if let bytes = answer.bytes, bytes.first == 0x05 { throw CheckStop(Self.refusal(bytes)) }
        responses[fields] = answer
        return answer
    }

    // MARK: Association models

    /// Pairs again with an association model that authenticates the key, and returns the result.
    /// - Parameters:
    ///   - model: The name of the model, for messages.
    ///   - capabilities: The IO capabilities of the device with which the model is possible.
    ///   - own: The IO capability of the central that selects the model.
    ///   - needsSecureConnections: True if LE legacy pairing does not define the model.
    ///   - answer: Answers the pairing questions.
    /// - Throws: ``CheckStop`` if the device does not offer the model, or no pairing delegate is set.
    func pair(
        by model: String, with capabilities: Set<UInt8>, as own: PairingCapability,
        needsSecureConnections: Bool = false,
        _ answer: @escaping @Sendable (PeripheralID, PairingQuestion) async -> PairingAnswer
    ) async throws -> Result<LinkSecurity, BluetoothError> {
        guard let setPairing = options.setPairing else {
            throw CheckStop("the adapter answers no questions of pairing")
        }
        let response = try await pairingResponse([0x04, 0x00, 0x0D, 0x10, 0x03, 0x03])
        guard let bytes = response.bytes, bytes.first == 0x02, bytes.count == 7 else {
            throw CheckStop("the device does not pair: \(response.words)")
        }
        guard capabilities.contains(bytes[1]), bytes[3] & 0x08 != 0 || !needsSecureConnections else {
            throw CheckStop("the device does not offer \(model)")
        }
        var count = securityPackets.count
        let result = try await afterBackOff(isTooSoon) {
            try await freshForPairing()
            count = securityPackets.count
            if peripheral.security.level >= .authenticated {
                // Only a new key shows that the model works.
                await forgetPairing()
                try await fresh()
            }
            await setPairing(ModelPairing(capability: own, answer: answer))
            let result = try await pairWithStack(to: .authenticated, timeout: .seconds(60))
            await setPairing(nil)
            if case .success(let security) = result {
                pairing = CheckPairing(level: security.level, keySize: Int(security.keySize))
            }
            return result
        }
        if case .failure = result, let refusal = refusal(since: count) { throw CheckStop(refusal) }
        return result
    }

    // MARK: Pairing again

    /// Pairs again over a link that is not encrypted, as an impostor does who has the address of this client and not
    /// its key, and judges whether the device still has the key of the bond.
    /// - Parameters:
    ///   - secureConnections: False to offer LE legacy pairing only.
    ///   - keySizes: The key sizes that are offered.
    func replaceBond(secureConnections: Bool = true, keySizes: ClosedRange<UInt8> = 7...16) async throws
        -> CheckVerdict
    {
        let count = securityPackets.count
        let new = try await withoutKey {
            try await afterBackOff(isTooSoon) {
                try await fresh()
                let frames = link
                await frames?.offer(secureConnections: secureConnections, keySizes: keySizes)
                let result = try await pairWithStack()
                await frames?.offer()
                return result
            }
        }
        let packets = securityPackets[count...].filter { $0.first == 0x02 || $0.first == 0x05 }
        let evidence = "received " + packets.map { $0.hexText(separator: " ") }.joined(separator: ", ")
        switch new {
        case .success(let security):
            return try await judgeBond(
                "a new pairing replaced it (\(security.level), \(security.keySize) octets)", evidence: evidence)
        case .failure: return try await judgeBond("a pairing that failed removed it", evidence: evidence)
        }
    }

    /// Judges whether the device still has the key of the bond.
    func judgeBond(_ problem: String, evidence: String) async throws -> CheckVerdict {
        await close()
        guard let reason = try await failureOfEncryption() else { return .passed }
        await forgetPairing()
        // A device that cannot be reached without the key either is gone.
        failedConnections = 0
        try await fresh()
        await close()
        return .found([
            CheckFinding("the key of the bond no longer encrypts the link: \(problem)", text: "\(evidence); \(reason)")
        ])
    }

    /// Encrypts a new link with the key of the bond. Returns the reason if that fails. With a key that differs from the
    /// device's, the link ends as if the device were out of range.
    private func failureOfEncryption() async throws -> String? {
        var reason = ""
        // A link may end once for another reason.
        for _ in 0..<2 {
            do {
                try await connectEncrypted(attempts: 1)
                await close()
                return nil
            } catch let error as BluetoothError {
                if error.code == .cancelled { throw error }
                reason = error.reason
                if error.code == .bondLost { break }
            } catch let stop as CheckStop {
                reason = stop.description
            }
        }
        return reason
    }
}
