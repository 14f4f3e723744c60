#if Programs
import BluetoothRuntime

/// Measures how often a device advertises, from the times at which it was heard.
///
/// A gap may hold several advertising events of which all but the last were missed; it then counts as so many intervals.
/// A scan response follows its advertisement at once and is no event of its own.
package struct IntervalEstimator: Sendable {
    /// The newest gaps that count.
    private static let gapLimit = 32
    /// Shorter gaps lie within one advertising event: an interval is 20 ms or longer (Core 6.0, Vol 6, Part B, 4.4.2.2).
    private static let leastGap = Duration.milliseconds(15)

    private var gaps = RingBuffer<Duration>(limit: gapLimit)
    private var last: RadioInstant?

    /// Nothing was heard yet.
    package init() {}

    /// The device was heard.
    package mutating func note(_ time: RadioInstant) {
        guard let last else {
            self.last = time
            return
        }
        let gap = time - last
        guard gap >= Self.leastGap else { return }
        gaps.append(gap)
        self.last = time
    }

    /// Hearing was interrupted: the next gap says nothing.
    package mutating func interrupt() { last = nil }

    /// The mean interval; nil before the device was heard twice.
    package var interval: Duration? {
        let sorted = gaps.elements.sorted()
        guard let base = sorted.isEmpty ? nil : sorted[sorted.count / 4] else { return nil }
        var (time, events) = (Duration.zero, 0)
        for gap in sorted {
            time += gap
            events += max(1, Int((gap / base).rounded()))
        }
        return time / events
    }
}
#endif
