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

    /// Returns the error of a failed connection, with the way to correct it.
    func failure(_ message: String, needsPassword: Bool) -> PostgresError {
        let reason = message.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
        let advice: String?
        if needsPassword {
            advice = "put the password into ~/.pgpass (mode 0600) or PGPASSWORD"
        } else if reason.contains("authentication failed") {
            advice = "check the user and the password, and pg_hba.conf of the server"
        } else if reason.contains("does not exist"), reason.contains("database \"") {
            advice = "create it: createdb --encoding UTF8 NAME"
        } else if reason.contains("does not exist"), reason.contains("role \"") {
            advice = "create it: createuser NAME, or choose another user in the address"
        } else {
            advice = PostgresEncryption.advice(for: reason)
        }
        if let advice {
            let sentence = reason.hasSuffix(".") ? reason.dropLast() : reason[...]
            return PostgresError(state: "", message: "\(sentence); \(advice)", isLost: true, isPermanent: true)
        }
        let isMissing = reason.contains("No such file") || reason.contains("Connection refused")
        return PostgresError(
            state: "", message: reason + (isMissing ? "; start the server, or correct the address" : ""), isLost: true)
    }
}
