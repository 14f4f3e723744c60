import ArgumentParser

/// The option `--for`.
struct TimeOption: ParsableArguments, Sendable {
    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("Stop after this time.", valueName: "seconds"))
    var seconds: Double?

    /// The time after which the command stops; nil for no limit.
    var limit: Duration? { seconds.map { .seconds($0) } }

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 1e9) {
            throw ValidationError("--for must be a number of seconds above 0")
        }
    }
}
