import BluetoothModel
import BluetoothProfiles
import Foundation
import GRDB

/// A reading in the store with its person, device and gateway.
package struct StoredReading: Sendable {
    /// The identifier in the store.
    package var id: Int64
    /// The first octets of the digest that identifies the reading, in hexadecimal.
    package var key: String
    /// The identifier of the person; nil if unassigned.
    package var person: Int64?
    package var personName, personIdentity: String?
    package var device: StoredDevice
    package var gateway: String?
    /// The identity of the store.
    package var hub: String?
    /// The identities of the hubs that the reading has passed before this one.
    package var hubs: [String]
    /// The time of the measurement, in true time.
    package var taken: Date
    /// The time of arrival at the hub.
    package var arrived: Date
    /// The time of reception as sent by the gateway (RFC 3339).
    package var received: String?
    /// The identifier of the gateway's queue, if it identifies the reading.
    package var sentID: String?
    /// The time of the measurement on the device's clock.
    package var deviceTime: String?
    /// True if the time on the device's clock identifies the reading; false if there is none, or the hub ignored it.
    let isClockUsed: Bool
    /// The device's clock minus true time, in seconds.
    package var clockOffset: Double?
    package var characteristic: String?
    /// The octets as received, in hexadecimal.
    package var hex: String?
    /// The decoded fields, if there are no octets.
    package var fields: String?
    package var isSimulated: Bool
    /// The reason why the reading does not count, although its measurement does; nil if it counts.
    package var exclusion: Exclusion?
    /// The measurement; nil if the octets cannot be decoded.
    package var measurement: HealthMeasurement?

    static let sql = """
        SELECT reading.*, person.name AS person_name, person.identity AS person_identity,
        gateway.name AS gateway_name, (SELECT identity FROM hub) AS hub_identity,
        device.serial, device.system_id, device.address, device.identifier, device.model,
        device.name AS device_name, device.alias, device.last_contact,
        (SELECT reason FROM decision WHERE decision.reading_id = reading.id) AS decision_reason
        FROM reading JOIN device ON device.id = reading.device_id LEFT JOIN person ON person.id = reading.person_id
        LEFT JOIN gateway ON gateway.id = reading.gateway_id
        """

    /// The SQL condition of readings that are not copies of other ones.
    static let isOriginal = "NOT EXISTS(SELECT 1 FROM duplicate WHERE reading_id = reading.id)"

    init(_ row: Row) {
        id = row["id"]
        key = (row["key"] as Data).hexText()
        person = row["person_id"]
        personName = row["person_name"]
        personIdentity = row["person_identity"]
        device = StoredDevice(
            id: row["device_id"], serial: row["serial"], systemID: row["system_id"], address: row["address"],
            model: row["model"], name: row["device_name"] ?? row["alias"])
        device.identifier = row["identifier"]
        gateway = row["gateway_name"]
        hub = row["hub_identity"]
        hubs = (row["hubs"] as String?)?.split(separator: " ").map(String.init) ?? []
        taken = row.date("taken")
        arrived = row.date("arrived")
        received = (row["received"] as Int64?).map(ReadingTime.text(microseconds:))
        sentID = row["sent_id"]
        deviceTime = row["device_time"]
        clockOffset = row["clock_offset"]
        characteristic = row["characteristic"]
        hex = (row["raw"] as Data?)?.hexText()
        fields = row["fields"]
        isSimulated = row["simulated"]
        exclusion = Exclusion.of(row)
        measurement = HealthMeasurement(row)
        isClockUsed = measurement?.isClockUnset != true && ReadingTime.isClockUsed(row)
        if let index: Int = row["user_index"] { measurement?.userIndex = index }
        if let exclusion { measurement?.exclude(exclusion, reason: row["decision_reason"]) }
    }

    /// True if exports and receivers get the reading as entered in error: its sender, or a person, has excluded it.
    var isRetracted: Bool { exclusion == .enteredInError || exclusion == .excluded }
}

extension HubStore {
    static func storedReading(_ id: Int64, _ db: any StoreConnection) throws -> StoredReading? {
        try db.row(StoredReading.sql + " WHERE reading.id = ?", [id])
            .map(StoredReading.init)
    }
}
