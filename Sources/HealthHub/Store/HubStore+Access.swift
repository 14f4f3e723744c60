import Foundation
import GRDB

/// The states that gateways may read.
///
/// `gateway_person` lists the people of whom a gateway has posted a reading, new or known. `gateway_device` lists the
/// devices, by user index, of which it has posted readings; the index -1 means none. When a device is assigned to
/// another person, the access of its gateways follows. Both begin again with each token.
extension HubStore {
    package func gateway(_ name: String, hasReadingsOf person: Int64) throws -> Bool {
        try database.read { db in
            try db.isTrue(
                """
                SELECT EXISTS(SELECT 1 FROM gateway_person JOIN gateway ON gateway.id = gateway_id
                WHERE gateway.name = ? AND person_id = ?)
                """, [name, person])
        }
    }

    /// Lets the gateways of devices read the state of the person to whom the devices are assigned.
    /// - Parameter condition: an SQL condition that selects devices and user indexes.
    static func grantAccess(
        to person: Int64, where condition: String, _ arguments: StoreArguments, _ db: any StoreConnection
    ) throws {
        try db.run(
            """
            INSERT INTO gateway_person(gateway_id, person_id)
            SELECT DISTINCT gateway_id, CAST(? AS BIGINT) FROM gateway_device WHERE (\(condition))
            ON CONFLICT DO NOTHING
            """, [person] + arguments)
    }

    /// Ends the access of gateways to the state of a person who has no reading of their devices any more.
    static func removeLostAccess(to person: Int64, _ db: any StoreConnection) throws {
        try db.run(
            """
            DELETE FROM gateway_person WHERE person_id = ? AND NOT EXISTS(
                SELECT 1 FROM gateway_device JOIN reading ON reading.device_id = gateway_device.device_id
                AND coalesce(reading.user_index, -1) = gateway_device.user_index
                WHERE gateway_device.gateway_id = gateway_person.gateway_id AND reading.person_id = ?)
            """, [person, person])
    }

    /// Ends the access of a gateway: a later token with the same name may belong to another one.
    static func removeAccess(ofGateway name: String, _ db: any StoreConnection) throws {
        for table in ["gateway_person", "gateway_device"] {
            try db.run("DELETE FROM \(table) WHERE gateway_id IN (SELECT id FROM gateway WHERE name = ?)", [name])
        }
    }

    /// Gives the gateways of a device to the one into which it is merged.
    static func moveSenders(of other: Int64, to device: Int64, _ db: any StoreConnection) throws {
        try db.run(
            """
            INSERT INTO gateway_device(gateway_id, device_id, user_index)
            SELECT gateway_id, CAST(? AS BIGINT), user_index FROM gateway_device WHERE device_id = ?
            ON CONFLICT DO NOTHING
            """, [device, other])
        try db.run("DELETE FROM gateway_device WHERE device_id = ?", [other])
    }

    /// Removes the gateways of user indexes of a device that have no reading any more.
    static func forgetSenders(of device: Int64, _ db: any StoreConnection) throws {
        try db.run(
            """
            DELETE FROM gateway_device WHERE device_id = ? AND NOT EXISTS(
                SELECT 1 FROM reading WHERE reading.device_id = gateway_device.device_id
                AND coalesce(reading.user_index, -1) = gateway_device.user_index)
            """, [device])
    }
}
