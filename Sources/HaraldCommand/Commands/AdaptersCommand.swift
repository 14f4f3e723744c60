import ArgumentParser
import Harald

struct AdaptersCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters", abstract: "List the adapters of this machine and their features.",
        discussion: """
            The first line is the adapter that 'auto' selects. In a terminal the features are printed below each \
            adapter, in a pipe at the end of its line. With --json each adapter is an object: uri, state (on, off, \
            free, held, forbidden, always), address, text, features. The features are those of the library: addresses, \
            phy, connectionParameters, subscriptionKind, handles, channels, peripheralRole, severalIdentities, \
            pairing.

            EXAMPLES
              harald adapters
              harald adapters --json
            """)

    @Flag(help: "Print JSON Lines, one object per line.")
    var json = false

    func perform() async throws {
        let reader = MachineReader()
        var facts = reader.facts()
        await facts.askBlueZ()
        let list = AdapterListing.all(facts, blueZ: await AdapterListing.blueZ())
        if json {
            for adapter in list { Console.json(adapter.json) }
            return
        }
        for line in AdapterListing.lines(list, width: Terminal.width, coloured: Terminal.hasColours) {
            Console.line(line)
        }
    }
}
