import Explorer
import Harald

/// Decides when a scan reports a device, which happens once: when its name and a second packet have been received, or
/// after a second. With active scanning a device sends part of its data in the scan response.
struct FoundDevices {
    private struct Waiting {
        var row: DeviceRow
        var since: ContinuousClock.Instant
    }

    private static let patience = Duration.seconds(1)

    /// True to wait for scan responses; a passive scan has none.
    let waits: Bool
    private var waiting: [Waiting] = []
    private var shown: Set<PeripheralID> = []

    init(waits: Bool) { self.waits = waits }

    /// The number of devices, reported or pending.
    var count: Int { shown.count + waiting.count }

    /// Records an advertisement.
    /// - Returns: the devices to report now.
    mutating func note(_ row: DeviceRow, at now: ContinuousClock.Instant) -> [DeviceRow] {
        guard !shown.contains(row.id) else { return due(at: now) }
        var row = row
        if let index = waiting.firstIndex(where: { $0.row.id == row.id }) {
            row.name = row.name ?? waiting[index].row.name
            waiting[index].row = row
            if row.name != nil {
                waiting.remove(at: index)
                shown.insert(row.id)
                return [row] + due(at: now)
            }
        } else if waits {
            waiting.append(Waiting(row: row, since: now))
        } else {
            shown.insert(row.id)
            return [row]
        }
        return due(at: now)
    }

    /// Returns the pending devices whose second has elapsed.
    mutating func due(at now: ContinuousClock.Instant) -> [DeviceRow] {
        take { $0.since + Self.patience <= now }
    }

    /// Returns all pending devices at the end of the scan.
    mutating func rest() -> [DeviceRow] { take { _ in true } }

    private mutating func take(_ isDue: (Waiting) -> Bool) -> [DeviceRow] {
        let rows = waiting.filter(isDue).map(\.row)
        waiting.removeAll(where: isDue)
        shown.formUnion(rows.map(\.id))
        return rows
    }
}
