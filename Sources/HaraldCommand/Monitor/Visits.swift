#if Programs
import BluetoothProfiles
import Harald

/// The devices being visited, and the records received from each.
actor Visits {
    private var busy: Set<PeripheralID> = []
    private var restUntil: [PeripheralID: ContinuousClock.Instant] = [:]
    /// The number of services of each device that have not sent all stored records in this visit.
    private var transfers: [PeripheralID: Int] = [:]
    private var lastRecord: [PeripheralID: UInt16] = [:]
    /// Received values of devices that store records, so that none is reported twice.
    private var shown: [PeripheralID: Set<[UInt8]>] = [:]
    /// The maximum number of remembered values per device. Devices with more records are reported again.
    private static let mostShown = 65536

    func begin(_ id: PeripheralID) -> Bool {
        if let until = restUntil[id], ContinuousClock.now < until { return false }
        transfers[id] = nil
        return busy.insert(id).inserted
    }

    func beginRecords(_ id: PeripheralID) { transfers[id, default: 0] += 1 }

    func endRecords(_ id: PeripheralID) { transfers[id]? -= 1 }

    /// Returns true if the device has sent all the stored records that were requested in this visit.
    func hasAllRecords(_ id: PeripheralID) -> Bool { transfers[id, default: 0] <= 0 }

    func end(_ id: PeripheralID, rest: Duration) {
        busy.remove(id)
        restUntil[id] = ContinuousClock.now + rest
    }

    /// The records that have not been received.
    func wanted(_ id: PeripheralID) -> StoredRecords {
        lastRecord[id].map { $0 == .max ? .last : .atLeast($0 + 1) } ?? .all
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
#endif
