/// Formats commands of this program for a shell.
struct Invocation {
    /// The program as it was started: "harald", ".build/debug/harald".
    var program = CommandLine.arguments.first ?? "harald"
    var adapter: String

    /// Returns a command with the adapter option.
    func command(_ words: String...) -> String {
        ([program] + words + ["--adapter", adapter]).map(Self.quoted).joined(separator: " ")
    }

    /// Returns a word quoted for the shell.
    static func quoted(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@%+"
        if !word.isEmpty, word.allSatisfy({ plain.contains($0) }) { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
