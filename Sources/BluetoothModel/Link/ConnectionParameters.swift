/// How often two devices meet and when they give up (Core 6.0, Vol 6, Part B, 4.5).
public struct ConnectionParameters: Hashable, Sendable {
    /// Time between two connection events in units of 1.25 ms, 6 to 3200.
    public var interval: UInt16
    /// Connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// Silence after which the link is lost, in units of 10 ms, 10 to 3200.
    public var supervisionTimeout: UInt16

    /// Parameters in the units of the specification.
    public init(interval: UInt16, latency: UInt16 = 0, supervisionTimeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// The interval as a duration.
    public var intervalDuration: Duration { .microseconds(Int64(interval) * 1250) }
    /// The supervision timeout as a duration.
    public var supervisionDuration: Duration { .milliseconds(Int64(supervisionTimeout) * 10) }
}

/// A wish for connection parameters: a range for the interval.
public struct ConnectionParametersRequest: Hashable, Sendable {
    /// The shortest and the longest interval in units of 1.25 ms, 6 to 3200.
    public var intervalRange: ClosedRange<UInt16>
    /// Connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// Silence after which the link is lost, in units of 10 ms, 10 to 3200.
    public var supervisionTimeout: UInt16

    /// A wish in the units of the specification.
    public init(intervalRange: ClosedRange<UInt16>, latency: UInt16 = 0, supervisionTimeout: UInt16) {
        self.intervalRange = intervalRange
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// 15 to 30 ms, no latency, 5 s: what a central uses that was not asked for anything.
    public static let standard = ConnectionParametersRequest(intervalRange: 12...24, supervisionTimeout: 500)

    /// Whether the values are in range and the timeout outlasts the skipped events (Core 6.0, Vol 4, Part E, 7.8.12).
    public var isValid: Bool {
        (6...3200).contains(intervalRange.lowerBound) && intervalRange.upperBound <= 3200 && latency <= 499
            && (10...3200).contains(supervisionTimeout)
            && UInt32(supervisionTimeout) * 4 > (1 + UInt32(latency)) * UInt32(intervalRange.upperBound)
    }
}
