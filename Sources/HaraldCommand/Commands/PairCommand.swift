#if Programs
import ArgumentParser
import Harald

/// `harald pair`
struct PairCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device and keep the keys.",
        discussion: """
            Connects, pairs and disconnects. Passkeys are shown and asked for on the terminal; without a terminal \
            --passkey and --yes answer, and what is not answered is refused. The keys are kept in the user's data \
            directory, or in --store, and later commands encrypt the connection with them; 'harald bonds' lists and \
            forgets them. On the virtual radio they are kept only where --store is given.

            read, write, notify and tree pair by themselves where a device asks for it.

            With --json it is one object: id, name, address, security (none, encrypted, authenticated, \
            secureConnections), keySize, bonded.

            EXAMPLES
              harald pair scale
              harald pair lock --passkey 123456
              harald pair lock --oob 6F3C...   (what 'harald simulate --oob' prints)
              harald pair --pick strongest --yes --json
            """)

    @Option(
        help: ArgumentHelp(
            "What the device told another way than over the radio: 64 hexadecimal digits, its confirm and its random "
                + "value.", valueName: "digits"))
    var oob: String?

    @OptionGroup var device: OneDevice
    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if let oob, OutOfBandData(text: oob) == nil { throw ValidationError("--oob has 64 hexadecimal digits") }
    }

    func perform() async throws {
        try await OpenedAdapter.run(shared, pairing: pairing.delegate) { adapter in
            let found = try await device.find(on: adapter.central, within: shared.patience)
            let peripheral = found.peripheral
            let wasBonded = await peripheral.isBonded
            try await peripheral.whileConnected(shared) {
                if let oob { try await peripheral.useOutOfBandData(OutOfBandData(text: oob)) }
                // A person needs longer than a device: --timeout counts where it is given.
                let security = try await peripheral.pair(timeout: shared.timeout.map { .seconds($0) } ?? .seconds(60))
                // Some devices forget a pairing whose link ends before they have written its keys: one answer later
                // they have.
                _ = try? await peripheral.characteristic("1800", "2A00").read(timeout: .seconds(2))
                if shared.json {
                    Console.json([
                        "id": .string(peripheral.id.description), "name": .optional(peripheral.name),
                        "address": .optional(peripheral.address?.text),
                        "security": .string(SecurityText.word(security.level)), "keySize": .int(Int(security.keySize)),
                        "bonded": .bool(security.isBonded),
                    ])
                } else {
                    let text = TerminalText.safe("\(peripheral)")
                    Console.line(
                        (wasBonded ? "\(text) was paired before" : "paired with \(text)")
                            + ": \(SecurityText.text(security))")
                }
            }
        }
    }
}
#endif
