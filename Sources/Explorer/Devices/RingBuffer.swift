/// The latest elements of a sequence, up to a limit.
package struct RingBuffer<Element: Sendable>: Sendable {
    /// The maximum number of elements.
    package let limit: Int
    private var storage: [Element] = []
    private var start = 0
    /// The number of elements dropped in favour of newer ones.
    package private(set) var droppedCount = 0

    /// Creates an empty buffer; memory is allocated as elements are appended.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// The number of elements.
    package var count: Int { storage.count }

    /// Appends an element; a full buffer drops its oldest.
    package mutating func append(_ element: Element) {
        guard storage.count == limit else { return storage.append(element) }
        storage[start] = element
        start = start + 1 == limit ? 0 : start + 1
        droppedCount += 1
    }

    /// The latest element.
    package var last: Element? {
        storage.isEmpty ? nil : storage[(start + storage.count - 1) % storage.count]
    }

    /// The elements, oldest first.
    package var elements: [Element] { suffix(storage.count) }

    /// The latest `count` elements, oldest first.
    package func suffix(_ count: Int) -> [Element] {
        let wanted = min(max(0, count), storage.count)
        return (storage.count - wanted..<storage.count).map { storage[(start + $0) % storage.count] }
    }

    /// Removes all elements.
    ///
    /// ``droppedCount`` is not changed.
    package mutating func removeAll() { (storage, start) = ([], 0) }
}
