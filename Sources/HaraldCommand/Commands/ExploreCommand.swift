import ArgumentParser
import Explorer
import Foundation
import Harald
import TerminalScreen

struct ExploreCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore", abstract: "Explore devices on a full screen: list, attributes, values, log.",
        discussion: """
            Arrow keys move, enter opens, esc goes back, / filters, c connects, r reads, w writes, n subscribes, l \
            shows the log, ? shows all keys, q quits. The screen runs without limit, until q or Ctrl-C. It requires a \
            terminal of any size, preferably with at least 60 columns; 'harald scan' prints devices in a pipe.

            EXAMPLES
              harald explore
              harald explore --adapter virtual:clinic
              harald explore --filter 'polar rssi:-70'
            """)

    @Option(
        help: ArgumentHelp(
            "Show only matching devices, as typed after /: \(DeviceFilter.forms).", valueName: "filter"))
    var filter = ""

    @OptionGroup var recording: RecordOption
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        do { _ = try DeviceFilter(filter) } catch { throw ValidationError(error.message) }
        if shared.json { throw ValidationError("explore has no --json; 'harald scan --json' prints devices") }
    }

    func perform() async throws {
        guard Terminal.isInteractive else {
            throw ProgramError(
                .usage,
                "explore requires a terminal, and \(Self.lack); 'harald scan' prints devices, also in a pipe"
            )
        }
        try await ExplorerSession.run(shared, recording: recording) { session in
            try await show(session.model, adapter: session.adapter.central.adapter.uri)
        }
    }

    private func show(_ model: ExplorerModel, adapter: String) async throws {
        let messages = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(16))
        try await FullScreen.run(onMessage: { messages.continuation.yield($0) }) { screen in
            let app = ExploreApp(model: model, screen: screen, adapter: adapter, filter: filter)
            let relay = Task { for await message in messages.stream { await app.say(message) } }
            await app.run()
            relay.cancel()
        }
        try Task.checkCancellation()
    }

    private static var lack: String {
        if !Terminal.isTerminal { return "standard output is not one" }
        if isatty(STDIN_FILENO) != 1 { return "standard input is not one" }
        return "the terminal named by TERM cannot redraw"
    }
}
