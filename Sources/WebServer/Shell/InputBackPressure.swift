#if Programs
import DequeModule
import NIOHTTP1

/// The back pressure of a connection's input: holds reads back while parts of later requests wait, or while the body of
/// the current request is full.
struct InputBackPressure {
    /// The parts of later requests, which arrived during the current one.
    private var later: Deque<HTTPServerRequestPart> = []
    private var isReadHeld = false

    /// True if parts of later requests wait.
    var hasLater: Bool { !later.isEmpty }

    /// Adds a part of a later request.
    mutating func add(_ part: HTTPServerRequestPart) { later.append(part) }

    /// Removes the first part of later requests.
    mutating func next() -> HTTPServerRequestPart? { later.popFirst() }

    /// Discards the parts of later requests.
    mutating func discard() { later = [] }

    /// Returns true if a read may begin now. Otherwise it is held back.
    mutating func mayRead(isBodyFull: Bool) -> Bool {
        guard isBodyFull || hasLater else { return true }
        isReadHeld = true
        return false
    }

    /// Returns true if a read was held back that may begin now.
    mutating func mayContinue(isBodyFull: Bool) -> Bool {
        guard isReadHeld, !isBodyFull, !hasLater else { return false }
        isReadHeld = false
        return true
    }
}
#endif
