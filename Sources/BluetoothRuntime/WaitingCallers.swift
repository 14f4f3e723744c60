/// The callers that wait for one event. Each is called once, in the order in which they were added. Confined to the
/// loop.
package final class WaitingCallers<Value> {
    private var completions: [(Value) -> Void] = []

    /// Creates an empty list.
    package init() {}

    /// Creates a list with one caller.
    package convenience init(_ completion: @escaping (Value) -> Void) {
        self.init()
        add(completion)
    }

    /// True if no caller waits.
    package var isEmpty: Bool { completions.isEmpty }

    /// Adds a caller.
    package func add(_ completion: @escaping (Value) -> Void) { completions.append(completion) }

    /// Removes all callers, which are completed by other means.
    package func removeAll() { completions = [] }

    /// Completes all callers and removes them. A caller that is added meanwhile waits for the next event.
    package func resume(_ value: Value) {
        let waiting = completions
        completions = []
        for completion in waiting { completion(value) }
    }
}

extension WaitingCallers where Value == Void {
    /// Completes all callers and removes them.
    package func resume() { resume(()) }
}
