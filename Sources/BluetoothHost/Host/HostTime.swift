import BluetoothRuntime

/// The time of one host stack: that of its driver's clock, or the time that the driver sets.
package final class HostTime {
    /// All timers of the stack. The driver fires them with ``LEHost/advance(to:)``.
    package let timers = TimerQueue()
    /// Returns the time of the driver's clock; nil where the driver sets ``current``.
    private let clock: (() -> RadioInstant)?

    /// Not public, so that the compiler knows all accesses and can omit the checks for overlapping access.
    var current = RadioInstant.start

    init(clock: (() -> RadioInstant)? = nil) { self.clock = clock }

    /// The current time, constant while the driver processes one event.
    package var now: RadioInstant { if let clock { clock() } else { current } }
}
