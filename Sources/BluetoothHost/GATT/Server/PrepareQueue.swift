/// The prepared writes of a client that have not been executed yet (Core 6.0, Vol 3, Part F, 3.4.6).
struct PrepareQueue {
    /// The maximum number of parts; a value of 512 octets takes 29 with the minimum MTU.
    static let capacity = 128
    /// The maximum total length of the parts, in octets.
    static let byteCapacity = 4096

    private(set) var parts: [GATTAttributeWrite] = []
    private var byteCount = 0
    /// True if parts were lost since the last execution. The next execution must fail: the client would take it for a
    /// write of the whole value.
    private(set) var isIncomplete = false

    /// Appends a part; returns false if the queue is full.
    mutating func append(_ part: GATTAttributeWrite) -> Bool {
        guard parts.count < Self.capacity, byteCount + part.value.count <= Self.byteCapacity else { return false }
        parts.append(part)
        byteCount += part.value.count
        return true
    }

    /// Empties the queue for the next writes.
    mutating func removeAll() { self = PrepareQueue() }

    /// Discards the parts because their handles may have changed.
    mutating func discard() {
        let isLost = isIncomplete || !parts.isEmpty
        removeAll()
        isIncomplete = isLost
    }

    /// The writes, with consecutive parts of a value merged, even if parts of other values are between them.
    var writes: [GATTAttributeWrite] {
        var writes: [GATTAttributeWrite] = []
        for part in parts {
            if let last = writes.lastIndex(where: { $0.handle == part.handle }),
                writes[last].offset + writes[last].value.count == part.offset
            {
                writes[last].value += part.value
            } else {
                writes.append(part)
            }
        }
        return writes
    }
}
