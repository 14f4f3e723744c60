import BluetoothRuntime

/// Measures the advertising interval of a device from the times of its advertisements.
///
/// A gap may contain missed advertising events; it then counts as several intervals. A scan response follows its
/// advertisement at once and does not count as an event.
package struct IntervalEstimator: Sendable {
    /// The number of latest gaps that are evaluated.
    private static let gapLimit = 32
    /// Shorter gaps lie within one advertising event: an interval is 20 ms or longer (Core 6.0, Vol 6, Part B,
    /// 4.4.2.2).
    private static let leastGap = Duration.milliseconds(15)

    private var gaps = RingBuffer<Duration>(limit: gapLimit)
    private var last: RadioInstant?

    /// Creates an estimator without measurements.
    package init() {}

    /// Records the time of an advertisement.
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

    /// Marks an interruption of scanning: the next gap is ignored.
    package mutating func interrupt() { last = nil }

    /// The mean interval; nil until two advertisements were received.
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
