import ArgumentParser
import Explorer
import Harald

struct PairCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device and store the keys.",
        discussion: """
            Connects, pairs and disconnects. Passkeys are shown and entered on the terminal; without a terminal, \
            --passkey and --yes answer the questions, and all others are refused. The keys are stored in the user's \
            data directory, or in --store, and later commands encrypt the connection with them; 'harald bonds' lists \
            and deletes them. If the keys cannot be stored, the command does not pair. On the virtual radio they are \
            stored only with --store.

            A bonded device is paired again if the security of its keys is below --level, but never if the new keys \
            would be weaker. --passkey and --oob imply 'authenticated', so that they take effect.

            A device that no longer has the key of its bond was reset, or is another device with its address: it is \
            not paired again unless you confirm it on the terminal, or with --replace-bond. --yes does not confirm it. \
            Without either, delete the bond first: 'harald bonds forget DEVICE'.

            read, write, notify and tree pair automatically if a device requires it.

            With --json, one object: id, name, address, security (none, encrypted, authenticated, secureConnections), \
            keySize, bonded (whether the keys are stored beyond this command).

            EXAMPLES
              harald pair scale
              harald pair lock --passkey 123456
              harald pair lock --level secureConnections
              harald pair lock --oob 6F3C...   (what 'harald simulate --oob' prints)
              harald pair --pick strongest --yes --json
            """)

    @Option(
        help: ArgumentHelp(
            "Out-of-band data of the device: 64 hexadecimal digits, its confirm value and its random "
                + "value.", valueName: "digits"))
    var oob: String?

    @Option(
        help: ArgumentHelp(
            "Minimum security level of the link: encrypted, authenticated or secureConnections (default: encrypted, "
                + "with --passkey and --oob authenticated).", valueName: "level"))
    var level: PairingLevel?

    @Flag(help: "Replace the bond of a device that no longer has its key, because it was reset.")
    var replaceBond = false

    @OptionGroup var device: OneDevice
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if replaceBond && pairing.refuse { throw ValidationError("--replace-bond and --refuse cannot be combined") }
        if let oob, OutOfBandData(text: oob) == nil { throw ValidationError("--oob must have 64 hexadecimal digits") }
    }

    func perform() async throws {
        var answers = pairing.delegate
        answers.replacesBonds = replaceBond
        try await OpenedAdapter.run(shared, pairing: answers) { [answers] adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            if adapter.keepsBonds, case .failed(let reason) = await loss(on: adapter) {
                throw ProgramError(.failed, "nothing is paired, because the keys could not be stored: \(reason)")
            }
            let before = await adapter.central.bonds.first { $0.id == peripheral.id }?.level
            do {
                try await pair(peripheral, before, on: adapter)
            } catch let error as BluetoothError {
                // The device has no key, so the pairing that it answers could not replace the bond.
                guard error.code == .bondLost, !answers.wasAsked.isSet, await answers.replacesBond(with: peripheral.id)
                else { throw error }
                await peripheral.forgetBond()
                try await pair(peripheral, nil, on: adapter)
            }
        }
    }

    private func pair(_ peripheral: Peripheral, _ before: LinkSecurity.Level?, on adapter: OpenedAdapter) async throws {
        try await peripheral.whileConnected(shared) {
            if let oob { try await peripheral.useOutOfBandData(OutOfBandData(text: oob)) }
            // A person takes longer to answer than a device.
            var security = try await peripheral.pair(
                to: wanted(on: adapter), timeout: shared.timeout == nil ? .seconds(60) : shared.pairingPatience)
            // Some devices lose a pairing if the link ends before they have stored its keys. One response later
            // they have stored them.
            _ = try? await peripheral.withTimeout(.seconds(2), "read the device's name") {
                () async throws(BluetoothError) -> [UInt8] in
                try await peripheral.characteristic("1800", "2A00").read()
            }
            let loss = await loss(on: adapter)
            if loss != nil { security.isBonded = false }
            if shared.json {
                Console.json([
                    "id": .string(peripheral.id.description), "name": .optional(peripheral.name),
                    "address": .optional(peripheral.address?.text),
                    "security": .string(SecurityText.word(security.level)), "keySize": .int(Int(security.keySize)),
                    "bonded": .bool(security.isBonded),
                ])
            } else {
                let text = TerminalText.safe("\(peripheral)")
                Console.line("\(Self.outcome(before, security)) \(text): \(SecurityText.text(security))")
            }
            if before == .encrypted, security.level == .encrypted, level == nil, !shared.json {
                Console.message(
                    "--level authenticated pairs again, with a passkey or a comparison, if the device supports it")
            }
            if case .failed = loss {} else { CommandDeadline.shared.succeeded() }
            switch loss {
            case nil: break
            case .nowhere:
                Console.message("the keys are discarded when this command ends; --store DIRECTORY stores them")
            case .failed(let reason):
                throw ProgramError(
                    .failed,
                    "the devices are paired, but only for this run: \(reason). Delete this bond on the device "
                        + "before the next pairing")
            }
        }
    }

    /// The security level to request. BlueZ does not report the level of its keys, so a lower level is requested there
    /// unless `--level` is given.
    private func wanted(on adapter: OpenedAdapter) -> LinkSecurity.Level {
        if let level { return level.security }
        let isVouchedFor = pairing.passkey != nil || oob != nil
        return isVouchedFor && adapter.central.capabilities.contains(.securityLevels) ? .authenticated : .encrypted
    }

    private static func outcome(_ before: LinkSecurity.Level?, _ now: LinkSecurity) -> String {
        guard let before else { return "paired with" }
        return before < now.level ? "paired again with" : "already paired with"
    }

    /// The reason why keys will not be available to later commands.
    private enum Loss {
        /// There is no storage for them.
        case nowhere
        /// The keys cannot be stored, for this reason.
        case failed(String)
    }

    private func loss(on adapter: OpenedAdapter) async -> Loss? {
        guard adapter.keepsBonds else { return .nowhere }
        do throws(BluetoothError) {
            try await adapter.central.checkBondStorage()
            return nil
        } catch {
            return .failed(error.reason)
        }
    }
}

/// A security level on the command line.
enum PairingLevel: String, CaseIterable, ExpressibleByArgument {
    case encrypted, authenticated, secureConnections

    var security: LinkSecurity.Level {
        switch self {
        case .encrypted: .encrypted
        case .authenticated: .authenticated
        case .secureConnections: .secureConnections
        }
    }
}
