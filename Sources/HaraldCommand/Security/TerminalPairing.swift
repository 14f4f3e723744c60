import Harald

/// Answers the questions of pairing as the command line says, else by asking the person at the terminal.
struct TerminalPairing: PairingDelegate {
    /// What is answered without asking.
    enum Rule: Hashable, Sendable {
        /// Nothing: somebody is asked, and where nobody is there, refused.
        case ask
        /// Yes to everything that yes answers.
        case accept
        /// No.
        case refuse
    }

    var rule = Rule.ask
    /// The passkey that is entered, or that a device without a display has printed on it.
    var passkey: UInt32?
    var capability = PairingCapability.keyboardDisplay
    /// Whether the answers are those of a device, which shows its passkey and whose user is not asked for consent.
    var isDevice = false

    /// Who only shows a passkey hears how its entry goes; a line that is entered here comes as a whole, with no keys to
    /// tell of.
    var tellsKeypresses: Bool { capability == .displayOnly }

    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async {
        switch keypress {
        case .started: Console.message("the passkey is being entered")
        case .digitEntered: Console.message("a digit was entered")
        case .digitErased: Console.message("a digit was erased")
        case .cleared: Console.message("all digits were erased")
        case .completed: Console.message("the passkey was entered")
        }
    }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        if rule == .refuse {
            Console.message("pairing was refused, as --refuse says")
            return .refuse
        }
        switch question {
        case .confirm: return isDevice ? .accept : await consent("pair with the device? [y/N] ")
        case .display(let passkey):
            Console.message(
                isDevice
                    ? "the device shows the passkey \(Self.digits(passkey))"
                    : "enter \(Self.digits(passkey)) on the other device")
            return .accept
        case .compare(let number):
            return await consent("does the other device show \(Self.digits(number))? [y/N] ")
        case .enterPasskey:
            if let passkey { return .passkey(passkey) }
            return await enteredPasskey()
        }
    }

    private func consent(_ question: String) async -> PairingAnswer {
        if rule == .accept { return .accept }
        guard TerminalInput.isInteractive else { return refuseForLackOfAnybody("--yes accepts") }
        let answer = await TerminalInput.line(question)?.lowercased()
        return answer == "y" || answer == "yes" ? .accept : .refuse
    }

    private func enteredPasskey() async -> PairingAnswer {
        guard TerminalInput.isInteractive else { return refuseForLackOfAnybody("--passkey gives the number") }
        guard let line = await TerminalInput.line("the passkey that the other device shows: ") else { return .refuse }
        guard let number = Self.passkey(line) else {
            Console.message("a passkey has up to six digits")
            return .refuse
        }
        return .passkey(number)
    }

    private func refuseForLackOfAnybody(_ cure: String) -> PairingAnswer {
        Console.message("the device wants to pair, and standard input is no terminal to ask at: refused; \(cure)")
        return .refuse
    }

    /// A passkey from its digits; nil for anything else.
    static func passkey(_ text: String) -> UInt32? {
        guard (1...6).contains(text.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }

    /// Six digits.
    static func digits(_ number: UInt32) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}
