import Foundation
import Testing

/// The events that delegates received, in order, with a method that waits for an expected event.
///
/// Proof of `@unchecked Sendable`: `lock` guards all mutable state.
final class EventLog: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    private var heard: Set<String> = []
    private var cursor = 0
    private var waiting: (prefix: String, continuation: CheckedContinuation<String, Never>)?
    /// The number of waits, so that the limit of one does not end a later one.
    private var waits = 0

    /// - Parameter method: the delegate method that was called.
    func add(_ line: String, method: String? = nil) {
        lock.lock()
        lines.append(line)
        if let method { heard.insert(method) }
        resume()
    }

    /// The delegate methods that were called.
    var methods: Set<String> {
        lock.lock()
        defer { lock.unlock() }
        return heard
    }

    /// Unlocks.
    private func resume() {
        guard let (prefix, continuation) = waiting else { return lock.unlock() }
        while cursor < lines.count {
            let line = lines[cursor]
            cursor += 1
            guard line.hasPrefix(prefix) else { continue }
            waiting = nil
            lock.unlock()
            return continuation.resume(returning: line)
        }
        lock.unlock()
    }

    /// Waits for the next event with this prefix, after the last event that was waited for. Records an issue with the
    /// events so far, and returns an empty text, if it does not come within the limit.
    @discardableResult
    func next(
        _ prefix: String, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
    ) async -> String {
        let number = lock.withLock {
            waits += 1
            return waits
        }
        let watch = Task {
            try await Task.sleep(for: limit)
            giveUp(number, limit, sourceLocation)
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            lock.lock()
            waiting = (prefix, continuation)
            resume()
        }
    }

    private func giveUp(_ number: Int, _ limit: Duration, _ sourceLocation: SourceLocation) {
        let (given, events) = lock.withLock {
            let given = waits == number ? waiting : nil
            if given != nil { waiting = nil }
            return (given, lines.suffix(20))
        }
        guard let given else { return }
        Issue.record(
            "no event \"\(given.prefix)\" came within \(limit); the last events: \(events.joined(separator: "; "))",
            sourceLocation: sourceLocation)
        given.continuation.resume(returning: "")
    }

    var all: [String] {
        lock.lock()
        defer { lock.unlock() }
        return lines
    }

    /// Waits for an event with this prefix, unless the log contains one already.
    func comes(_ prefix: String) async { if count(prefix) == 0 { await next(prefix) } }

    func count(_ prefix: String) -> Int { all.count { $0.hasPrefix(prefix) } }
}
