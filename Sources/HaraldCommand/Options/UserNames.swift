import ArgumentParser
import Explorer
import Foundation

/// The option `--names` of commands without an adapter; `SharedOptions` has it too.
struct NamesOption: ParsableArguments, Sendable {
    @Option(help: UserNames.help)
    var names: String?
}

/// Names of UUIDs from the user's file. They are loaded before the command line is parsed, which may use them.
enum UserNames {
    static let help = ArgumentHelp(
        "Names for UUIDs of vendors, one 'UUID: Name' per line (default: harald/names.yaml in the user's configuration "
            + "directory).", valueName: "file")

    /// Loads the file given by `--names`, else the user's file if it exists. Ends the program if the file is invalid.
    static func load(_ arguments: some Sequence<String>) {
        guard !isHelp(arguments) else { return }
        let file = file(arguments)
        do {
            try NameFile.load(file)
        } catch {
            Console.message(error.message)
            let isMissing = file.map { access($0, R_OK) != 0 } ?? false
            exit((isMissing ? ExitStatus.notFound : .badFile).rawValue)
        }
    }

    /// True for requests of help, for which an invalid file is no obstacle.
    private static func isHelp(_ arguments: some Sequence<String>) -> Bool {
        let words: Set = ["--help", "-h", "help", "--version", "--generate-completion-script"]
        return arguments.contains(where: words.contains)
    }

    /// The value of `--names`; nil if it is not given. The parser reports a missing value.
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
