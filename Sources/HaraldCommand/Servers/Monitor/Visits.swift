import BluetoothProfiles
import Harald

/// The devices being visited, and the records received from each.
actor Visits {
    private var busy: Set<PeripheralID> = []
    private var restUntil: [PeripheralID: ContinuousClock.Instant] = [:]
    /// The reasons why the last visits failed.
    private var failures: [PeripheralID: String] = [:]
    /// The number of services of each device that have not sent all stored records in this visit; nil until it is
    /// subscribed to all of them.
    private var transfers: [PeripheralID: Int] = [:]
    private var lastRecord: [PeripheralID: UInt16] = [:]
    /// The devices that were reset, and have not sent all their records since.
    private var restarted: Set<PeripheralID> = []
    /// Received values of devices that store records, so that none is reported twice.
    private var shown: [PeripheralID: Set<[UInt8]>] = [:]
    /// The maximum number of remembered values per device. Devices with more records are reported again.
    private static let mostShown = 65536

    /// The maximum number of concurrent visits, more than a controller has connections.
    private static let mostVisits = 256
    /// The maximum number of devices that are remembered. Anyone can advertise any number of addresses.
    private static let mostDevices = 1000

    /// Begins a visit, unless one is in progress, the device rests, or there are too many visits.
    func begin(_ id: PeripheralID) -> Bool {
        if let until = restUntil[id], ContinuousClock.now < until { return false }
        guard busy.count < Self.mostVisits, busy.insert(id).inserted else { return false }
        transfers[id] = nil
        return true
    }

    /// Begins to receive, with this number of services that store records.
    func beginRecords(_ id: PeripheralID, of services: Int) { transfers[id] = services }

    /// Ends a transfer that has sent all the records that were requested.
    /// - Parameter areNumbered: true for the records that ``wanted(_:)`` selects.
    func endRecords(_ id: PeripheralID, areNumbered: Bool) {
        transfers[id]? -= 1
        if areNumbered { restarted.remove(id) }
    }

    /// Returns true if the device has sent all its stored records in this visit.
    func hasAllRecords(_ id: PeripheralID) -> Bool { transfers[id].map { $0 <= 0 } ?? false }

    /// Returns true if the visit before did not fail for the same reason.
    func isNew(_ failure: String, of id: PeripheralID) -> Bool { failures[id] != failure }

    func end(_ id: PeripheralID, failure: String?, rest: Duration) {
        busy.remove(id)
        failures[id] = failure
        restUntil[id] = ContinuousClock.now + rest
        guard restUntil.count > Self.mostDevices,
            let oldest = restUntil.filter({ !busy.contains($0.key) }).min(by: { $0.value < $1.value })?.key
        else { return }
        (restUntil[oldest], failures[oldest], lastRecord[oldest], shown[oldest]) = (nil, nil, nil, nil)
        restarted.remove(oldest)
    }

    /// Returns the records to request: the last received one and those after it. A device that no longer has the last
    /// one was reset. Returns all records if none was received since a reset, or if the numbers begin again after the
    /// last one.
    func wanted(_ id: PeripheralID) -> StoredRecords {
        guard !restarted.contains(id), let last = lastRecord[id], last != .max else { return .all }
        return .atLeast(last)
    }

    /// Forgets the number of the last record of a device that was reset: its records have new numbers.
    func restart(_ id: PeripheralID) {
        lastRecord[id] = nil
        restarted.insert(id)
    }

    /// Returns true if this value was received before.
    func knows(_ value: [UInt8], _ id: PeripheralID) -> Bool { shown[id]?.contains(value) ?? false }

    /// Remembers a received value.
    func took(_ value: [UInt8], _ id: PeripheralID) {
        var values = shown.removeValue(forKey: id) ?? []
        if values.count >= Self.mostShown { values = [] }
        values.insert(value)
        shown[id] = values
    }

    func got(_ number: UInt16, _ id: PeripheralID) { lastRecord[id] = max(number, lastRecord[id] ?? 0) }
}
