#if Programs
import NIOCore
import Synchronization

/// The time until which the client of a connection must have sent a whole request. It prevents that a client holds a
/// connection by sending single octets.
///
/// The timer stays scheduled when the deadline moves, because most requests arrive at once.
struct ConnectionDeadline {
    /// The time since which the server waits for the client. Other threads may read it.
    final class Start: Sendable {
        private let nanoseconds = Atomic<UInt64>(.max)

        /// Nil while the client waits for the server.
        fileprivate(set) var time: NIODeadline? {
            get {
                let nanoseconds = nanoseconds.load(ordering: .relaxed)
                return nanoseconds == .max ? nil : .uptimeNanoseconds(nanoseconds)
            }
            set { nanoseconds.store(newValue?.uptimeNanoseconds ?? .max, ordering: .relaxed) }
        }
    }

    let start = Start()
    private let limit: TimeAmount
    private var timer: Scheduled<Void>?

    init(_ limit: Duration) { self.limit = TimeAmount(limit) }

    /// Sets the deadline to the limit from now on.
    /// - Parameter check: calls ``isOver(_:_:)`` when the timer fires.
    mutating func restart(_ eventLoop: any EventLoop, _ check: @escaping () -> Void) {
        let now = NIODeadline.now()
        start.time = now
        if timer == nil { schedule(now + limit, eventLoop, check) }
    }

    /// Removes the deadline, while the client waits for a response.
    mutating func suspend() { start.time = nil }

    /// Returns true if the deadline is over; otherwise waits for the rest of the time.
    mutating func isOver(_ eventLoop: any EventLoop, _ check: @escaping () -> Void) -> Bool {
        timer = nil
        guard let end = start.time.map({ $0 + limit }) else { return false }
        if end <= .now() { return true }
        schedule(end, eventLoop, check)
        return false
    }

    mutating func end() {
        timer?.cancel()
        timer = nil
        suspend()
    }

    private mutating func schedule(_ end: NIODeadline, _ eventLoop: any EventLoop, _ check: @escaping () -> Void) {
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: end, check)
    }
}
#endif
