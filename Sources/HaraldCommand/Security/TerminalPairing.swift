import Harald

/// Answers pairing requests according to the command line, or else by prompting the person at the terminal.
struct TerminalPairing: PairingDelegate {
    /// The answer that is given without a prompt.
    enum Rule: Hashable, Sendable {
        /// None: a person is prompted, or the request is refused if there is none.
        case ask
        /// Accepts every request that a yes can answer.
        case accept
        /// Refuses every request.
        case refuse
    }

    var rule = Rule.ask
    /// True to replace the bond of a device that has not proved that it has its key.
    var replacesBonds = false
    /// Set when the question about a bond was asked.
    let wasAsked = SharedFlag()
    /// The passkey of the command line: the one to enter, or the one printed on a device.
    var givenPasskey: UInt32?
    /// The fixed passkey of a device. A passkey that the user enters for another device does not count as one.
    var passkey: UInt32? { isDevice ? givenPasskey : nil }
    var capability = PairingCapability.keyboardDisplay
    /// True if the answers are those of a device, which shows its passkey and does not ask for consent.
    var isDevice = false
    /// The names of the other devices.
    var names = DeviceNames()
    var person: any AskedPerson = PersonAtTerminal()

    /// True if only a passkey is displayed, so that its entry on the other side is reported. A line entered here
    /// arrives as a whole, without single key presses.
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
        let name = await name(of: peripheral)
        if rule == .refuse {
            Console.message("pairing with \(name) was refused by --refuse")
            return .refuse
        }
        switch question {
        case .confirm: return isDevice ? .accept : await consent("pair with \(name)? [y/N] ", name)
        case .display(let passkey):
            Console.message(
                isDevice
                    ? "the device shows the passkey \(Self.digits(passkey)) for \(name)"
                    : "enter \(Self.digits(passkey)) on \(name)")
            return .accept
        case .compare(let number): return await consent("does \(name) show \(Self.digits(number))? [y/N] ", name)
        case .enterPasskey:
            if let givenPasskey { return .passkey(givenPasskey) }
            return await enteredPasskey(name)
        }
    }

    func replacesBond(with peripheral: PeripheralID) async -> Bool {
        wasAsked.set()
        let name = await name(of: peripheral)
        let claim = "\(name) is bonded, and has not proved that it has the key of the bond"
        let address = peripheral.address?.text ?? "\(peripheral)"
        if replacesBonds { return true }
        guard rule != .refuse, person.isThere else {
            Console.message(
                "pairing was refused: \(claim). If it was reset, --replace-bond accepts it, or 'harald bonds forget "
                    + "\(address)' deletes the bond first")
            return false
        }
        return await agrees("\(claim): it was reset, or is another device. Replace the bond? [y/N] ")
    }

    private func name(of peripheral: PeripheralID) async -> String {
        let known = await names.name(of: peripheral) ?? peripheral.address?.text ?? "\(peripheral)"
        return isDevice ? "the central \(known)" : known
    }

    private func consent(_ question: String, _ name: String) async -> PairingAnswer {
        if rule == .accept { return .accept }
        guard person.isThere else { return refuseForLackOfAnybody(name, "--yes accepts") }
        return await agrees(question) ? .accept : .refuse
    }

    private func agrees(_ question: String) async -> Bool {
        while let answer = await asked(question)?.lowercased() {
            switch answer {
            case "y", "yes": return true
            case "", "n", "no": return false
            default: Console.message("enter y for yes or n for no")
            }
        }
        return false
    }

    /// Prompts the person; the time does not count towards the deadline of the command.
    private func asked(_ question: String) async -> String? {
        await CommandDeadline.shared.whilePaused { await person.line(question) }
    }

    private func enteredPasskey(_ name: String) async -> PairingAnswer {
        guard person.isThere else { return refuseForLackOfAnybody(name, "--passkey gives the passkey") }
        while let line = await asked("the passkey that \(name) shows: "), !line.isEmpty {
            if let number = Self.passkey(line) { return .passkey(number) }
            Console.message("a passkey must have six digits; an empty line cancels")
        }
        return .refuse
    }

    private func refuseForLackOfAnybody(_ name: String, _ cure: String) -> PairingAnswer {
        Console.message("pairing with \(name) was refused: standard input is not a terminal; \(cure)")
        return .refuse
    }

    /// Returns the passkey for a text of six digits; nil for anything else.
    static func passkey(_ text: String) -> UInt32? {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }

    /// Returns the error in the passkey of a command line; nil if there is none.
    static func problem(with passkey: String?) -> String? {
        guard let passkey, Self.passkey(passkey) == nil else { return nil }
        return "--passkey must have six digits, including leading zeros"
    }

    /// Formats a number with six digits.
    static func digits(_ number: UInt32) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 6 - text.count)) + text
    }
}
