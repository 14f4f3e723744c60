import ArgumentParser
import VirtualDevices

/// Preprocesses the words of the command line.
enum CommandLineWords {
    /// Expands `--pick` without a value, because the parser has no options with an optional value.
    static func expanded(_ words: [String]) -> [String] {
        var result: [String] = []
        for (index, word) in words.enumerated() {
            if word == "--" { return result + words[index...] }
            let next = words.indices.contains(index + 1) ? words[index + 1] : nil
            let hasChoice = next.map { DevicePick(rawValue: $0) != nil } ?? false
            result.append(word == "--pick" && !hasChoice ? "--pick=\(DevicePick.ask.rawValue)" : word)
        }
        return result
    }

    /// Returns a message for an unknown command, with the one that was probably meant; nil for a known command.
    static func misspelledCommand(
        in words: [String], of program: any ParsableCommand.Type = HaraldProgram.self, named prefix: String = "harald"
    ) -> String? {
        guard let word = words.first, !word.hasPrefix("-"), word != "help" else { return nil }
        let commands = program.configuration.subcommands
        let name = { (command: any ParsableCommand.Type) in command.configuration.commandName ?? "" }
        if let command = commands.first(where: { name($0) == word || $0.configuration.aliases.contains(word) }) {
            guard !command.configuration.subcommands.isEmpty else { return nil }
            return misspelledCommand(in: Array(words.dropFirst()), of: command, named: "\(prefix) \(word)")
        }
        if ServerCommands.absent.contains(word) {
            return "this build of harald is without '\(prefix) \(word)'; 'make build' adds it, in some minutes"
        }
        if let meant = Spelling.nearest(to: word, among: commands.map(name)) {
            return "unknown command '\(prefix) \(word)'; did you mean '\(prefix) \(meant)'?"
        }
        // The word may be an argument of the default subcommand.
        guard program.configuration.defaultSubcommand == nil else { return nil }
        return "unknown command '\(prefix) \(word)'; '\(prefix) --help' lists the commands"
    }
}
