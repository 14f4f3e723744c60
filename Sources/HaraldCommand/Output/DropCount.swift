#if Programs
import Explorer
import Synchronization

/// How much a command lost because it was slower than the air.
final class DropCount: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) { count.withLock { $0 += more } }

    /// How much was lost.
    var value: Int { count.withLock { $0 } }

    /// Says at the end how much was lost, where something was: `{"dropped":n}` with `--json`, else a message.
    /// - Parameter noun: one thing that was lost, such as "value".
    func tell(_ noun: String, json: Bool) { Self.tell(value, noun, json: json) }

    /// The same for a number that is known.
    static func tell(_ count: Int, _ noun: String, json: Bool) {
        switch report(count, noun, json: json) {
        case .object(let object): Console.json(.object(object))
        case .message(let text): Console.message(text)
        case nil: break
        }
    }

    /// What is said.
    enum Report: Hashable {
        case object([String: JSONValue])
        case message(String)
    }

    /// What is said about so many; nil where nothing was lost.
    static func report(_ count: Int, _ noun: String, json: Bool) -> Report? {
        guard count > 0 else { return nil }
        if json { return .object(["dropped": .int(count)]) }
        return .message(
            "\(count) \(noun)\(count == 1 ? " was" : "s were") dropped: they came faster than they were printed")
    }
}
#endif
