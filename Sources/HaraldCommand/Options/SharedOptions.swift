import Adapters
import ArgumentParser
import BluetoothTransport
import Foundation
import Harald

/// The options of every command that uses an adapter.
struct SharedOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("adapter"),
        help: ArgumentHelp(
            "The adapter: auto, virtual:[SCENE], tcp:HOST:PORT, unix:PATH, serial:DEVICE,BAUD, hci:N, bluez:hciN, ... "
                + "(default: $HARALD_ADAPTER, else auto)", valueName: "uri"), completion: Completions.adapters)
    var adapters: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Timeout of the whole command. Without it, each operation times out after 10 seconds.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print JSON Lines, one object per line, on standard output; messages go to standard error.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write every HCI packet to a btsnoop file, for Wireshark and btmon.", valueName: "file"))
    var capture: String?

    @Flag(help: "Include keys in the capture, which otherwise has zeros instead; only the user can read the file.")
    var captureKeys = false

    @Flag(help: "Show every packet on standard error as it passes, as 'harald dissect' does.")
    var trace = false

    @Option(
        help: ArgumentHelp(
            "An existing directory for bonds and known devices (default: the user's data "
                + "directory; on the virtual radio, none).", valueName: "directory"), completion: .directory)
    var store: String?

    @Flag(help: "Use resolvable private addresses, renewed every 15 minutes, which only bonded devices can resolve.")
    var privateAddress = false

    @Flag(help: "Require LE Secure Connections with authentication: a comparison or a passkey.")
    var secureOnly = false

    @Option(
        help: ArgumentHelp(
            "Minimum encryption key size, 7 to 16 octets (default: 16).", valueName: "octets"))
    var minimumKeySize: UInt8?

    @Option(help: UserNames.help)
    var names: String?

    @Option(help: UserFormats.help, completion: .file())
    var formats: String?

    @Flag(name: [.customShort("v"), .long], help: "Report each step on standard error.")
    var verbose = false

    /// The adapter; nil for `$HARALD_ADAPTER` or the default. Only `harald bluez` and `harald gateway` take several.
    /// - Throws: ``ProgramError`` for several adapters.
    var adapter: String? {
        get throws {
            if adapters.count > 1 { throw ProgramError(.usage, "--adapter can be given once") }
            return adapters.first
        }
    }

    func validate() throws {
        if let timeout, !(timeout >= 0 && timeout <= 1e6) {
            throw ValidationError("--timeout must be a number of seconds from 0 to 1000000")
        }
        if captureKeys && capture == nil { throw ValidationError("--capture-keys requires --capture") }
        if let minimumKeySize, !(7...16).contains(minimumKeySize) {
            throw ValidationError("--minimum-key-size must be a number from 7 to 16")
        }
    }

    /// Checks that the specified directory exists: a mistyped path would be a store without bonds.
    /// - Throws: ``ProgramError`` if it does not exist.
    func checkStore() throws { try Self.check(store: store) }

    static func check(store: String?) throws {
        guard let store else { return }
        var status = stat()
        guard stat(store, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ProgramError(
                .notFound, "--store \(store) does not exist; create it with 'mkdir -p \(Invocation.quoted(store))'"
            )
        }
    }

    /// Rejects a timeout of 0, which only a scan takes as no limit.
    /// - Throws: ``ProgramError`` for a timeout of 0.
    func checkTimeout() throws {
        if timeout == 0 { throw ProgramError(.usage, "--timeout must be a number of seconds above 0, up to 1000000") }
    }

    /// The timeout of each operation; 10 s by default.
    var patience: Duration { .seconds(timeout ?? 10) }

    /// The timeout of an operation that may lead to pairing, which may require a person to answer: at least 60 s at a
    /// terminal. ``CommandDeadline`` enforces `--timeout` for the whole command and does not count the time of a
    /// question.
    var pairingPatience: Duration {
        TerminalInput.isInteractive ? max(.seconds(60), patience + .seconds(1)) : patience
    }

    var adapterOptions: AdapterOptions {
        var options = AdapterOptions(
            captureFile: capture, capturesKeys: captureKeys, storage: store.map { .directory($0) } ?? .automatic,
            privateAddressRotationInterval: privateAddress ? .seconds(900) : nil,
            security: SecurityPolicy(minimumKeySize: minimumKeySize ?? 16, requiresSecureConnections: secureOnly))
        if trace { options.captureTap = LiveTrace.shared.tap }
        return options
    }

    /// The options for the user's air, whose controllers have a new address in each run. Bonds are stored there only if
    /// the user specifies a store, which requires a fixed address.
    /// - Throws: an error of reading or storing the address.
    func adapterOptions(onAirFor role: String) throws -> AdapterOptions {
        var options = adapterOptions
        if store == nil {
            options.storage = .none
        } else {
            options.address = .randomStatic(try SavedBonds.ownAddress(for: role, in: options.storage))
        }
        return options
    }

    /// The options for an adapter given by its URI. A socket may lead to another program's air, or to a simulated
    /// controller that always sends with its random address, as those of Bumble do. Therefore a static random address
    /// is used without a store too.
    /// - Throws: an error of reading or storing the address.
    func adapterOptions(at uri: String, for role: String) throws -> AdapterOptions {
        let text = uri
        guard let uri = try? AdapterURI(uri) else { return adapterOptions }
        switch uri {
        case .tcp, .tcpServer, .unix, .seq:
            guard store == nil else { return try adapterOptions(onAirFor: role) }
            var options = adapterOptions
            // Each program on a shared air needs an address of its own.
            options.addressRole = "\(role) \(text)"
            return options
        case .auto, .virtual, .serial, .hci, .bluez: return adapterOptions
        }
    }

    /// Prints a message if `--verbose` is given.
    func note(_ text: @autoclosure () -> String) {
        if verbose { Console.message(text()) }
    }
}
