import BluetoothModel

/// The observers of an adapter, in the order in which they were added; weak references. Confined to the loop.
package final class RadioObservers {
    private struct Entry { weak var observer: (any RadioObserver)? }

    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an observer after the others; one that is in the list stays where it is.
    package func add(_ observer: any RadioObserver) {
        guard !entries.contains(where: { $0.observer === observer }) else { return }
        entries.append(Entry(observer: observer))
    }

    /// Removes an observer, and those that were released.
    package func remove(_ observer: any RadioObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Removes all observers.
    package func removeAll() { entries = [] }

    /// Calls `body` with each observer. One that is removed meanwhile receives nothing any more.
    package func tell(_ body: (any RadioObserver) -> Void) {
        for entry in entries {
            guard let observer = entry.observer, entries.contains(where: { $0.observer === observer }) else { continue }
            body(observer)
        }
    }
}
