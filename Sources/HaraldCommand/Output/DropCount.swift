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
        guard count > 0 else { return }
        if json {
            Console.json(["dropped": .int(count)])
        } else {
            Console.message(
                "\(count) \(noun)\(count == 1 ? " was" : "s were") dropped: they came faster than they were printed")
        }
    }
}
#endif
