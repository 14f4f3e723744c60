#if Programs
import ArgumentParser
import Explorer
import Harald

/// `harald pair`
struct PairCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device and keep the keys.",
        discussion: """
            Connects, pairs and disconnects. Passkeys are shown and asked for on the terminal; without a terminal \
            --passkey and --yes answer, and what is not answered is refused. The keys are kept in the user's data \
            directory, or in --store, and later commands encrypt the connection with them; 'harald bonds' lists and \
            forgets them. Where they cannot be kept nothing is paired. On the virtual radio they are kept only where \
            --store is given.

            A device that is paired already is paired anew where its keys give less than --level, and never where that \
            would leave worse ones. --passkey and --oob ask for 'authenticated', so that they are not given in vain.

            read, write, notify and tree pair by themselves where a device asks for it.

            With --json it is one object: id, name, address, security (none, encrypted, authenticated, \
            secureConnections), keySize, bonded (whether the keys are kept beyond this command).

            EXAMPLES
              harald pair scale
              harald pair lock --passkey 123456
              harald pair lock --level secureConnections
              harald pair lock --oob 6F3C...   (what 'harald simulate --oob' prints)
              harald pair --pick strongest --yes --json
            """)

    @Option(
        help: ArgumentHelp(
            "What the device told another way than over the radio: 64 hexadecimal digits, its confirm and its random "
                + "value.", valueName: "digits"))
    var oob: String?

    @Option(
        help: ArgumentHelp(
            "The least that the link has to be then: encrypted, authenticated or secureConnections (default: encrypted, "
                + "with --passkey and --oob authenticated).", valueName: "level"))
    var level: PairingLevel?

    @OptionGroup var device: OneDevice
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let oob, OutOfBandData(text: oob) == nil { throw ValidationError("--oob has 64 hexadecimal digits") }
    }

    func perform() async throws {
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let peripheral = try await device.peripheral(on: adapter.central, within: shared.patience)
            if adapter.keepsBonds, case .failed(let reason) = await loss(on: adapter) {
                throw ProgramError(.failed, "nothing is paired, for the keys could not be kept: \(reason)")
            }
            let before = await adapter.central.bonds.first { $0.id == peripheral.id }?.level
            try await peripheral.whileConnected(shared) {
                if let oob { try await peripheral.useOutOfBandData(OutOfBandData(text: oob)) }
                // A person takes longer to answer than a device.
                var security = try await peripheral.pair(
                    to: wanted(on: adapter), timeout: shared.timeout == nil ? .seconds(60) : shared.pairingPatience)
                // Some devices lose a pairing if the link ends before they have stored its keys. One response later
                // they have stored them.
                _ = try? await peripheral.within(.seconds(2), "read the device's name") {
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
                    Console.message("--level authenticated pairs anew, with a number, where the device can")
                }
                if case .failed = loss {} else { CommandDeadline.shared.succeeded() }
                switch loss {
                case nil: break
                case .nowhere: Console.message("the keys are gone with this command; --store DIRECTORY keeps them")
                case .failed(let reason):
                    throw ProgramError(
                        .failed,
                        "the devices are paired, but only for this run: \(reason). Have the device forget this pairing "
                            + "before the next one")
                }
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
        return before < now.level ? "paired anew with" : "paired before with"
    }

    /// The reason why keys will not be available to later commands.
    private enum Loss {
        /// There is no storage for them.
        case nowhere
        /// They cannot be stored, for this reason.
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
#endif
