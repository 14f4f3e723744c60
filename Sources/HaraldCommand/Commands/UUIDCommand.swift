import ArgumentParser
import Harald

struct UUIDCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "uuid", abstract: "Look up assigned numbers, offline.",
        discussion: """
            A number is searched in UUIDs (also of units), companies and appearances; text is searched in their names. \
            With --json, one object per entry: uuid, company or appearance, kind, name.

            EXAMPLES
              harald uuid 2A37
              harald uuid heart rate
              harald uuid 0x004C
              harald uuid heart rate belt
              harald uuid celsius
            """)

    @Argument(
        help: ArgumentHelp("A UUID, or part of a name.", valueName: "UUID-OR-TEXT"),
        completion: Completions.characteristics)
    var words: [String]

    @Flag(help: "Print JSON Lines.")
    var json = false

    @OptionGroup var naming: NamesOption

    func perform() async throws {
        let text = words.joined(separator: " ")
        let entries = NumberEntry.lookUp(text)
        guard !entries.isEmpty else { throw ProgramError(.notFound, "no assigned number matches '\(text)'") }
        for entry in entries {
            if json { Console.json(entry.json) } else { Console.line(entry.line) }
        }
    }
}
