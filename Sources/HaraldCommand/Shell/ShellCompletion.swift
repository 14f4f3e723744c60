import Explorer
import Harald
import VirtualDevices

/// Completes the last word of a line of the shell.
struct ShellCompletion {
    /// The names of the devices that were heard.
    var devices: [String] = []
    /// The attributes of the connected device as paths.
    var paths: [String] = []
    /// The values of the connected device that are known, by path.
    var values: [String: String] = [:]

    /// Returns the words that the last one may become.
    func candidates(for line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let isNew = line.isEmpty || line.last == " "
        let word = isNew ? "" : words.last ?? ""
        let before = isNew ? words : Array(words.dropLast())
        return matching(word, all(after: before, word))
    }

    private func all(after before: [String], _ word: String) -> [String] {
        guard let command = before.first else { return ShellLine.commands }
        if word.hasPrefix("-") { return Self.options(of: command) }
        switch command {
        case "connect": return before.count == 1 ? devices : []
        case "read", "notify": return paths
        case "write":
            if before.count == 1 { return paths }
            return (values[before[1]].map { [$0] } ?? []) + ["text:", "hex:"] + NumberFormat.names.map { $0 + ":" }
        case "stress": return before.last == "--write" ? paths : []
        case "help": return ShellLine.commands
        default: return []
        }
    }

    private func matching(_ word: String, _ all: [String]) -> [String] {
        let text = word.lowercased()
        return all.filter { $0.lowercased().hasPrefix(text) }.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    }

    /// The long options of a command.
    private static func options(of name: String) -> [String] {
        guard
            let command = HaraldProgram.configuration.subcommands.first(where: { $0.configuration.commandName == name })
        else { return [] }
        var options: Set<String> = []
        for word in command.helpMessage().split(whereSeparator: { $0.isWhitespace || "[](),;'=".contains($0) })
        where word.hasPrefix("--") && word.count > 2 {
            options.insert(String(word.prefix { $0.isLetter || $0 == "-" || $0.isNumber }))
        }
        // The adapter is the shell's.
        return options.subtracting(["--adapter", "--pick", "--capture", "--store", "--version"]).sorted()
    }

    /// Returns the longest text with which all words begin, ignoring case.
    static func common(_ words: [String]) -> String {
        guard let first = words.first else { return "" }
        return words.dropFirst().reduce(first) { $0.commonPrefix(with: $1, options: .caseInsensitive) }
    }

    /// Adds the attributes of a connected device.
    mutating func learn(_ peripheral: Peripheral?) {
        paths = []
        for service in peripheral?.services ?? [] {
            for characteristic in service.characteristics {
                paths.append("\(service.uuid)/\(characteristic.uuid)")
            }
        }
    }
}
