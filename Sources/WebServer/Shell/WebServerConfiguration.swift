#if Programs
import Logging

/// The settings of a ``WebServer``.
package struct WebServerConfiguration: Sendable {
    /// The certificate of a server.
    package enum Encryption: Sendable {
        /// None on loopback. On other addresses, a certificate that is made at the first start and kept in the store.
        case automatic
        /// A certificate that is made at the first start and kept in the store.
        case selfSigned
        /// Certificate chain and private key, files in PEM.
        case files(certificate: String, key: String)
    }

    /// The limits of a server.
    package struct Limits: Sendable {
        /// The largest body of a request, in octets. Larger ones are answered with 413.
        package var body = 1 << 20
        /// Open connections. More of them wait until others are closed.
        package var connections = 512
        /// Wrong passwords from one address before it has to wait.
        package var passwordTries = 5
        /// The time a client has to send a whole request, and an idle connection is kept.
        package var idle = Duration.seconds(75)

        /// The limits above.
        package init() {}
    }

    /// The address to listen on.
    package var listen: ListenAddress
    /// More names that a browser may use for this server, with or without a port: `pi.local`, `pi.local:443`.
    package var hostNames: [String] = []
    /// The name of the program: a prefix of the cookie and of the files in the store.
    package var name: String
    /// The title of the login page.
    package var title: String
    /// The directory of the keys, made if absent, mode 0700.
    package var store: String
    /// The file of the bearer token, made if absent, mode 0600. `nil`: a file in the store.
    package var tokenFile: String?
    /// The file of the password or of its hash. Required beyond loopback.
    package var passwordFile: String?
    /// Looks up a named token of the application; `nil` for an unknown one. `nil`: there are none.
    package var namedToken: (@Sendable (Substring) -> WebIdentity?)?
    /// Accounts of people. `nil`: there are none.
    package var accounts: (any WebAccounts)?
    /// The certificate.
    package var encryption = Encryption.automatic
    /// The limits.
    package var limits = Limits()
    /// The log.
    package var logger: Logger

    /// Creates settings with defaults for the rest.
    package init(listen: ListenAddress, name: String, title: String, store: String, logger: Logger? = nil) {
        self.listen = listen
        self.name = name
        self.title = title
        self.store = store
        self.logger = logger ?? Logger(label: name)
    }
}
#endif
