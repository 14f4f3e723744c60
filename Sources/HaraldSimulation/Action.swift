/// What a step of a program does. The raw value is its word in a program's text.
enum Verb: String, CaseIterable, Sendable {
    // of a central
    case scan, connect, stay, disconnect, discover, read, write, command, subscribe, unsubscribe, rssi, cancel, drop
    case pair, forget, channel, leave, join
    // of a device
    case notify, update, change, kick, hide, show, close, open, unbond
    // of the adapter
    case off, on
    // what goes wrong
    case cut, cutlater, silence, hear, delay, lose, stall, answer, hardware, refuse, die

    /// Whether it makes something go wrong, or makes it go right again.
    var isFault: Bool {
        switch self {
        case .cut, .cutlater, .silence, .hear, .delay, .lose, .stall, .answer, .hardware, .refuse, .die: true
        default: false
        }
    }

    /// Whether it concerns another host.
    var hasTarget: Bool {
        switch self {
        case .connect, .stay, .disconnect, .discover, .read, .write, .command, .subscribe, .unsubscribe, .rssi, .drop,
            .pair, .forget, .channel:
            true
        default: false
        }
    }
}

/// One step of a program: what one host does, or what happens to it, at some time.
struct Step: Hashable, Sendable {
    /// Milliseconds since the start of the world.
    var time: Int
    /// The host that does it.
    var host: Int
    var verb: Verb
    /// The host that it is done to, where there is one.
    var target = 0
    /// Which characteristic, where there is one.
    var place = 0
    /// How long, how many or how much.
    var amount = 0
}

extension Step: CustomStringConvertible {
    var description: String {
        var words = ["\(time)", "h\(host)", verb.rawValue]
        if verb.hasTarget { words.append("h\(target)") }
        if place != 0 { words.append("c\(place)") }
        if amount != 0 { words.append("n\(amount)") }
        return words.joined(separator: " ")
    }

    /// A step from its text.
    init(_ text: some StringProtocol) throws(ProgramError) {
        let words = text.split(separator: " ")
        guard words.count >= 3 else { throw ProgramError("a step is 'MILLISECONDS hHOST VERB ...'") }
        guard let time = Int(words[0]), time >= 0 else { throw ProgramError("'\(words[0])' is no time") }
        guard let verb = Verb(rawValue: String(words[2])) else {
            throw ProgramError(
                "'\(words[2])' is no verb; there are " + Verb.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(time: time, host: try Self.number(words[1], "h"), verb: verb)
        for word in words.dropFirst(3) {
            switch word.first {
            case "h": target = try Self.number(word, "h")
            case "c": place = try Self.number(word, "c")
            case "n": amount = try Self.number(word, "n")
            default: throw ProgramError("'\(word)' is neither hHOST nor cCHARACTERISTIC nor nNUMBER")
            }
        }
    }

    private static func number(_ word: some StringProtocol, _ letter: Character) throws(ProgramError) -> Int {
        guard word.first == letter, let number = Int(word.dropFirst()), (0...1_000_000).contains(number) else {
            throw ProgramError("'\(word)' is not '\(letter)' with a number")
        }
        return number
    }
}

/// Why a text is no program.
struct ProgramError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
