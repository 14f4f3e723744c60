import ArgumentParser
import JSON
import WebServer

/// The defaults of a web server, which its help shows.
protocol ServerDefaults: Sendable {
    static var port: Int { get }
    /// The file with the token for programs.
    static var tokenFile: String { get }
}

/// The options for the address and the access control of a web server.
struct ServerOptions<Defaults: ServerDefaults>: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The address to listen on; port 0 selects a free port (default: 127.0.0.1:\(Defaults.port)).",
            valueName: "address:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "An additional host name that browsers may use for the server; can be repeated.", valueName: "name"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file with the token for programs; created if missing (default: \(Defaults.tokenFile)).",
            valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("The file with the login password; required beyond loopback.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("The certificate chain, PEM; requires --key.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, PEM.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the documentation, shown under /docs/ (default: that of the package harald-doc).",
            valueName: "folder"))
    var docs: String?

    func validate() throws {
        if let listen {
            guard let address = WebAddress(listen) else {
                throw ValidationError("--listen must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:0")
            }
            if !address.isLoopback, passwordFile == nil {
                throw ValidationError(
                    "other machines can reach \(listen): add --password-file, or listen on 127.0.0.1")
            }
        }
        if let docs, !DocumentationFolder(docs).exists {
            throw ValidationError("\(docs) has no index.html: 'make site' builds the documentation in .build/site")
        }
        if (certificate == nil) != (key == nil) {
            throw ValidationError("--certificate and --key must be used together")
        }
    }

    /// Returns the address to listen on.
    /// - Throws: ``ProgramError`` if the option is no address.
    func address() throws -> WebAddress {
        let text = listen ?? "127.0.0.1:\(Defaults.port)"
        guard let address = WebAddress(text) else {
            throw ProgramError(.usage, "'\(text)' is not of the form ADDRESS:PORT")
        }
        return address
    }

    func apply(to configuration: inout WebServerConfiguration) {
        configuration.hostNames = host
        configuration.passwordFile = passwordFile
        configuration.tokenFile = tokenFile
        if let docs { configuration.documentation = docs }
        if let certificate, let key { configuration.encryption = .files(certificate: certificate, key: key) }
    }
}

extension WebServer.Listening {
    /// Returns the addresses of the server.
    /// - Parameter login: the URL that logs one browser in; nil if none is needed.
    func json(url: String, login: String?) -> JSONValue {
        .known([
            "event": "listening", "url": .string(url), "base": .string(base), "tokenFile": .string(tokenFile),
            "login": login.map { .string($0) }, "fingerprint": fingerprint.map { .string($0) },
        ])
    }
}
