#if Programs
/// The newest elements of a sequence, up to a limit.
package struct RingBuffer<Element: Sendable>: Sendable {
    /// How many elements are kept.
    package let limit: Int
    private var storage: [Element] = []
    private var start = 0
    /// How many elements were dropped because newer ones came.
    package private(set) var droppedCount = 0

    /// An empty buffer; memory is taken as elements come.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// How many elements there are.
    package var count: Int { storage.count }

    /// Adds the newest element; a full buffer drops its oldest.
    package mutating func append(_ element: Element) {
        guard storage.count == limit else { return storage.append(element) }
        storage[start] = element
        start = start + 1 == limit ? 0 : start + 1
        droppedCount += 1
    }

    /// The newest element.
    package var last: Element? {
        storage.isEmpty ? nil : storage[(start + storage.count - 1) % storage.count]
    }

    /// The elements, the oldest first.
    package var elements: [Element] { suffix(storage.count) }

    /// The newest `count` elements, the oldest of them first.
    package func suffix(_ count: Int) -> [Element] {
        let wanted = min(max(0, count), storage.count)
        return (storage.count - wanted..<storage.count).map { storage[(start + $0) % storage.count] }
    }

    /// Removes everything.
    package mutating func removeAll() { (storage, start) = ([], 0) }
}
#endif
