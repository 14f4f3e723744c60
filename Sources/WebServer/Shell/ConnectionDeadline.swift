#if Programs
import NIOCore

/// The time until which the client of a connection must have sent a whole request. It prevents that a client holds a
/// connection by sending single octets.
///
/// The timer stays scheduled when the deadline moves, because most requests arrive at once.
struct ConnectionDeadline {
    private let limit: TimeAmount
    private var time: NIODeadline?
    private var timer: Scheduled<Void>?

    init(_ limit: Duration) { self.limit = TimeAmount(limit) }

    /// Sets the deadline to the limit from now on.
    /// - Parameter check: calls ``isOver(_:_:)`` when the timer fires.
    mutating func restart(_ eventLoop: any EventLoop, _ check: @escaping () -> Void) {
        let end = NIODeadline.now() + limit
        time = end
        if timer == nil { schedule(end, eventLoop, check) }
    }

    /// Removes the deadline, while the client waits for a response.
    mutating func suspend() { time = nil }

    /// Returns true if the deadline is over; otherwise waits for the rest of the time.
    mutating func isOver(_ eventLoop: any EventLoop, _ check: @escaping () -> Void) -> Bool {
        timer = nil
        guard let time else { return false }
        if time <= .now() { return true }
        schedule(time, eventLoop, check)
        return false
    }

    mutating func end() {
        timer?.cancel()
        (time, timer) = (nil, nil)
    }

    private mutating func schedule(_ end: NIODeadline, _ eventLoop: any EventLoop, _ check: @escaping () -> Void) {
        timer = eventLoop.assumeIsolated().scheduleTask(deadline: end, check)
    }
}
#endif
