import ArgumentParser
import Explorer
import Harald

struct BondsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds", abstract: "List the bonded devices, and delete bonds.",
        discussion: """
            Uses the user's data directory, or --store, and needs no adapter. Keys are never printed. A device keeps \
            its half of a bond: most devices must also delete theirs before they pair again.
            """,
        subcommands: [List.self, Forget.self], defaultSubcommand: List.self)

    /// `harald bonds list`
    struct List: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the bonded devices.",
            discussion: """
                With --json, one object per device: id, name, address, security (encrypted, authenticated, \
                secureConnections), keySize, localAddress.

                EXAMPLES
                  harald bonds
                  harald bonds list --json
                """)

        @OptionGroup var place: BondPlace

        func perform() async throws {
            let bonds = try SavedBonds.all(in: place.storage())
            if place.json {
                for bond in bonds { Console.json(bond.json) }
            } else if bonds.isEmpty {
                Console.message("there are no bonds; 'harald pair DEVICE' creates one")
            } else {
                var table = TextTable([
                    .init(title: "ADDRESS"), .init(title: "NAME", leastWidth: 8),
                    .init(title: "SECURITY", leastWidth: 9),
                ])
                table.rows = bonds.map { bond in
                    [
                        .init(bond.address?.text ?? bond.id.description), .init(bond.name ?? "-"),
                        .init(SecurityText.text(bond.level)),
                    ]
                }
                let width = Terminal.isLive ? Terminal.size.columns : nil
                for line in table.lines(width: width, coloured: Terminal.hasColours) { Console.line(line) }
            }
        }
    }

    /// `harald bonds forget`
    struct Forget: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Delete the bond with a device.",
            discussion: """
                With --json, one object per deleted bond, as in 'harald bonds list'. A damaged file of bonds prevents \
                every adapter from being opened; --all replaces it by an empty one. --all also renews the key of our \
                own private addresses, which the bonded devices have, and with it the address of --store.

                EXAMPLES
                  harald bonds forget scale
                  harald bonds forget C0:12:34:56:78:9A
                  harald bonds forget --all
                """)

        @Argument(
            help: ArgumentHelp("The device: its name, address or identifier.", valueName: "DEVICE"),
            completion: Completions.devices)
        var device: String?

        @Flag(help: "Delete all bonds, and renew the own identity resolving key.")
        var all = false

        @OptionGroup var place: BondPlace

        func validate() throws {
            if (device == nil) != all { throw ValidationError("expected one device, or --all") }
        }

        func perform() async throws {
            let storage = try place.storage()
            let bonds: [BondedPeripheral]
            do throws(BluetoothError) {
                bonds = try SavedBonds.all(in: storage)
            } catch {
                guard all else { throw error }
                try SavedBonds.forgetAll(in: storage)
                return Console.message("\(error.reason); the file was replaced by an empty one")
            }
            for bond in try chosen(among: bonds) {
                try SavedBonds.forget(bond.id, in: storage)
                if place.json {
                    Console.json(bond.json)
                } else {
                    Console.line("deleted the bond with \(TerminalText.safe(bond.label))")
                }
            }
            guard all else { return }
            try SavedBonds.forgetAll(in: storage)
            Console.message("the own identity resolving key was renewed")
        }

        private func chosen(among bonds: [BondedPeripheral]) throws -> [BondedPeripheral] {
            guard let device else { return bonds }
            let selector = DeviceSelector(device)
            let candidates = bonds.map {
                DeviceSelector.Candidate(id: $0.id, name: $0.name, address: $0.address?.text, rssi: nil)
            }
            switch selector.choose(among: candidates.uniqued, nil) {
            case .success(let candidate): return bonds.filter { $0.id == candidate.id }
            case .failure(.none):
                throw ProgramError(.notFound, "there is no bond with \(selector); 'harald bonds' lists the bonds")
            case .failure(.several(let several)):
                throw ProgramError(
                    .notFound,
                    "\(several.count) bonds match; use an address:" + several.map { "\n  \($0.line)" }.joined())
            }
        }
    }
}

/// The options for the location of bonds and for the output.
struct BondPlace: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The directory that contains the bonds (default: the user's data directory).", valueName: "directory"),
        completion: .directory)
    var store: String?

    @Flag(help: "Print JSON Lines, one object per line, on standard output; messages go to standard error.")
    var json = false

    /// Returns the storage of the bonds.
    /// - Throws: ``ProgramError`` if the specified directory does not exist.
    func storage() throws -> AdapterOptions.Storage {
        try SharedOptions.check(store: store)
        return store.map { .directory($0) } ?? .automatic
    }
}

extension BondedPeripheral {
    fileprivate var label: String {
        let text = address?.text ?? id.description
        return name.map { "'\($0)' (\(text))" } ?? text
    }
}

extension [DeviceSelector.Candidate] {
    /// Removes duplicates: a device may be bonded with several local addresses.
    fileprivate var uniqued: Self {
        var known: Set<PeripheralID> = []
        return filter { known.insert($0.id).inserted }
    }
}
