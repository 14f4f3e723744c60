import ArgumentParser
import Harald

/// The options that answer pairing requests.
struct PairingOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The six-digit passkey, for a device with a printed passkey.", valueName: "digits"))
    var passkey: String?

    @Flag(help: "Pair without asking, even if numbers should be compared.")
    var yes = false

    @Flag(help: "Never pair: refuse every pairing request.")
    var refuse = false

    func validate() throws {
        if yes && refuse { throw ValidationError("--yes and --refuse cannot be combined") }
        if let problem = TerminalPairing.problem(with: passkey) { throw ValidationError(problem) }
    }

    var delegate: TerminalPairing {
        var pairing = TerminalPairing()
        pairing.rule = refuse ? .refuse : yes ? .accept : .ask
        if let passkey {
            pairing.givenPasskey = TerminalPairing.passkey(passkey)
            // Keyboard only, so that the peer shows its number and no numbers are compared.
            pairing.capability = .keyboardOnly
        } else if yes, !TerminalInput.isInteractive {
            pairing.capability = .displayYesNo
        }
        return pairing
    }
}
