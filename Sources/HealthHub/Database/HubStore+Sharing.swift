import Foundation

/// The state of web servers that share a store in PostgreSQL.
extension HubStore {
    /// Returns the secret with a name; stores `first` if there is none.
    /// - Throws: ``HubProblem`` or an error of the database.
    package func webSecret(_ name: String, first: [UInt8]) throws -> [UInt8] {
        try database.write(.rows) { db in
            try db.run("INSERT INTO web_secret(name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", [name, Data(first)])
            guard let value: Data = try db.value("SELECT value FROM web_secret WHERE name = ?", [name]) else {
                throw HubProblem(.unavailable, "the store has not kept the secret '\(name)'")
            }
            return [UInt8](value)
        }
    }

    package func isSessionEnded(_ id: String) throws -> Bool {
        try database.lookUp { try $0.isTrue("SELECT EXISTS(SELECT 1 FROM web_session_end WHERE id = ?)", [id]) }
    }

    /// Ends a session, and forgets those that have expired.
    package func endSession(_ id: String, expires: Int) throws {
        try database.write(.rows) { db in
            try db.run("INSERT INTO web_session_end(id, expires) VALUES (?, ?) ON CONFLICT DO NOTHING", [id, expires])
            try db.run("DELETE FROM web_session_end WHERE expires < ?", [Self.now])
        }
    }

    /// Uses a credit of a network for an attempt at a password.
    /// - Parameters:
    ///   - limit: the maximum number of credits.
    ///   - seconds: the time in which a credit is restored.
    /// - Returns: nil if there was one; else the seconds until there is one.
    package func takePasswordTry(of network: String, limit: Double, restoredIn seconds: Double) throws -> Double? {
        let now = Date().timeIntervalSince1970
        return try database.write(.rows) { db in
            // The row is locked until the end of the transaction.
            try db.run(
                "INSERT INTO web_attempts(network, tries, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [network, limit, now])
            let row = try db.row("SELECT tries, since FROM web_attempts WHERE network = ? FOR UPDATE", [network])
            let (tries, since) = (row?["tries"] as Double? ?? limit, row?["since"] as Double? ?? now)
            let credits = min(limit, tries + max(0, now - since) / seconds)
            guard credits >= 1 else { return (1 - credits) * seconds }
            try db.run(
                "UPDATE web_attempts SET tries = ?, since = ? WHERE network = ?", [credits - 1, now, network])
            // A network with all credits needs no row.
            try db.run("DELETE FROM web_attempts WHERE since < ?", [now - limit * seconds])
            return nil
        }
    }

    /// Returns the credit of a network that an attempt used.
    package func returnPasswordTry(of network: String) throws {
        _ = try database.write(.rows) {
            try $0.run("UPDATE web_attempts SET tries = tries + 1 WHERE network = ?", [network])
        }
    }
}
