import ArgumentParser
import Explorer
import Harald

struct ShellCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Enter commands for a connected device interactively.",
        discussion: """
            The commands are those of the program, without DEVICE: 'connect' selects the device, and the connection \
            stays open. At a terminal, tab completes commands, devices, attributes, values and options; arrow keys \
            recall lines, also of earlier runs (except those with a passkey). Ctrl-C ends a command, Ctrl-D the shell. \
            A command that ends in '&' runs in the background.

            Without a terminal it reads one command per line from standard input; the status is that of the first \
            failed one. The shell runs without limit.

            EXAMPLES
              harald shell polar
              echo 'read 180F/2A19 --json' | harald shell polar
            """)

    @Argument(help: ArgumentHelp("The device to connect to.", valueName: "DEVICE"), completion: Completions.devices)
    var device: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        if shared.json {
            throw ProgramError(.usage, "--json must be used with a command of the shell, such as 'read 2A19 --json'")
        }
        let pairing = ShellPairing(pairing.delegate)
        try shared.checkTimeout()
        try shared.checkStore()
        let adapter = try await OpenedAdapter.open(try AdapterChoice(shared.adapter), shared, pairing)
        let context = ShellContext(adapter, pairing)
        try await closing {
            let shell = Shell(context, shared)
            if let device { try await shell.connect([device]) }
            try await shell.run()
        } with: {
            await adapter.close()
        }
    }
}
