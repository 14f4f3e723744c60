import CPostgres
import Foundation

/// The encryption of a connection to a PostgreSQL server, by the parameters `sslmode` and `sslrootcert`.
struct PostgresEncryption: Sendable, Equatable {
    /// The values of `sslmode`. The others permit an unencrypted connection.
    private static let (modes, strictModes) = (
        ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"], ["require", "verify-ca", "verify-full"]
    )

    /// The value of `sslmode`.
    var mode: String
    /// True if certificates are compared with a file.
    var hasRoot: Bool
    /// The name of the server; the directory of a Unix socket.
    var host: String
    /// The IP address of the server; empty for a Unix socket.
    var address: String
    /// True if the connection uses TLS.
    var isActive: Bool

    /// True if the server is on this machine.
    private var isLocal: Bool { address.isEmpty || address == "::1" || address.hasPrefix("127.") }

    /// Checks the parameters of an address.
    /// - Throws: ``HubProblem`` for values that libpq ignores or refuses.
    static func check(mode: String?, root: String?) throws {
        let mode = mode ?? ProcessInfo.processInfo.environment["PGSSLMODE"] ?? "prefer"
        guard modes.contains(mode) else {
            throw HubProblem(.invalid, "'\(mode)' is not an sslmode; use \(modes.joined(separator: ", "))")
        }
        // `system` is the certificates of the machine, from libpq 16 on.
        guard let root, root != "system" else { return }
        guard strictModes.contains(mode) else {
            throw HubProblem(.invalid, "sslrootcert has no effect with sslmode=\(mode); use sslmode=verify-full")
        }
        guard FileManager.default.isReadableFile(atPath: root) else {
            throw HubProblem(.invalid, "cannot read the certificates in \(root); correct sslrootcert")
        }
    }

    /// Throws if the parameters require encryption that the connection does not have, and for an unencrypted connection
    /// to another machine unless `sslmode=disable` permits it.
    /// - Throws: ``PostgresError``.
    func check() throws {
        guard !isActive else { return }
        var reason: String?
        if Self.strictModes.contains(mode) {
            reason =
                address.isEmpty
                ? "a Unix socket has no TLS, which sslmode=\(mode) requires; remove sslmode, or use a host name"
                : "the connection to \(host) has no TLS, which sslmode=\(mode) requires"
        } else if !isLocal, mode != "disable" {
            reason = """
                the connection to \(host) is not encrypted; use sslmode=verify-full and configure TLS at the server, \
                or permit it with sslmode=disable
                """
        }
        if let reason { throw PostgresError(state: "", message: reason, isLost: true, isPermanent: true) }
    }

    /// The risk of a connection to another machine; nil if there is none.
    var warning: String? {
        if isLocal { return nil }
        if !isActive { return "the connection to \(host) is not encrypted: readings are sent as plain text" }
        if mode.hasPrefix("verify-") || (mode == "require" && hasRoot) { return nil }
        return "the certificate of \(host) is not verified; use sslmode=verify-full and sslrootcert"
    }
}
