#if Programs
import ArgumentParser

/// The options that every command on an adapter has.
struct SharedOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The adapter: auto, virtual:[SCENE], tcp:HOST:PORT, unix:PATH, serial:DEVICE,BAUD, hci:N, bluez:hciN, ... "
                + "(default: $HARALD_ADAPTER, else auto)", valueName: "uri"))
    var adapter: String?

    @Option(
        help: ArgumentHelp("When to give up, in seconds: scanning, connecting, each operation.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print JSON Lines, one object a line, on standard output; messages go to standard error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write every HCI packet to a btsnoop file, for Wireshark and btmon.", valueName: "file"))
    var capture: String?

    @Option(
        help: ArgumentHelp(
            "The directory where bonds and known devices are kept (default: the user's data directory; on the virtual "
                + "radio nowhere).", valueName: "directory"))
    var store: String?

    @Flag(name: [.customShort("v"), .long], help: "Say on standard error what happens.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout >= 0 && timeout <= 1e6) {
            throw ValidationError("--timeout is a number of seconds from 0 to 1000000")
        }
    }

    /// When to give up; 10 s unless said otherwise.
    var patience: Duration { .seconds(timeout ?? 10) }

    /// Says what happens, to those who want to know.
    func note(_ text: @autoclosure () -> String) {
        if verbose { Console.message(text()) }
    }
}
#endif
