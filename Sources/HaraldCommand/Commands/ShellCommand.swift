#if Programs
import ArgumentParser
import Explorer
import Harald

/// `harald shell`
struct ShellCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Enter commands for a device on an open connection.",
        discussion: """
            The commands are those of the program, without DEVICE: 'connect' chooses it, and the connection stays. At a \
            terminal tab completes commands, devices, attributes, values and options; arrows recall earlier lines, also \
            of earlier runs (not those with a passkey). Ctrl-C ends a command, Ctrl-D the shell. A command that ends in \
            '&' goes on while others are entered.

            Without a terminal it reads a command a line from standard input; the status is that of the first that \
            failed. The shell stays without limit.

            EXAMPLES
              harald shell polar
              echo 'read 180F/2A19 --json' | harald shell polar
            """)

    @Argument(help: ArgumentHelp("The device to connect to.", valueName: "DEVICE"), completion: Completions.devices)
    var device: String?

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var shared: SharedOptions

    func perform() async throws {
        if shared.json { throw ProgramError(.usage, "--json goes with a command of the shell, such as 'read 2A19 --json'") }
        let pairing = ShellPairing(pairing.delegate)
        try shared.checkTimeout()
        try shared.checkStore()
        let adapter = try await OpenedAdapter.open(try AdapterChoice(shared.adapter), shared, pairing)
        let context = ShellContext(adapter, pairing)
        do {
            let shell = Shell(context, shared)
            if let device { try await shell.connect([device]) }
            try await shell.run()
            await adapter.close()
        } catch {
            await adapter.close()
            throw error
        }
    }
}
#endif
