import Foundation
import GRDB

/// A program that sent readings.
package struct StoredGateway: Sendable, Equatable, Encodable {
    /// The name: that of its token, or the one that a token of another role specified in the reading.
    package var name: String
    /// The time at which readings last arrived.
    package var lastContact: Date
    /// The number of people whose readings arrived.
    package var people: Int
    /// True if a token with this name exists.
    package var hasToken: Bool
}

extension HubStore {
    /// Returns all gateways, the most recently heard first.
    package func gateways() throws -> [StoredGateway] {
        try database.read { db in
            try db.rows(
                """
                SELECT name, last_contact,
                (SELECT count(*) FROM gateway_person WHERE gateway_id = gateway.id) AS people,
                EXISTS(SELECT 1 FROM token WHERE token.name = gateway.name) AS token
                FROM gateway ORDER BY last_contact DESC, name
                """
            ).map { row in
                StoredGateway(
                    name: row["name"], lastContact: row.date("last_contact"),
                    people: row["people"], hasToken: row["token"])
            }
        }
    }
}
