#if Programs
import ArgumentParser
import BluetoothTransport
import Foundation
import Harald
import HostBackend

/// The options that every command on an adapter has.
struct SharedOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The adapter: auto, virtual:[SCENE], tcp:HOST:PORT, unix:PATH, serial:DEVICE,BAUD, hci:N, bluez:hciN, ... "
                + "(default: $HARALD_ADAPTER, else auto)", valueName: "uri"), completion: Completions.adapters)
    var adapter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "When to give up, in seconds: where it is given, the whole command, else 10 for each operation.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print JSON Lines, one object a line, on standard output; messages go to standard error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write every HCI packet to a btsnoop file, for Wireshark and btmon.", valueName: "file"))
    var capture: String?

    @Flag(help: "Let the capture have the keys, where otherwise zeros stand; only the user may read it then.")
    var captureKeys = false

    @Option(
        help: ArgumentHelp(
            "The directory where bonds and known devices are kept, which has to be there (default: the user's data "
                + "directory; on the virtual radio nowhere).", valueName: "directory"), completion: .directory)
    var store: String?

    @Flag(help: "Use private addresses, a new one every 15 minutes, that only bonded devices recognise.")
    var privateAddress = false

    @Flag(help: "Refuse whatever is not paired by LE Secure Connections with a comparison or a passkey.")
    var secureOnly = false

    @Option(
        help: ArgumentHelp(
            "The shortest key that is accepted, 7 to 16 octets (default: 16).", valueName: "octets"))
    var minimumKeySize: UInt8?

    @Option(help: UserNames.help)
    var names: String?

    @Flag(name: [.customShort("v"), .long], help: "Say on standard error what happens.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout >= 0 && timeout <= 1e6) {
            throw ValidationError("--timeout is a number of seconds from 0 to 1000000")
        }
        if captureKeys && capture == nil { throw ValidationError("--capture-keys needs --capture") }
        if let minimumKeySize, !(7...16).contains(minimumKeySize) {
            throw ValidationError("--minimum-key-size is a number from 7 to 16")
        }
    }

    /// A directory that the user names has to be there: a mistyped one would be a store without bonds.
    func checkStore() throws { try Self.check(store: store) }

    static func check(store: String?) throws {
        guard let store else { return }
        var status = stat()
        guard stat(store, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ProgramError(
                .notFound, "there is no directory \(store) for --store; 'mkdir -p \(Invocation.quoted(store))' makes it"
            )
        }
    }

    /// Only a scan goes on for ever with a timeout of 0; whatever else it limited could never succeed.
    func checkTimeout() throws {
        if timeout == 0 { throw ProgramError(.usage, "--timeout is a number of seconds above 0, up to 1000000") }
    }

    /// When to give up; 10 s unless said otherwise.
    var patience: Duration { .seconds(timeout ?? 10) }

    /// When to give up an operation that may lead to pairing, in which a person may have to be asked: at a terminal 60 s
    /// at least. The time that `--timeout` allows the command is counted by ``CommandDeadline``, which does not count the
    /// time of a question.
    var pairingPatience: Duration {
        TerminalInput.isInteractive ? max(.seconds(60), patience + .seconds(1)) : patience
    }

    /// What an adapter is opened with.
    var adapterOptions: AdapterOptions {
        AdapterOptions(
            captureFile: capture, capturesKeys: captureKeys, storage: store.map { .directory($0) } ?? .automatic,
            privateAddressTime: privateAddress ? .seconds(900) : nil,
            security: SecurityPolicy(minimumKeySize: minimumKeySize ?? 16, requiresSecureConnections: secureOnly))
    }

    /// The same for the user's air, whose controllers have another address in each run: what lives there is worth
    /// remembering only where the user says so, and needs an address that stays.
    func adapterOptions(onAirFor role: String) throws -> AdapterOptions {
        var options = adapterOptions
        if store == nil {
            options.storage = .none
        } else {
            options.address = .randomStatic(try SavedBonds.ownAddress(for: role, in: options.storage))
        }
        return options
    }

    /// The same for an adapter by its URI. Behind a socket may be somebody's air, or a simulated controller that sends in
    /// the name of its random address whichever is used, as Bumble's do: without a store too there is a static random one.
    func adapterOptions(at uri: String, for role: String) throws -> AdapterOptions {
        let text = uri
        guard let uri = try? AdapterURI(uri) else { return adapterOptions }
        switch uri {
        case .tcp, .tcpServer, .unix, .seq:
            guard store == nil else { return try adapterOptions(onAirFor: role) }
            var options = adapterOptions
            // Several programs on one air need an address each.
            options.addressRole = "\(role) \(text)"
            return options
        case .auto, .virtual, .serial, .hci, .bluez: return adapterOptions
        }
    }

    /// Says what happens, to those who want to know.
    func note(_ text: @autoclosure () -> String) {
        if verbose { Console.message(text()) }
    }
}
#endif
