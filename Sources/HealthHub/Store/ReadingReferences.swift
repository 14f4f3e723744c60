import Foundation

/// A device and one of its users; the user is nil if the device does not tell its users apart.
struct DeviceUser: Hashable {
    let device: Int64
    let user: Int?
}

/// Finds the rows that the readings of one transaction refer to: gateways, devices and people. Creates gateways and
/// devices that are new, and caches what the transaction does not change.
struct ReadingReferences {
    private let db: any StoreConnection
    private var gateways: [String: Int64] = [:]
    private var devices: [SubmittedReading.Device: FoundDevice] = [:]
    private var related: [Int64: [Data]] = [:]
    private var owners: [DeviceUser: Int64?] = [:]
    private var people: [Int64: Person] = [:]
    /// True if devices were merged since ``forgetDevices()``. What was found before may refer to a device that was
    /// merged.
    private(set) var hasMerged = false
    /// The devices that were found in the store since ``takeContacts()``.
    private var contacts: Set<Int64> = []

    init(_ db: any StoreConnection) { self.db = db }

    /// Returns the gateway with a name, and sets the time of its contact.
    mutating func gateway(_ name: String, _ arrived: Date) throws -> Int64 {
        if let id = gateways[name] { return id }
        let seconds = Int64(arrived.timeIntervalSince1970)
        // Mostly true with many batches, and writes nothing.
        let known: Int64? = try db.value("SELECT id FROM gateway WHERE name = ? AND last_contact = ?", [name, seconds])
        let id: Int64? =
            try known
            ?? db.value(
                """
                INSERT INTO gateway(name, last_contact) VALUES (?, ?)
                ON CONFLICT(name) DO UPDATE SET last_contact = excluded.last_contact RETURNING id
                """, [name, seconds])
        guard let id else { throw HubProblem(.unavailable, "the store did not assign an identifier to a gateway") }
        gateways[name] = id
        return id
    }

    // MARK: Devices

    mutating func device(_ device: SubmittedReading.Device) throws -> FoundDevice {
        if let found = devices[device] { return found }
        var found = try HubStore.device(of: device, db)
        contacts.insert(found.id)
        if found.wasMerged {
            hasMerged = true
            found.wasMerged = false
        }
        if found.hasNewRelatives {
            // Devices that were found before may have relatives now.
            (devices, related) = ([:], [:])
            found.hasNewRelatives = false
        }
        // A device without a serial number may be another device for the next reading.
        if device.serial != nil { devices[device] = found }
        return found
    }

    /// Returns the seeds of the rows of other devices that may have readings of the device.
    mutating func related(_ device: FoundDevice) throws -> [Data] {
        guard device.hasRelatives else { return [] }
        if let known = related[device.id] { return known }
        let found = try HubStore.relatedSeeds(of: device.id, db)
        related[device.id] = found
        return found
    }

    /// Forgets the devices after a merger, so that they are found again.
    mutating func forgetDevices() { (devices, related, owners, hasMerged) = ([:], [:], [:], false) }

    mutating func takeContacts() -> Set<Int64> {
        defer { contacts = [] }
        return contacts
    }

    // MARK: People

    /// Returns the person to whom the device's readings of a user belong.
    mutating func owner(of key: DeviceUser) throws -> Int64? {
        if let owner = owners[key] { return owner }
        let owner = try HubStore.owner(of: key.device, user: key.user, db)
        owners[key] = .some(owner)
        return owner
    }

    mutating func person(_ id: Int64?) throws -> Person? {
        guard let id else { return nil }
        if let person = people[id] { return person }
        let person = try HubStore.person(id, db)
        people[id] = person
        return person
    }
}
