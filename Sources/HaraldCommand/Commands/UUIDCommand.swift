#if Programs
import ArgumentParser
import Harald

/// `harald uuid`
struct UUIDCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "uuid", abstract: "Look up assigned numbers, offline.",
        discussion: """
            A number is looked up among UUIDs, units included, companies and appearances, a text among their names. \
            With --json it is one object an entry: uuid, company or appearance, kind, name.

            EXAMPLES
              harald uuid 2A37
              harald uuid heart rate
              harald uuid 0x004C
              harald uuid heart rate belt
              harald uuid celsius
            """)

    @Argument(
        help: ArgumentHelp("A UUID, or a part of a name.", valueName: "UUID-OR-TEXT"),
        completion: Completions.characteristics)
    var words: [String]

    @Flag(help: "Print JSON Lines.")
    var json = false

    @OptionGroup var naming: NamesOption

    func perform() async throws {
        let text = words.joined(separator: " ")
        let entries = NumberEntry.lookUp(text)
        guard !entries.isEmpty else { throw ProgramError(.notFound, "no assigned number fits '\(text)'") }
        for entry in entries {
            if json { Console.json(entry.json) } else { Console.line(entry.line) }
        }
    }
}
#endif
