import HTTPTypes
import Hummingbird
import Logging

/// The settings of a ``WebServer``.
package struct WebServerConfiguration: Sendable {
    /// The source of the server's certificate.
    package enum Encryption: Sendable {
        /// None on loopback. On other addresses, a self-signed certificate that is created at the first start and kept
        /// in the store.
        case automatic
        /// A self-signed certificate that is created at the first start and kept in the store.
        case selfSigned
        /// Certificate chain and private key, PEM files.
        case files(certificate: String, key: String)
    }

    /// The limits of a server.
    package struct Limits: Sendable {
        /// The maximum size of a request body, in octets. Larger bodies are answered with 413.
        package var body = 1 << 20
        /// The maximum number of open connections; at most half of the descriptors that the process may open. At the
        /// limit, the connection whose client has kept the server waiting longest is closed.
        package var connections = 512
        /// The time for which a client may keep the server waiting at the limit of connections.
        package var patience = Duration.seconds(1)
        /// The number of wrong passwords that an address may send before it has to wait.
        package var passwordTries = 5
        /// The limit of the requests of each named token. `nil` for none.
        package var tokenRate: RequestRate?
        /// The time in which requests are finished after the server was stopped.
        package var ending = Duration.milliseconds(500)
        /// The time limit for sending a whole request, and for an idle connection. It begins again each time that
        /// ``progress`` octets of a body have arrived.
        package var idle = Duration.seconds(75)
        /// The number of octets of a body that must arrive within ``idle``.
        package var progress = 64 << 10
        /// The time limit for a client that acknowledges no data, or does not read (tcp(7), TCP_USER_TIMEOUT).
        package var unacknowledged = Duration.seconds(30)

        /// Creates the default limits.
        package init() {}
    }

    /// The address to listen on.
    package var listen: WebAddress
    /// Additional names that a browser may use for this server, with or without a port: `pi.local`, `pi.local:443`.
    package var hostNames: [String] = []
    /// The name of the program: a prefix of the cookie and of the files in the store.
    package var name: String
    /// The title of the login page.
    package var title: String
    /// The directory of the keys; created if missing, mode 0700.
    package var store: String
    /// The file of the bearer token; created if missing, mode 0600. `nil` for a file in the store.
    package var tokenFile: String?
    /// The file of the password or of its hash. Required beyond loopback.
    package var passwordFile: String?
    /// Looks up a named token of the application; returns `nil` for an unknown one. `nil` if there are none.
    package var namedToken: (@Sendable (Substring) async throws -> WebIdentity?)?
    /// The accounts of people. `nil` if there are none.
    package var accounts: (any WebAccounts)?
    /// The folder of the documentation, shown under `/docs/`.
    package var documentation = DocumentationFolder.installed
    /// The state that other servers share. `nil` for a server whose sessions are valid only there.
    package var shared: (any SharedWebState)?
    /// Called after each request, for metrics.
    package var observe: (@Sendable (_ method: String, _ status: Int, _ duration: Duration) -> Void)?
    /// Returns the response to a problem at a path whose clients expect another form; nil for the usual form.
    package var problemResponse: (@Sendable (_ problem: Problem, _ path: String) -> Response?)?
    /// Returns the language for a request with these header fields. In the page of the site, `{{language}}` stands for
    /// its tag.
    package var language: @Sendable (HTTPFields) -> any PageLanguage = { _ in EnglishPages() }
    /// The source of the certificate.
    package var encryption = Encryption.automatic
    /// The limits.
    package var limits = Limits()
    /// The logger.
    package var logger: Logger

    /// True if the server uses TLS.
    package var isEncrypted: Bool {
        if case .automatic = encryption { return !listen.isLoopback }
        return true
    }

    /// Creates a configuration with defaults for the rest.
    package init(listen: WebAddress, name: String, title: String, store: String, logger: Logger? = nil) {
        self.listen = listen
        self.name = name
        self.title = title
        self.store = store
        self.logger = logger ?? Logger(label: name)
    }
}
