import Adapters
import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb
import Synchronization
import WebServer

struct HubProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub", abstract: "Store readings of health devices, and report the ranges that contain them.",
        discussion: """
            The hub accepts readings that programs post, stores each once, and responds with the range of each reading \
            and the state of the person. It is not a medical device. The store is one SQLite file, \
            or a PostgreSQL database that several hubs share; the administration commands work while hubs are running.

            EXAMPLES
              harald hub --store hub.sqlite
              harald hub person add 'Anna' --born 1961-04-30 --store hub.sqlite
              harald hub assign 'bp monitor' 1 --store hub.sqlite
              harald hub token add kitchen --store hub.sqlite
            """,
        subcommands: [
            Serve.self, HubTokenCommand.self, HubPersonCommand.self, HubAssignCommand.self, HubUnassignCommand.self,
            HubDevicesCommand.self, HubGatewaysCommand.self, HubReadingCommand.self, HubNotifyCommand.self,
            HubBackupCommand.self, HubRestoreCommand.self, HubExportCommand.self, HubImportCommand.self,
            HubCopyCommand.self,
            HubForwardCommand.self, HubSimulateCommand.self, HubRulesCommand.self, HubUserCommand.self,
            HubAuditCommand.self,
        ], defaultSubcommand: Serve.self)

    /// `harald hub serve`, and `harald hub` alone
    struct Serve: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Run the hub until Ctrl-C.",
            discussion: """
                Listens on loopback unless --listen gives another address. On other addresses it requires \
                --password-file and uses TLS: with --certificate and --key, or with a certificate that is created at \
                the first start, whose fingerprint is printed: STORE.web/harald-hub-certificate.pem, which programs \
                trust with --tls-ca. With --json the first line is \
                {"event":"listening","url":...}, with base (the address without a login) and login (the URL that \
                logs one browser in), as of 'harald serve'. With TLS, a terminal also shows a QR code that logs one \
                phone in, drawn by libqrencode (Debian: apt install libqrencode4). If nobody is in the store yet, the pages ask who you are \
                and which devices are yours; so does the terminal, unless --json or --no-questions is used.
                """)

        enum Defaults: ServerDefaults {
            static let port = 8093
            static let tokenFile = "STORE.web/harald-hub-token"
        }

        @OptionGroup var server: ServerOptions<Defaults>

        @Flag(help: "Run a demonstration: a hub with a month of simulated history, a simulated clinic, and a monitor.")
        var demo = false

        @Option(
            help: ArgumentHelp(
                "Also run a monitor in this process, with this adapter, and a token of its own.", valueName: "adapter"))
        var monitor: String?

        @Option(
            help: ArgumentHelp(
                """
                The average number of requests per second of one token; ten seconds' requests may be sent at once. \
                Further ones are answered with 429. 0 for no limit.
                """, valueName: "N")) var rate = HubServer.requestsPerSecond

        @Flag(help: "With --monitor, pair with devices without asking.") var yes = false
        @Flag(help: "Do not ask on the terminal who uses a new hub.") var noQuestions = false
        @OptionGroup var place: HubPlace

        func validate() throws {
            if yes, monitor == nil { throw ValidationError("--yes is used with --monitor") }
            if demo, monitor != nil { throw ValidationError("--demo has a monitor of its own") }
            guard rate >= 0, rate.isFinite else { throw ValidationError("--rate must not be negative") }
            if demo, place.store != nil {
                throw ValidationError("--demo uses its own store and cannot be combined with --store")
            }
        }

        func perform() async throws {
            if let monitor { _ = try AdapterChoice(monitor) }
            let demonstration = demo ? try HubDemo(json: place.json) : nil
            defer { demonstration?.remove() }
            let monitor = HubMonitor(adapter: self.monitor, pairing: yes ? ["--yes"] : [], json: place.json)
            let server = try HubServer(
                store: try demonstration?.store ?? place.path(), directory: place.keys(),
                listen: server.address(), monitor: demo ? nil : monitor,
                configure: { configuration in
                    self.server.apply(to: &configuration)
                    configuration.limits.tokenRate = rate > 0 ? RequestRate(perSecond: rate) : nil
                })
            let asking = Mutex<Task<Void, Never>?>(nil)
            if let warning = server.warning { Console.message("warning: \(warning)") }
            // The monitor ends before the hub to which it sends.
            try await withTaskCancellationHandler {
                try await server.run { listening in
                    announce(listening, of: server)
                    demonstration?.start(url: listening.base)
                    if !demo {
                        let questions = await prepare(monitor, server, listening)
                        asking.withLock { $0 = questions }
                    }
                }
            } onCancel: {
                monitor.cancel()
            }
            asking.withLock { $0 }?.cancel()
            await monitor.stop()
            await demonstration?.stop()
            try Task.checkCancellation()
        }

        /// Prints where the hub listens, and how a browser or a phone logs in.
        private func announce(_ listening: WebServer.Listening, of server: HubServer) {
            if place.json {
                Console.json(listening.json(url: listening.base, login: server.makeLoginURL()))
            } else {
                Console.line("the hub listens at \(listening.base); Ctrl-C stops it")
                if let url = server.makeLoginURL() { Console.line("login URL for one browser: \(url)") }
                if demo {
                    Console.line("all data is simulated (HTEST) and is deleted when the hub stops")
                }
                if let fingerprint = listening.fingerprint {
                    Console.line("SHA-256 fingerprint of the certificate: \(fingerprint)")
                    if listening.isReachable, let url = server.makeLoginURL() {
                        QRCode.show(url, "login URL for one phone:")
                    }
                }
            }
        }

        /// Starts the monitor if it was asked for, and the questions of a new hub.
        private func prepare(_ monitor: HubMonitor, _ server: HubServer, _ listening: WebServer.Listening) async
            -> Task<Void, Never>?
        {
            let isOwn = listening.fingerprint != nil && self.server.certificate == nil
            // The certificate does not name the address by which other machines reach a hub on all addresses.
            let local = "\(listening.fingerprint == nil ? "http" : "https")://127.0.0.1:\(listening.address.port)"
            let url = listening.address.isAny && self.server.certificate == nil ? local : listening.base
            monitor.use {
                let files = try await server.monitorFiles()
                let directory = URL(filePath: files.token).deletingLastPathComponent().path
                return HubMonitor.Target(
                    url: url, tokenFile: files.token, queue: files.queue,
                    certificates: isOwn ? directory + "/harald-hub-certificate.pem" : nil)
            }
            if self.monitor != nil { monitor.start() }
            let questions = HubFirstRun(server: server, monitor: monitor)
            guard !place.json, !noQuestions, await questions.isDue() else {
                // On the first day a person let the pages look for devices; nothing does so after a restart.
                if self.monitor == nil, TerminalInput.isInteractive {
                    Console.message("this hub only receives; --monitor auto also collects from the devices near")
                }
                return nil
            }
            return Task { await questions.run() }
        }
    }
}

