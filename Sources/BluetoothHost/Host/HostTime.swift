import BluetoothRuntime

/// The time of one host stack: that of its driver's clock, or the time that the driver sets.
package final class HostTime {
    /// All timers of the stack. The driver fires them with ``LEHost/advance(to:)``.
    package let timers = TimerQueue()
    private let clock: () -> RadioInstant
    private let set: SetTime?

    /// The time of a driver without a clock.
    private final class SetTime {
        var now = RadioInstant.start
    }

    /// Creates a time that the driver sets with ``current``.
    package init() {
        let set = SetTime()
        self.set = set
        clock = { set.now }
    }

    /// Creates the time of a driver's clock.
    package init(clock: @escaping () -> RadioInstant) {
        set = nil
        self.clock = clock
    }

    /// The time that the driver sets; setting it has no effect on a driver's clock.
    package var current: RadioInstant {
        get { now }
        set { set?.now = newValue }
    }

    /// The current time, constant while the driver processes one event.
    package var now: RadioInstant { clock() }
}
