import ArgumentParser
import HealthHub

struct HubReadingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reading", abstract: "Decide about single readings: accept, exclude, move.",
        discussion: """
            A weight that differs from the last one by more than 5 kg, and 1 kg for each week between them, waits for a \
            decision: it may be that of somebody else on the same scale. It counts in nothing until it is \
            accepted.

            EXAMPLES
              harald hub reading list
              harald hub reading accept 17
              harald hub reading move 18 --to 2
              harald hub reading exclude 19 --reason 'with a suitcase'
            """,
        subcommands: [List.self, Accept.self, Exclude.self, Move.self], defaultSubcommand: List.self)

    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the readings that wait for a decision.")
        @Option(help: ArgumentHelp("Only those of this person.", valueName: "id")) var person: Int64?
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.listWaiting(person: person)) }
    }

    struct Accept: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Let readings count that wait or were excluded.")
        @OptionGroup var readings: Readings
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.decide(.accept, readings: readings.id)) }
    }

    struct Exclude: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "exclude", abstract: "Let readings not count; they stay in the list with the reason.")
        @OptionGroup var readings: Readings
        @Option(help: "The reason, for the list of readings.") var reason: String
        @OptionGroup var place: HubPlace
        func perform() async throws { try await place.run(.decide(.exclude(reason: reason), readings: readings.id)) }
    }

    struct Move: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "move", abstract: "Give readings to another person, or to nobody.",
            discussion: """
                The assignment of the device stays. A reading of nobody goes with the next assignment of its device.
                """)
        @OptionGroup var readings: Readings
        @Option(help: ArgumentHelp("The identifier of a person, or 'nobody'.", valueName: "person")) var to: String
        @OptionGroup var place: HubPlace

        func validate() throws {
            if to != "nobody", Int64(to) == nil {
                throw ValidationError("--to must be a person's identifier or 'nobody'")
            }
        }

        func perform() async throws { try await place.run(.decide(.move(person: Int64(to)), readings: readings.id)) }
    }

    struct Readings: ParsableArguments {
        @Argument(help: ArgumentHelp("Identifiers of readings.", valueName: "ID")) var id: [Int64]
    }
}
