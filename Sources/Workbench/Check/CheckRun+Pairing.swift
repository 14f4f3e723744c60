import BluetoothModel
import Harald

/// The pairing procedures of a check.
extension CheckRun {
    /// Sends a Pairing Request on a new link, and returns the device's answer.
    func askToPair(_ fields: [UInt8] = [0x03, 0x00, 0x09, 0x10, 0x03, 0x03]) async throws -> CheckAnswer {
        try await fresh()
        await link?.takeSecurity(true)
        var answer = try await security([0x01] + fields)
        // The device may have sent a Security Request at the same time.
        if answer.bytes?.first == 0x0B { answer = try await security(nil) }
        return CheckAnswer(request: [0x01] + fields, bytes: answer.bytes)
    }

    /// Aborts a pairing that is in progress.
    func abandonPairing() async throws {
        if link?.isOpen == true { try await send([0x05, 0x08], on: RawLink.security) }
        await close()
    }

    /// Returns the Pairing Response of the device.
    func pairingResponse() async throws -> CheckAnswer {
        let answer = try await askToPair()
        try await abandonPairing()
        guard let bytes = answer.bytes else { return answer }
        if bytes.first == 0x05 { throw CheckStop("the device does not pair: \(bytes.hexText(separator: " "))") }
        return answer
    }

    /// Pairs with the device when first called. Later calls do nothing.
    func pairOnce() async throws {
        guard !hasTriedPairing else { return }
        hasTriedPairing = true
        await peripheral.forgetBond()
        if database.isRaw { try await fresh() } else { try await peripheral.connect(timeout: options.connectTimeout) }
        let count = securityPackets.count
        do throws(BluetoothError) {
            try await peripheral.pair(timeout: .seconds(40))
            let security = peripheral.security
            // A device may store its keys some time after the link is encrypted.
            try? await clock.sleep(for: .seconds(1))
            if database.isRaw { await drain(.milliseconds(100)) }
            pairing = CheckPairing(
                outcome: "\(security.level)", isPaired: security.level != .none, keySize: Int(security.keySize))
        } catch {
            if error.code == .cancelled { throw error }
            // Frames of the link that arrived during pairing do not answer later requests.
            if database.isRaw { await drain(.milliseconds(100)) }
            if securityPackets[count...].contains([0x05, 0x05]) { return }
            pairing = CheckPairing(outcome: error.reason, isPaired: false)
        }
    }

    /// Reads the protected values on a link that is not encrypted, to a device that has a bond with this client.
    func readAsBondedWithoutKey() async throws -> [CheckAnswer] {
        let all = database.protected
        guard !all.isEmpty else { throw CheckStop("no characteristic is protected") }
        try await pairOnce()
        guard let pairing, pairing.isPaired else { throw CheckStop("the device was not paired") }
        await close()
        await peripheral.forgetBond()
        try await fresh()
        guard peripheral.security.level == .none else { throw CheckStop("the link is encrypted") }
        var answers: [CheckAnswer] = []
        for item in all.prefix(6) { answers.append(try await request([0x0A] + le(item.handle))) }
        return answers
    }

    /// Connects and encrypts the link with the key of the bond.
    func connectEncrypted() async throws {
        if link?.isOpen == true, peripheral.security.level != .none { return }
        try await fresh()
        if peripheral.security.level == .none { try await peripheral.pair(timeout: .seconds(20)) }
    }

    /// Returns the Pairing Response to a Pairing Request that requires MITM protection.
    private func authenticatedResponse() async throws -> [UInt8] {
        if let offeredPairing { return offeredPairing }
        let answer = try await askToPair([0x04, 0x00, 0x0D, 0x10, 0x03, 0x03])
        try await abandonPairing()
        guard let bytes = answer.bytes, bytes.first == 0x02, bytes.count == 7 else {
            throw CheckStop("the device does not pair: \(answer.words)")
        }
        offeredPairing = bytes
        return bytes
    }

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
        let response = try await authenticatedResponse()
        guard capabilities.contains(response[1]), response[3] & 0x08 != 0 || !needsSecureConnections else {
            throw CheckStop("the device does not offer \(model)")
        }
        await peripheral.forgetBond()
        // After a failed attempt, which includes the probe of the capability, a device refuses further attempts for
        // some time.
        for pause in [1, 3, 10] {
            try await fresh()
            let count = securityPackets.count
            await setPairing(ModelPairing(capability: own, answer: answer))
            let result: Result<LinkSecurity, BluetoothError>
            do throws(BluetoothError) {
                result = .success(try await peripheral.pair(to: .authenticated, timeout: .seconds(60)))
            } catch {
                result = .failure(error)
            }
            await setPairing(nil)
            guard case .failure(let error) = result else { return result }
            if error.code == .cancelled { throw error }
            if link?.isOpen == true { await drain(.milliseconds(100)) }
            guard securityPackets[count...].contains([0x05, 0x09]) else { return result }
            await close()
            try await clock.sleep(for: .seconds(pause))
        }
        throw CheckStop("the device refuses further attempts for a while")
    }
}

/// The result of a pairing with Just Works.
struct CheckPairing: Sendable {
    var outcome: String
    var isPaired: Bool
    var keySize = 0
}

/// A pairing delegate that answers the questions of one association model.
private struct ModelPairing: PairingDelegate {
    let capability: PairingCapability
    let answer: @Sendable (PeripheralID, PairingQuestion) async -> PairingAnswer

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        await answer(peripheral, question)
    }
}
