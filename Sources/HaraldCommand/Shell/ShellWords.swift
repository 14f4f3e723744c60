import ArgumentParser
import Explorer

/// A line of the shell.
struct ShellLine: Equatable {
    var words: [String]
    /// True for a command that runs while further lines are entered: it ends in `&`.
    var isBackground = false

    /// Commands of the program that take a device as their first argument.
    static let deviceCommands: Set<String> = [
        "tree", "read", "write", "notify", "pair", "rssi", "link", "info", "clone", "stress", "l2cap", "frames",
        "check",
    ]
    /// Commands of the program that need no device.
    static let otherCommands: Set<String> = ["scan", "uuid", "decode", "bonds", "adapters"]
    /// Commands of the shell itself.
    static let ownCommands = ["connect", "disconnect", "devices", "jobs", "stop", "sleep", "help", "quit"]

    /// All commands in alphabetical order.
    static var commands: [String] {
        let known = Set(HaraldProgram.configuration.subcommands.compactMap { $0.configuration.commandName })
        return (deviceCommands.union(otherCommands).intersection(known).union(ownCommands)).sorted()
    }

    /// Parses a line; nil for an empty line and a comment.
    /// - Throws: ``InputError`` if a quotation mark is not closed.
    init?(_ text: String) throws {
        var rest = text[...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        guard !rest.isEmpty, rest.first != "#" else { return nil }
        if rest.last == "&" {
            isBackground = true
            rest = rest.dropLast()
        }
        words = try SimulationControl.words(of: String(rest))
        guard words.first?.isEmpty == false else { return nil }
    }
}
