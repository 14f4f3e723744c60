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
    private var waiting: [PeripheralID: Waiting] = [:]
    /// The devices that were pending, in the order of their discovery. Those before `next` were examined.
    private var order: [PeripheralID] = []
    private var next = 0
    private var shown: Set<PeripheralID> = []

    init(waits: Bool) { self.waits = waits }

    /// The number of devices, reported or pending.
    var count: Int { shown.count + waiting.count }

    /// Records an advertisement. The time it takes does not depend on the number of devices.
    /// - Returns: the devices to report now.
    mutating func note(_ row: DeviceRow, at now: ContinuousClock.Instant) -> [DeviceRow] {
        guard !shown.contains(row.id) else { return due(at: now) }
        guard let known = waiting[row.id] else {
            if !waits {
                shown.insert(row.id)
                return [row]
            }
            waiting[row.id] = Waiting(row: row, since: now)
            order.append(row.id)
            return due(at: now)
        }
        var row = row
        row.name = row.name ?? known.row.name
        waiting[row.id]?.row = row
        return (row.name == nil ? [] : take(row.id)) + due(at: now)
    }

    /// Returns the pending devices whose second has elapsed.
    mutating func due(at now: ContinuousClock.Instant) -> [DeviceRow] {
        take(while: { $0.since + Self.patience <= now })
    }

    /// Returns all pending devices at the end of the scan.
    mutating func rest() -> [DeviceRow] { take { _ in true } }

    /// Takes the oldest pending devices as long as they are due.
    private mutating func take(while isDue: (Waiting) -> Bool) -> [DeviceRow] {
        var rows: [DeviceRow] = []
        while next < order.count {
            if let first = waiting[order[next]] {
                guard isDue(first) else { break }
                rows += take(order[next])
            }
            next += 1
        }
        if next > order.count / 2 {
            order.removeFirst(next)
            next = 0
        }
        return rows
    }

    private mutating func take(_ id: PeripheralID) -> [DeviceRow] {
        guard let taken = waiting.removeValue(forKey: id) else { return [] }
        shown.insert(id)
        return [taken.row]
    }
}
