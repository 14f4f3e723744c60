#if Programs
import DequeModule
import NIOCore

/// The newest events of a hub, in order, without I/O.
///
/// Every event has a sequence number. All streams read from this one log, each with a cursor of its own: a slow stream
/// costs no memory, and learns how many events left the log before it read them. An event with a key replaces the one
/// before it with the same key: only the newest is kept. The replaced ones do not count as missed, and drive no others
/// out: of these as many as `limit` are kept.
struct EventLog {
    /// A position in the log: after the event with this sequence number.
    struct Cursor: Hashable, Sendable {
        var sequence: UInt64
        /// The number of events without key up to the position.
        var ordinal: UInt64
    }

    /// What a stream reads next.
    struct Batch {
        /// Events that left the log before the stream read them.
        var missed: UInt64
        /// The sequence number to give to the report of `missed`.
        var missedSequence: UInt64
        /// Whole events as they go to the client.
        var bytes: ByteBuffer
    }

    private struct Key: Hashable {
        let name: String
        let key: String
    }

    private struct Entry {
        /// `nil` if an event with the same key followed.
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
    /// The entries that no newer one replaced.
    private var kept = 0
    /// Replaced entries are small, and are kept for their numbers: so many entries for each that is kept.
    private static let replacedFactor = 16
    private var newest: [Key: UInt64] = [:]
    /// Sequence numbers of the newest dropped events without key, to count what a returning client missed.
    private var dropped = Deque<UInt64>()
    private static let droppedLimit = 1 << 16

    /// - Parameters:
    ///   - limit: the number of events that are kept, replaced ones aside.
    ///   - byteLimit: the size of the events that are kept.
    init(boot: String, limit: Int, byteLimit: Int) {
        self.boot = boot
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// The position after the newest event.
    var end: Cursor { Cursor(sequence: first + UInt64(entries.count) - 1, ordinal: ordinal) }

    /// Adds an event and returns its sequence number.
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

    /// The position of a client that comes back, from its `Last-Event-ID`. `nil`: the identifier is of an earlier start.
    func cursor(after identifier: String) -> Cursor? {
        guard let dash = identifier.lastIndex(of: "-"), identifier[..<dash] == boot,
            let sequence = UInt64(identifier[identifier.index(after: dash)...]), sequence <= end.sequence
        else { return nil }
        if sequence + 1 >= first {
            let index = Int(sequence + 1 - first)
            return Cursor(sequence: sequence, ordinal: index == 0 ? droppedOrdinal : entries[index - 1].ordinal)
        }
        // Binary search: the dropped events after the position.
        var low = 0
        var high = dropped.count
        while low < high {
            let middle = (low + high) / 2
            if dropped[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        return Cursor(sequence: sequence, ordinal: droppedOrdinal - UInt64(dropped.count - low))
    }

    /// The position before the oldest event that is kept.
    var start: Cursor { Cursor(sequence: first - 1, ordinal: droppedOrdinal) }

    /// Reads events after the cursor, up to about `size` octets, and moves the cursor. `nil` if there is none.
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

    /// An event for the viewer `SESSION` is for every viewer `SESSION/NAME` of the session too.
    private static func isFor(_ viewer: String?, _ audience: String?) -> Bool {
        guard let audience else { return true }
        return audience == viewer || viewer?.hasPrefix(audience + "/") ?? false
    }

    /// An event as it goes to the client (HTML standard, section 9.2).
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
#endif
