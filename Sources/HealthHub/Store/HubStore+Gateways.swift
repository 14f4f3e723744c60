#if Programs
import Foundation
import GRDB

/// A program from which readings came.
package struct StoredGateway: Sendable, Equatable, Encodable {
    /// Name: that of its token, or the one that a token of another role gave in the reading.
    package var name: String
    /// When readings came last.
    package var lastContact: Date
    /// Number of people of whom readings came.
    package var people: Int
    /// There is a token of that name, which is not revoked.
    package var hasToken: Bool
}

extension HubStore {
    /// All gateways, the one that was heard last first.
    package func gateways() throws -> [StoredGateway] {
        try pool.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT name, last_contact,
                    (SELECT count(*) FROM gateway_person WHERE gateway_id = gateway.id) AS people,
                    EXISTS(SELECT 1 FROM token WHERE token.name = gateway.name) AS token
                    FROM gateway ORDER BY last_contact DESC, name
                    """
            ).map { row in
                StoredGateway(
                    name: row["name"], lastContact: Date(timeIntervalSince1970: Double(row["last_contact"] as Int64)),
                    people: row["people"], hasToken: row["token"])
            }
        }
    }
}
#endif
