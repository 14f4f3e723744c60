/// Writes what follows from the readings of one transaction: the contacts of gateways and devices, and the messages for
/// receivers.
struct ReadingEffects {
    private struct GatewayPerson: Hashable { let gateway, person: Int64 }

    private struct GatewayDevice: Hashable {
        let gateway: Int64
        let device: DeviceUser
    }

    private let db: any StoreConnection
    private var noted: Set<GatewayPerson> = []
    private var notedDevices: Set<GatewayDevice> = []
    private var lanes: Set<LaneKey> = []
    private var knownReceivers: [Receiver]?
    /// True if messages for receivers were queued.
    private(set) var hasMessages = false

    init(_ db: any StoreConnection) { self.db = db }

    /// Records that readings of the person arrived through the gateway, which may then read the person's state.
    mutating func note(_ gateway: Int64, sentReadingsOf person: Int64) throws {
        guard noted.insert(GatewayPerson(gateway: gateway, person: person)).inserted else { return }
        try db.run(
            "INSERT INTO gateway_person(gateway_id, person_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [gateway, person])
    }

    /// Records that readings of the device arrived through the gateway, whose access follows the device's assignment.
    mutating func note(_ gateway: Int64, sentReadingsOf device: DeviceUser) throws {
        guard notedDevices.insert(GatewayDevice(gateway: gateway, device: device)).inserted else { return }
        try db.run(
            """
            INSERT INTO gateway_device(gateway_id, device_id, user_index) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
            """, [gateway, device.device, device.user ?? HubStore.anyUser])
    }

    /// Queues a message with a new reading of a person for each receiver.
    mutating func enqueue(_ reading: Int64, of person: Int64) throws {
        for receiver in try receivers() {
            try HubStore.enqueue(reading, person, receiver.id, isRetraction: false, db)
            lanes.insert(LaneKey(receiver: receiver.id, person: person))
            hasMessages = true
        }
    }

    /// Sets the time of contact of the devices, and adds the lanes of the new messages, sorted: all transactions lock
    /// rows in the same order, which prevents deadlocks.
    mutating func finish(contacts: Set<Int64>) throws {
        let now = HubStore.now
        for device in contacts.sorted() {
            try db.run(
                "UPDATE device SET last_contact = ? WHERE id = ? AND (last_contact < ? OR last_contact IS NULL)",
                [now, device, now])
        }
        for lane in lanes.sorted() { try db.run(db.dialect.laneInsertion, [lane.receiver, lane.person]) }
        lanes = []
    }

    private mutating func receivers() throws -> [Receiver] {
        if let knownReceivers { return knownReceivers }
        let receivers = try HubStore.receivers(db)
        knownReceivers = receivers
        return receivers
    }
}
