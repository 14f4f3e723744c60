import BluetoothRuntime

/// The time of one host stack: it is told, never read from a clock.
public final class HostTime {
    /// The time of the event that the stack is working on.
    public var now: RadioInstant { current }
    /// Every timer of the stack; its driver fires them through ``LEHost/advance(to:)``.
    public let timers = TimerQueue()

    /// Not public, so that the compiler sees every access and leaves out its checks.
    var current = RadioInstant.start

    init() {}
}
