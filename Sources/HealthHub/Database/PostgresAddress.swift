import CPostgres
import Foundation

/// The address of a store in PostgreSQL: `postgres://USER@HOST/DATABASE`, with the parameters that libpq accepts.
package struct PostgresAddress: Sendable, Equatable {
    /// The address, which may contain a password.
    let text: String

    /// Returns nil if the text is the path of a file.
    /// - Throws: ``HubProblem`` for an invalid address, and if libpq is not installed.
    package init?(_ text: String) throws {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix) else { return nil }
        if let problem = harald_pq_problem() {
            throw HubProblem(.unavailable, "the store is in PostgreSQL, but \(String(cString: problem))")
        }
        if let problem = harald_pq_check(text) {
            let reason = String(cString: problem).trimmingCharacters(in: .whitespacesAndNewlines)
            throw HubProblem(.invalid, "the address of the store is invalid: \(reason)")
        }
        self.text = text
        try PostgresEncryption.check(mode: parameter("sslmode"), root: parameter("sslrootcert"))
    }

    private func parameter(_ name: String) -> String? {
        guard let value = harald_pq_parameter(text, name) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }

    /// The address without the password, for display.
    package var shown: String {
        var shown = text.replacing(/^([a-z]+:\/\/[^\/?@:]*):[^\/?@]*@/) { "\($0.1)@" }
        shown = shown.replacing(/([?&]password=)[^&]*/) { "\($0.1)..." }
        return shown
    }

    /// Texts that the reasons of failed connections contain, and the way to correct these.
    private static let advice: [(parts: [String], text: String)] = [
        (["authentication failed"], "check the user and the password, and pg_hba.conf of the server"),
        (["database \"", "does not exist"], "create it: createdb --encoding UTF8 NAME"),
        (["role \"", "does not exist"], "create it: createuser NAME, or choose another user in the address"),
        (["does not match host name"], "use the name that the certificate contains as the host of the address"),
        (["root certificate file"], "name the file of the certificates with sslrootcert"),
        (
            ["certificate verify failed"],
            "sslrootcert must contain the authority that signed the certificate, which must be valid now"
        ),
        (["server does not support SSL"], "configure TLS at the server (ssl = on)"),
        (["no encryption", "pg_hba.conf"], "the server requires TLS; use sslmode=verify-full"),
    ]

    /// Returns the error of a failed connection, with the way to correct it.
    func failure(_ message: String, needsPassword: Bool) -> PostgresError {
        let reason = message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
        let known = Self.advice.first { $0.parts.allSatisfy(reason.contains) }?.text
        if let advice = needsPassword ? "put the password into ~/.pgpass (mode 0600) or PGPASSWORD" : known {
            let sentence = reason.hasSuffix(".") ? reason.dropLast() : reason[...]
            return PostgresError(state: "", message: "\(sentence); \(advice)", isLost: true, isPermanent: true)
        }
        let isMissing = reason.contains("No such file") || reason.contains("Connection refused")
        return PostgresError(
            state: "", message: reason + (isMissing ? "; start the server, or correct the address" : ""), isLost: true)
    }
}
