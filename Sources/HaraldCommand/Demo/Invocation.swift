/// How to start the program again, as a shell understands it.
struct Invocation {
    /// As the program was started: "harald", ".build/debug/harald".
    var program = CommandLine.arguments.first ?? "harald"
    var adapter: String

    /// A command with the adapter.
    func command(_ words: String...) -> String {
        ([program] + words + ["--adapter", adapter]).map(Self.quoted).joined(separator: " ")
    }

    /// A word as the shell takes it unchanged.
    static func quoted(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=@%+"
        if !word.isEmpty, word.allSatisfy({ plain.contains($0) }) { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
