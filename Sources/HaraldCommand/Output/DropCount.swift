import Explorer
import Synchronization

/// The number of values that a command dropped because it was slower than the peer.
final class DropCount: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) { count.withLock { $0 += more } }

    /// The number of dropped values.
    var value: Int { count.withLock { $0 } }

    /// Reports the number of dropped values at the end, if there are any: `{"dropped":n}` with `--json`, else a
    /// message.
    /// - Parameter noun: the singular of the values, such as "value".
    func printReport(_ noun: String, json: Bool) { Self.printReport(value, noun, json: json) }

    /// Reports a given number of dropped values.
    static func printReport(_ count: Int, _ noun: String, json: Bool) {
        switch report(count, noun, json: json) {
        case .object(let object): Console.json(.object(object))
        case .message(let text): Console.message(text)
        case nil: break
        }
    }

    enum Report: Hashable {
        case object([String: JSONValue])
        case message(String)
    }

    /// Returns the report; nil if nothing was dropped.
    static func report(_ count: Int, _ noun: String, json: Bool) -> Report? {
        guard count > 0 else { return nil }
        if json { return .object(["dropped": .int(count)]) }
        let dropped = count.counted("\(noun) was", "\(noun)s were")
        return .message("\(dropped) dropped: they arrived faster than they were printed")
    }
}
