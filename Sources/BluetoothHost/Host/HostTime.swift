import BluetoothRuntime

/// The time of one host stack: it is told, never read from a clock.
public final class HostTime {
    /// The time of the event that the stack is working on.
    public internal(set) var now = RadioInstant.start
    /// Every timer of the stack; its driver fires them through ``LEHost/advance(to:)``.
    public let timers = TimerQueue()

    init() {}
}
