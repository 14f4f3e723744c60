import DequeModule
import NIOCore

/// The latest events of a hub, in order, without I/O.
///
/// Every event has a sequence number. All streams read from this one log, each with its own cursor: a slow stream costs
/// no memory, and receives the number of events that left the log before it read them. An event with a key replaces the
/// previous one with the same key. Replaced events do not count as missed, and do not count towards `limit`.
struct EventLog {
    /// A position in the log: after the event with this sequence number.
    struct Cursor: Hashable, Sendable {
        var sequence: UInt64
        /// The number of events without a key up to the position.
        var ordinal: UInt64
    }

    /// The next data for a stream.
    struct Batch {
        /// The number of events that left the log before the stream read them.
        var missed: UInt64
        /// The sequence number for the event that reports `missed`.
        var missedSequence: UInt64
        /// Whole events in their encoded form.
        var bytes: ByteBuffer
    }

    private struct Key: Hashable {
        let name: String
        let key: String
    }

    private struct Entry {
        /// `nil` if a later event has the same key.
        var bytes: ByteBuffer?
        let audience: String?
        let key: Key?
        let ordinal: UInt64
    }

    private let boot: String
    private let limit: Int
    private let byteLimit: Int
    private var entries = Deque<Entry>()
    /// The sequence number of the first entry.
    private var first: UInt64 = 1
    private var ordinal: UInt64 = 0
    private var droppedOrdinal: UInt64 = 0
    private var bytes = 0
    /// The number of entries that have not been replaced.
    private var kept = 0
    /// Replaced entries are small and are kept for their sequence numbers: up to this number of entries per event of
    /// the limit.
    private static let replacedFactor = 16
    private var newest: [Key: UInt64] = [:]
    /// The sequence numbers of the latest dropped events without a key, from which the missed events of a returning
    /// client are counted.
    private var dropped = Deque<UInt64>()
    private static let droppedLimit = 1 << 16

    /// - Parameters:
    ///   - limit: the maximum number of events, not counting replaced ones.
    ///   - byteLimit: the maximum size of the events, in octets.
    init(boot: String, limit: Int, byteLimit: Int) {
        self.boot = boot
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// The position after the latest event.
    var end: Cursor { Cursor(sequence: first + UInt64(entries.count) - 1, ordinal: ordinal) }

    /// Appends an event and returns its sequence number.
    mutating func append(_ name: String, key: String?, data: String, audience: String?) -> UInt64 {
        let sequence = first + UInt64(entries.count)
        let text = Self.encoded(id: "\(boot)-\(sequence)", name: name, data: data)
        let key = key.map { Key(name: name, key: $0) }
        if let key {
            if let older = newest.updateValue(sequence, forKey: key), older >= first {
                let index = Int(older - first)
                bytes -= entries[index].bytes?.readableBytes ?? 0
                entries[index].bytes = nil
                kept -= 1
            }
        } else {
            ordinal += 1
        }
        entries.append(Entry(bytes: text, audience: audience, key: key, ordinal: ordinal))
        bytes += text.readableBytes
        kept += 1
        while kept > limit || bytes > byteLimit || entries.count > limit * Self.replacedFactor, entries.count > 1 {
            dropFirst()
        }
        return sequence
    }

    private mutating func dropFirst() {
        let entry = entries.removeFirst()
        bytes -= entry.bytes?.readableBytes ?? 0
        if entry.bytes != nil { kept -= 1 }
        if let key = entry.key {
            if newest[key] == first { newest[key] = nil }
        } else {
            dropped.append(first)
            if dropped.count > Self.droppedLimit { dropped.removeFirst() }
        }
        droppedOrdinal = entry.ordinal
        first += 1
    }

    /// The position of a returning client, from its `Last-Event-ID`. `nil` if the identifier stems from an earlier
    /// start.
    func cursor(after identifier: String) -> Cursor? {
        guard let dash = identifier.lastIndex(of: "-"), identifier[..<dash] == boot,
            let sequence = UInt64(identifier[identifier.index(after: dash)...]), sequence <= end.sequence
        else { return nil }
        if sequence + 1 >= first {
            let index = Int(sequence + 1 - first)
            return Cursor(sequence: sequence, ordinal: index == 0 ? droppedOrdinal : entries[index - 1].ordinal)
        }
        // Binary search for the number of dropped events after the position.
        var low = 0
        var high = dropped.count
        while low < high {
            let middle = (low + high) / 2
            if dropped[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return Cursor(sequence: sequence, ordinal: droppedOrdinal - UInt64(dropped.count - low))
    }

    /// The position before the oldest event in the log.
    var start: Cursor { Cursor(sequence: first - 1, ordinal: droppedOrdinal) }

    /// Reads events after the cursor, up to about `size` octets, and advances the cursor. `nil` if there are none.
    func read(_ cursor: inout Cursor, audience: String?, size: Int) -> Batch? {
        var batch = Batch(missed: 0, missedSequence: 0, bytes: ByteBuffer())
        if cursor.sequence + 1 < first {
            batch.missed = droppedOrdinal - min(cursor.ordinal, droppedOrdinal)
            cursor = start
            batch.missedSequence = cursor.sequence
        }
        while cursor.sequence < end.sequence, batch.bytes.readableBytes < size {
            let entry = entries[Int(cursor.sequence + 1 - first)]
            cursor.sequence += 1
            cursor.ordinal = entry.ordinal
            guard let bytes = entry.bytes, Self.isFor(audience, entry.audience) else { continue }
            batch.bytes.writeImmutableBuffer(bytes)
        }
        return batch.missed == 0 && batch.bytes.readableBytes == 0 ? nil : batch
    }

    /// An event for the viewer `SESSION` is also for every viewer `SESSION/NAME` of the session.
    private static func isFor(_ viewer: String?, _ audience: String?) -> Bool {
        guard let audience else { return true }
        return audience == viewer || viewer?.hasPrefix(audience + "/") ?? false
    }

    /// Encodes an event (HTML standard, section 9.2).
    static func encoded(id: String, name: String, data: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(id.utf8.count + name.utf8.count + data.utf8.count + 24)
        buffer.writeString("id: \(id)\nevent: \(name)\n")
        if data.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
            for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                buffer.writeString("data: \(line)\n")
            }
        } else {
            buffer.writeString("data: ")
            buffer.writeString(data)
            buffer.writeString("\n")
        }
        buffer.writeString("\n")
        return buffer
    }
}
