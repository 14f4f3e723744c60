#if Programs
import Foundation

/// The newest entries of what happened; older ones are dropped and counted.
struct ActivityLog: Sendable {
    private var buffer: RingBuffer<LogEntry>

    init(limit: Int) { buffer = RingBuffer(limit: limit) }

    /// How many entries there were, those that were dropped included.
    private(set) var count = 0
    /// How many entries were dropped because newer ones came.
    var droppedCount: Int { buffer.droppedCount }

    /// Adds an entry and gives it its number.
    mutating func add(_ entry: LogEntry) -> LogEntry {
        count += 1
        var entry = entry
        entry.sequence = count
        buffer.append(entry)
        return entry
    }

    /// The newest `limit` entries after the one with the number `sequence`, the oldest first.
    func entries(after sequence: Int, limit: Int) -> [LogEntry] {
        let wanted = max(0, count - max(sequence, 0))
        return Array(buffer.suffix(wanted).suffix(max(0, limit)))
    }
}
#endif
