#if Programs
import ArgumentParser
import VirtualDevices

/// What is done with the words of the command line before they are parsed.
enum CommandLineWords {
    /// `--pick` without a choice asks: the parser knows no options whose value may be left out.
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

    /// The message about a command that does not exist, with the one that was probably meant; nil for one that does.
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
        if let meant = Spelling.nearest(to: word, among: commands.map(name)) {
            return "there is no command '\(prefix) \(word)'; did you mean '\(prefix) \(meant)'?"
        }
        // The word may be an argument of a default subcommand.
        guard program.configuration.defaultSubcommand == nil else { return nil }
        return "there is no command '\(prefix) \(word)'; '\(prefix) --help' lists the commands"
    }
}
#endif
