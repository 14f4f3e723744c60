/// Parts of values that a client sent and has not yet told to write (Core 6.0, Vol 3, Part F, 3.4.6).
struct PrepareQueue {
    /// How many parts may wait: a value of 512 octets takes 29 with the smallest MTU.
    static let capacity = 128
    /// How many octets they may have together.
    static let byteCapacity = 4096

    private(set) var parts: [GATTAttributeWrite] = []
    private var byteCount = 0

    /// False where there is no room.
    mutating func append(_ part: GATTAttributeWrite) -> Bool {
        guard parts.count < Self.capacity, byteCount + part.value.count <= Self.byteCapacity else { return false }
        parts.append(part)
        byteCount += part.value.count
        return true
    }

    mutating func removeAll() {
        parts = []
        byteCount = 0
    }

    /// Parts that continue each other become one write, also where parts of other values stand between them.
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
