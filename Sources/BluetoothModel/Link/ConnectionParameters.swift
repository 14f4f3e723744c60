/// The parameters of a connection (Core 6.0, Vol 6, Part B, 4.5).
public struct ConnectionParameters: Hashable, Sendable {
    /// The connection interval in units of 1.25 ms, 6 to 3200.
    public var interval: UInt16
    /// The peripheral latency: connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    public var supervisionTimeout: UInt16

    /// Creates parameters in the units of the specification.
    public init(interval: UInt16, latency: UInt16 = 0, supervisionTimeout: UInt16) {
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// The connection interval.
    public var intervalDuration: Duration { .microseconds(Int64(interval) * 1250) }
    /// The supervision timeout.
    public var supervisionDuration: Duration { .milliseconds(Int64(supervisionTimeout) * 10) }
}

/// A request for connection parameters, with a range of intervals.
public struct ConnectionParametersRequest: Hashable, Sendable {
    /// The minimum and maximum connection interval in units of 1.25 ms, 6 to 3200.
    public var intervalRange: ClosedRange<UInt16>
    /// The peripheral latency: connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    public var supervisionTimeout: UInt16

    /// Creates a request in the units of the specification.
    public init(intervalRange: ClosedRange<UInt16>, latency: UInt16 = 0, supervisionTimeout: UInt16) {
        self.intervalRange = intervalRange
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// The default of a central: 15 to 30 ms, no latency, a supervision timeout of 5 s.
    public static let standard = ConnectionParametersRequest(intervalRange: 12...24, supervisionTimeout: 500)

    /// True if the values are in range and the supervision timeout exceeds the skipped events (Core 6.0, Vol 4, Part E,
    /// 7.8.12).
    public var isValid: Bool {
        (6...3200).contains(intervalRange.lowerBound) && intervalRange.upperBound <= 3200 && latency <= 499
            && (10...3200).contains(supervisionTimeout)
            && UInt32(supervisionTimeout) * 4 > (1 + UInt32(latency)) * UInt32(intervalRange.upperBound)
    }
}
