/// The action of a step. The raw value is its name in the text of a program.
enum Verb: String, CaseIterable, Sendable {
    // Actions of a central.
    case scan, connect, stay, disconnect, discover, read, write, command, subscribe, unsubscribe, rssi, cancel, drop
    case pair, forget, channel, churn, parameters, phy, hold, visit, leave, join
    // Actions of a device.
    case notify, update, change, kick, hide, show, close, open, unbond, twin
    // Actions of the adapter.
    case off, on
    // Faults, and their ends.
    case cut, cutlater, silence, hear, delay, lose, stall, answer, hardware, refuse, reject, lapse, mute, full, die

    /// True for an action that injects a fault or ends one.
    var isFault: Bool {
        switch self {
        case .cut, .cutlater, .silence, .hear, .delay, .lose, .stall, .answer, .hardware, .refuse, .reject, .lapse,
            .mute, .full, .die:
            true
        default: false
        }
    }

    /// True for an action with a target host.
    var hasTarget: Bool {
        switch self {
        case .connect, .stay, .disconnect, .discover, .read, .write, .command, .subscribe, .unsubscribe, .rssi, .drop,
            .pair, .forget, .channel, .churn, .parameters, .phy, .hold, .visit:
            true
        default: false
        }
    }
}

extension Verb {
    /// True for an action that ends immediately when it is cancelled. The others notify the peer first, and wait.
    var endsWhenCancelled: Bool {
        switch self {
        case .scan, .discover, .read, .write, .command, .subscribe, .rssi, .update, .notify: true
        default: false
        }
    }

    /// True for an action whose operation may be cancelled.
    var canBeCancelled: Bool {
        switch self {
        case .scan, .connect, .stay, .discover, .read, .write, .command, .subscribe, .rssi, .update, .notify, .pair,
            .channel, .churn, .parameters, .phy, .visit:
            true
        default: false
        }
    }
}

/// One step of a program: an action of a host, or a fault of it, at some time.
struct Step: Hashable, Sendable {
    /// Milliseconds since the start of the program.
    var time: Int
    /// The host of the action.
    var host: Int
    var verb: Verb
    /// The target host, if the action has one.
    var target = 0
    /// The characteristic, if the action has one.
    var place = 0
    /// A duration, count or size, depending on the action.
    var amount = 0

    /// True if the action may begin a pairing. A subscription to all that a service sends includes values that require
    /// encryption.
    var pairs: Bool { [.pair, .hold].contains(verb) || place == Place.secret.rawValue }
}

extension Step: CustomStringConvertible {
    var description: String {
        var words = ["\(time)", "h\(host)", verb.rawValue]
        if verb.hasTarget { words.append("h\(target)") }
        if place != 0 { words.append("c\(place)") }
        if amount != 0 { words.append("n\(amount)") }
        return words.joined(separator: " ")
    }

    /// Parses a step.
    /// - Throws: ``ActionSyntaxError`` for an invalid text.
    init(_ text: some StringProtocol) throws(ActionSyntaxError) {
        let words = text.split(separator: " ")
        guard words.count >= 3 else { throw ActionSyntaxError("a step has the form 'MILLISECONDS hHOST VERB ...'") }
        guard let time = Int(words[0]), time >= 0 else { throw ActionSyntaxError("'\(words[0])' is not a time") }
        guard let verb = Verb(rawValue: String(words[2])) else {
            throw ActionSyntaxError(
                "'\(words[2])' is not a verb; the verbs are " + Verb.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(time: time, host: try Self.number(words[1], "h"), verb: verb)
        for word in words.dropFirst(3) {
            switch word.first {
            case "h": target = try Self.number(word, "h")
            case "c": place = try Self.number(word, "c")
            case "n": amount = try Self.number(word, "n")
            default: throw ActionSyntaxError("'\(word)' is neither hHOST nor cCHARACTERISTIC nor nNUMBER")
            }
        }
    }

    private static func number(_ word: some StringProtocol, _ letter: Character) throws(ActionSyntaxError) -> Int {
        guard word.first == letter, let number = Int(word.dropFirst()), (0...1_000_000).contains(number) else {
            throw ActionSyntaxError("'\(word)' is not '\(letter)' with a number")
        }
        return number
    }
}

/// The error in the text of a program.
struct ActionSyntaxError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
