import BluetoothRuntime

/// The time of one host stack, which its driver sets; no clock is read.
package final class HostTime {
    /// The time of the event that is being processed.
    package var now: RadioInstant { current }
    /// All timers of the stack. The driver fires them with ``LEHost/advance(to:)``.
    package let timers = TimerQueue()

    /// Not public, so that the compiler knows all accesses and can omit the checks for overlapping access.
    var current = RadioInstant.start

    init() {}
}