/// The options for the hub's store and for the output.
struct HubPlace: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The store: a file (default: hub.sqlite in the user's data directory), or postgres://USER@HOST/DATABASE.",
            valueName: "file"))
    var store: String?

    @Flag(help: "Print JSON Lines, one object per line, on standard output; messages go to standard error.")
    var json = false

    /// Returns the path of the store, and creates the user's data directory if the store is there; or the address of
    /// the store in PostgreSQL.
    /// - Throws: ``ProgramError`` or ``HubProblem`` if the path cannot be used, or an error of creating the directory.
    func path() throws -> String {
        if let store, isAddress {
            guard try PostgresAddress(store) != nil else {
                throw ProgramError(.usage, "'\(store)' is not an address; use postgres://USER@HOST/DATABASE")
            }
            return store
        }
        if let store {
            // NSString.deletingLastPathComponent of Foundation 6.3 traps on a name of one character.
            let directory = store.lastIndex(of: "/").map { String(store[...$0]) } ?? "."
            guard FileManager.default.fileExists(atPath: directory) else {
                throw ProgramError(
                    .notFound, "the directory \(directory) does not exist; create it, or choose another --store")
            }
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: store, isDirectory: &isDirectory), isDirectory.boolValue {
                throw ProgramError(.notFound, "\(store) is a directory; --store must be a file")
            }
            // The lock and the socket are named after the store, so that a link to it must not have its own.
            guard let resolved = realpath(store, nil) else { return store }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        return try dataDirectory() + "/hub.sqlite"
    }

    /// True for a store in PostgreSQL.
    var isAddress: Bool { store?.contains("://") == true }

    /// Returns the directory for the keys of a hub whose store is in PostgreSQL; nil for a file, which has its own.
    /// - Throws: ``ProgramError``, or an error of creating the user's data directory.
    func keys() throws -> String? { isAddress ? try dataDirectory() + "/hub.web" : nil }

    private func dataDirectory() throws -> String {
        guard let directory = AdapterOptions.Storage.automatic.directory(isVirtual: false) else {
            throw ProgramError(.usage, "there is no home directory; choose a file with --store")
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return directory
    }
}
