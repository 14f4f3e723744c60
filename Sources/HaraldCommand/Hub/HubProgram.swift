#if Programs
import Adapters
import ArgumentParser
import Explorer
import Foundation
import HealthHub
import HealthHubWeb
import WebServer

/// `harald hub`
struct HubProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub", abstract: "Keep readings of health devices, and say in which ranges they lie.",
        discussion: """
            The hub takes readings that programs post, stores each once, and answers with the range of each reading \
            and the state of the person. It is no medical device. The store is one SQLite file; the commands of \
            administration work beside a hub that runs.

            EXAMPLES
              harald hub --store hub.sqlite
              harald hub person add 'Anna' --born 1961-04-30 --store hub.sqlite
              harald hub assign 'bp monitor' 1 --store hub.sqlite
              harald hub token add kitchen --store hub.sqlite
            """,
        subcommands: [
            Serve.self, HubTokenCommand.self, HubPersonCommand.self, HubAssignCommand.self, HubDevicesCommand.self,
            HubGatewaysCommand.self,
            HubBackupCommand.self, HubRestoreCommand.self, HubExportCommand.self,
            HubForwardCommand.self, HubRulesCommand.self, HubUserCommand.self, HubAuditCommand.self,
        ], defaultSubcommand: Serve.self)

    /// `harald hub serve`, and `harald hub` alone
    struct Serve: ProgramCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Run the hub until Ctrl-C.",
            discussion: """
                Listens on loopback unless --listen names another address; beyond loopback it needs --password-file \
                and encrypts: with --certificate and --key, or with a certificate that is made at the first start, \
                whose fingerprint is printed. With --json the first line is {"event":"listening","url":...}.
                """)

        @OptionGroup var server: ServerOptions

        @Flag(help: "Show a hub with a month of simulated history, a simulated clinic, and a monitor that sends.")
        var demo = false

        @OptionGroup var place: HubPlace

        func validate() throws {
            if demo, place.store != nil { throw ValidationError("--demo has a store of its own; leave --store out") }
        }

        func perform() async throws {
            let demonstration = demo ? try HubDemo() : nil
            defer { demonstration?.remove() }
            let server = try HubServer(
                path: try demonstration?.store ?? place.path(), listen: server.address(port: 8093),
                configure: server.apply)
            let asJSON = place.json
            do {
                try await server.run { listening in
                    if asJSON {
                        var object: [String: JSONValue] = [
                            "event": "listening", "url": .string(listening.base),
                            "tokenFile": .string(listening.tokenFile),
                        ]
                        if let url = server.makeLoginURL() { object["login"] = .string(url) }
                        if let fingerprint = listening.fingerprint { object["fingerprint"] = .string(fingerprint) }
                        Console.json(.object(object))
                    } else {
                        Console.line("the hub listens at \(listening.base); Ctrl-C ends it")
                        if let url = server.makeLoginURL() { Console.line("its pages, for one browser: \(url)") }
                        if demonstration != nil {
                            Console.line("everything here is simulated (HTEST) and goes when the hub ends")
                        }
                        if let fingerprint = listening.fingerprint {
                            Console.line("SHA-256 fingerprint of its certificate: \(fingerprint)")
                        }
                    }
                    demonstration?.start(url: listening.base, json: asJSON)
                }
                await demonstration?.stop()
            } catch let error as WebServerError {
                throw ProgramError(error)
            }
            try Task.checkCancellation()
        }
    }
}

/// The options for the hub's store and for the output.
struct HubPlace: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The file of the store (default: hub.sqlite in the user's data directory).", valueName: "file"))
    var store: String?

    @Flag(help: "Print JSON Lines, one object a line, on standard output; messages go to standard error.")
    var json = false

    /// Returns the path of the store, and creates the user's data directory if the store is there.
    /// - Throws: ``ProgramError`` if the path cannot be used, or an error of creating the directory.
    func path() throws -> String {
        if let store {
            // NSString.deletingLastPathComponent of Foundation 6.3 traps on a name of one character.
            let directory = store.lastIndex(of: "/").map { String(store[...$0]) } ?? "."
            guard FileManager.default.fileExists(atPath: directory) else {
                throw ProgramError(.notFound, "there is no directory \(directory); make it, or name another --store")
            }
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: store, isDirectory: &isDirectory), isDirectory.boolValue {
                throw ProgramError(.notFound, "\(store) is a directory; name a file with --store")
            }
            return store
        }
        guard let directory = AdapterOptions.Storage.automatic.directory(isVirtual: false) else {
            throw ProgramError(.usage, "there is no home directory; name a file with --store")
        }
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return directory + "/hub.sqlite"
    }
}
#endif
