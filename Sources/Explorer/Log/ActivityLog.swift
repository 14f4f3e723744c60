import Foundation

/// The latest log entries; older ones are dropped and counted.
struct ActivityLog: Sendable {
    private var buffer: RingBuffer<LogEntry>

    init(limit: Int) { buffer = RingBuffer(limit: limit) }

    /// The number of entries, including dropped ones.
    private(set) var count = 0
    /// The number of entries dropped in favour of newer ones.
    var droppedCount: Int { buffer.droppedCount }

    /// Adds an entry and assigns its number.
    mutating func add(_ entry: LogEntry) -> LogEntry {
        count += 1
        var entry = entry
        entry.sequence = count
        buffer.append(entry)
        return entry
    }

    /// Returns the latest `limit` entries after the one with the number `sequence`, oldest first.
    func entries(after sequence: Int, limit: Int) -> [LogEntry] {
        let wanted = max(0, count - max(sequence, 0))
        return Array(buffer.suffix(wanted).suffix(max(0, limit)))
    }
}
