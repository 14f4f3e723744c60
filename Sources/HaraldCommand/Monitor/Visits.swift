#if Programs
import BluetoothProfiles
import Harald

/// Who is being visited, and what was got from whom.
actor Visits {
    private var busy: Set<PeripheralID> = []
    private var restUntil: [PeripheralID: ContinuousClock.Instant] = [:]
    private var lastRecord: [PeripheralID: UInt16] = [:]
    /// Values of devices that keep records, so that none is shown twice.
    private var shown: [PeripheralID: Set<[UInt8]>] = [:]
    /// How many of them are remembered of a device; who keeps more is heard again.
    private static let mostShown = 65536

    func begin(_ id: PeripheralID) -> Bool {
        if let until = restUntil[id], ContinuousClock.now < until { return false }
        return busy.insert(id).inserted
    }

    func end(_ id: PeripheralID, rest: Duration) {
        busy.remove(id)
        restUntil[id] = ContinuousClock.now + rest
    }

    /// The records that were not got yet.
    func wanted(_ id: PeripheralID) -> StoredRecords {
        lastRecord[id].map { $0 == .max ? .last : .atLeast($0 + 1) } ?? .all
    }

    /// Whether a value of a device was taken before.
    func knows(_ value: [UInt8], _ id: PeripheralID) -> Bool { shown[id]?.contains(value) ?? false }

    /// A value was taken.
    func took(_ value: [UInt8], _ id: PeripheralID) {
        var values = shown.removeValue(forKey: id) ?? []
        if values.count >= Self.mostShown { values = [] }
        values.insert(value)
        shown[id] = values
    }

    func got(_ number: UInt16, _ id: PeripheralID) { lastRecord[id] = max(number, lastRecord[id] ?? 0) }
}
#endif
