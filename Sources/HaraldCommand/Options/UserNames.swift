#if Programs
import ArgumentParser
import Explorer
import Foundation

/// The option `--names`, of commands without an adapter; `SharedOptions` has it too.
struct NamesOption: ParsableArguments, Sendable {
    @Option(help: UserNames.help)
    var names: String?
}

/// Names of UUIDs from the user's file, which are read before the command line is: it may use them.
enum UserNames {
    static let help = ArgumentHelp(
        "Names of vendors' UUIDs, 'UUID: Name' a line (default: harald/names.yaml in the user's configuration "
            + "directory).", valueName: "file")

    /// Reads the file that `--names` names, else the one of the user where there is one, and ends the program where that
    /// is wrong.
    static func load(_ arguments: some Sequence<String>) {
        guard !isHelp(arguments) else { return }
        do {
            try NameFile.load(file(arguments))
        } catch {
            Console.message(error.message)
            exit(ExitStatus.badFile.rawValue)
        }
    }

    /// A wrong file does not stand in the way of the help.
    private static func isHelp(_ arguments: some Sequence<String>) -> Bool {
        let words: Set = ["--help", "-h", "help", "--version", "--generate-completion-script"]
        return arguments.contains(where: words.contains)
    }

    /// The value of `--names`; nil where it is not given, or has none, which the parser says.
    static func file(_ arguments: some Sequence<String>) -> String? {
        var isNext = false
        for argument in arguments.prefix(while: { $0 != "--" }) {
            if isNext { return argument }
            if argument.hasPrefix("--names=") { return String(argument.dropFirst("--names=".count)) }
            isNext = argument == "--names"
        }
        return nil
    }
}
#endif
