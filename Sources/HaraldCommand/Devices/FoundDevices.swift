import Explorer
import Harald

/// Decides when a device that a scan hears is told of, which happens once: when it has said its name and something
/// more, or after a second. A device that answers to being asked says half of what it has in a second message.
struct FoundDevices {
    private struct Waiting {
        var row: DeviceRow
        var since: ContinuousClock.Instant
    }

    private static let patience = Duration.seconds(1)

    /// Whether it waits for second messages; with a passive scan there are none.
    let waits: Bool
    private var waiting: [Waiting] = []
    private var told: Set<PeripheralID> = []

    init(waits: Bool) { self.waits = waits }

    /// How many devices there are.
    var count: Int { told.count + waiting.count }

    /// A device was heard.
    /// - Returns: the devices to tell of now.
    mutating func note(_ row: DeviceRow, at now: ContinuousClock.Instant) -> [DeviceRow] {
        guard !told.contains(row.id) else { return due(at: now) }
        var row = row
        if let index = waiting.firstIndex(where: { $0.row.id == row.id }) {
            row.name = row.name ?? waiting[index].row.name
            waiting[index].row = row
            if row.name != nil {
                waiting.remove(at: index)
                told.insert(row.id)
                return [row] + due(at: now)
            }
        } else if waits {
            waiting.append(Waiting(row: row, since: now))
        } else {
            told.insert(row.id)
            return [row]
        }
        return due(at: now)
    }

    /// Those that had their second.
    mutating func due(at now: ContinuousClock.Instant) -> [DeviceRow] {
        take { $0.since + Self.patience <= now }
    }

    /// All that were not told of yet: the scan is over.
    mutating func rest() -> [DeviceRow] { take { _ in true } }

    private mutating func take(_ isDue: (Waiting) -> Bool) -> [DeviceRow] {
        let rows = waiting.filter(isDue).map(\.row)
        waiting.removeAll(where: isDue)
        told.formUnion(rows.map(\.id))
        return rows
    }
}
