#if Programs
import ArgumentParser
import WebServer

/// The options for the address and the access control of a web server.
struct ServerOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            The address to listen on; port 0 is a free one (default: 127.0.0.1 with port 8480 for 'serve', 8093 for \
            'hub').
            """,
            valueName: "address:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "A further name by which browsers may reach the server; may be given several times.", valueName: "name"))
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file of the token for programs, made where it is missing (default: in the user's data directory).",
            valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("The file with the password to log in with, needed beyond loopback.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("The certificate chain, PEM; needs --key.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, PEM.", valueName: "file"))
    var key: String?

    func validate() throws {
        if let listen {
            guard let address = ListenAddress(listen) else {
                throw ValidationError("--listen is ADDRESS:PORT, such as 127.0.0.1:8480 or [::1]:0")
            }
            if !address.isLoopback, passwordFile == nil {
                throw ValidationError(
                    "\(listen) can be reached from other machines: --password-file is needed, or listen on 127.0.0.1")
            }
        }
        if (certificate == nil) != (key == nil) { throw ValidationError("--certificate and --key go together") }
    }

    /// Returns the address to listen on.
    /// - Parameter port: the port if the user specifies none.
    /// - Throws: ``ProgramError`` if the option is no address.
    func address(port: Int) throws -> ListenAddress {
        let text = listen ?? "127.0.0.1:\(port)"
        guard let address = ListenAddress(text) else { throw ProgramError(.usage, "'\(text)' is no ADDRESS:PORT") }
        return address
    }

    func apply(to configuration: inout WebServerConfiguration) {
        configuration.hostNames = host
        configuration.passwordFile = passwordFile
        configuration.tokenFile = tokenFile
        if let certificate, let key { configuration.encryption = .files(certificate: certificate, key: key) }
    }
}

extension ProgramError {
    /// Converts an error of the web server.
    init(_ error: WebServerError) {
        switch error {
        case .addressInUse, .cannotListen: self.init(.noAdapter, "\(error)")
        case .passwordRequired: self.init(.usage, "\(error)")
        case .fileNotPrivate, .unusableFile: self.init(.failed, "\(error)")
        }
    }
}
#endif
