import BluetoothModel

/// Bytes that wait until a socket accepts them: one buffer, filled at its end and emptied at its start.
struct OutgoingBytes {
    private var storage: [UInt8] = []
    private var start = 0

    /// The number of waiting bytes.
    var count: Int { storage.count - start }

    /// True if no bytes wait.
    var isEmpty: Bool { start == storage.count }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { storage.append(contentsOf: bytes) }

    /// Calls `body` with the first `length` waiting bytes, or all of them.
    func withFront<Result>(length: Int? = nil, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        storage.withUnsafeBytes { all in
            let end = length.map { min(start + $0, all.count) } ?? all.count
            return body(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        }
    }

    /// Removes the first `length` bytes.
    mutating func consume(_ length: Int) {
        start = min(start + length, storage.count)
        if start == storage.count {
            storage.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 64 * 1024, start > storage.count / 2 {
            storage.removeFirst(start)
            start = 0
        }
    }

    /// Removes all bytes, and releases the memory of a large backlog.
    mutating func removeAll() {
        storage = []
        start = 0
    }
}
