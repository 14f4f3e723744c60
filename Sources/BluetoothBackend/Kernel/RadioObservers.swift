import BluetoothModel

/// The observers of an adapter, in the order in which they were added; weak references. Confined to the loop.
package final class RadioObservers {
    /// An observer; nil once it was removed, also while the observers of an event are called.
    private final class Entry {
        weak var observer: (any RadioObserver)?

        init(_ observer: any RadioObserver) { self.observer = observer }
    }

    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// Adds an observer after the others; one that is in the list stays where it is.
    package func add(_ observer: any RadioObserver) {
        guard !entries.contains(where: { $0.observer === observer }) else { return }
        entries.append(Entry(observer))
    }

    /// Removes an observer, and those that were released.
    package func remove(_ observer: any RadioObserver) {
        for entry in entries where entry.observer === observer { entry.observer = nil }
        entries.removeAll { $0.observer == nil }
    }

    /// Removes all observers.
    package func removeAll() {
        for entry in entries { entry.observer = nil }
        entries = []
    }

    /// Calls `body` with each observer. One that is removed meanwhile receives nothing any more.
    package func tell(_ body: (any RadioObserver) -> Void) {
        for entry in entries { if let observer = entry.observer { body(observer) } }
    }
}
