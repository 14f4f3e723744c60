/// The parameters of a connection (Core 6.0, Vol 6, Part B, 4.5).
public struct ConnectionParameters: Hashable, Sendable {
    /// The connection interval in units of 1.25 ms, 6 to 3200.
    package var intervalUnits: UInt16
    /// The peripheral latency: connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    package var timeoutUnits: UInt16

    /// Creates parameters in the units of the specification.
    package init(intervalUnits: UInt16, latency: UInt16 = 0, timeoutUnits: UInt16) {
        self.intervalUnits = intervalUnits
        self.latency = latency
        self.timeoutUnits = timeoutUnits
    }

    /// Creates parameters.
    /// - Parameters:
    ///   - interval: the connection interval, 7.5 ms to 4 s; rounded to a multiple of 1.25 ms.
    ///   - latency: the connection events that the peripheral may skip, 0 to 499.
    ///   - supervisionTimeout: the supervision timeout, 100 ms to 32 s; rounded to a multiple of 10 ms.
    public init(interval: Duration, latency: UInt16 = 0, supervisionTimeout: Duration) {
        self.init(
            intervalUnits: interval.count(of: .interval), latency: latency,
            timeoutUnits: supervisionTimeout.count(of: .timeout))
    }

    /// The connection interval, 7.5 ms to 4 s.
    public var interval: Duration { .interval * Int(intervalUnits) }
    /// The supervision timeout, 100 ms to 32 s.
    public var supervisionTimeout: Duration { .timeout * Int(timeoutUnits) }
}

/// A request for connection parameters, with a range of intervals.
public struct ConnectionParametersRequest: Hashable, Sendable {
    /// The minimum and maximum connection interval in units of 1.25 ms, 6 to 3200.
    package var intervalUnits: ClosedRange<UInt16>
    /// The peripheral latency: connection events that the peripheral may skip, 0 to 499.
    public var latency: UInt16
    /// The supervision timeout in units of 10 ms, 10 to 3200.
    package var timeoutUnits: UInt16

    /// Creates a request in the units of the specification.
    package init(intervalUnits: ClosedRange<UInt16>, latency: UInt16 = 0, timeoutUnits: UInt16) {
        self.intervalUnits = intervalUnits
        self.latency = latency
        self.timeoutUnits = timeoutUnits
    }

    /// Creates a request.
    /// - Parameters:
    ///   - interval: the minimum and maximum connection interval, 7.5 ms to 4 s; rounded to multiples of 1.25 ms.
    ///   - latency: the connection events that the peripheral may skip, 0 to 499.
    ///   - supervisionTimeout: the supervision timeout, 100 ms to 32 s; rounded to a multiple of 10 ms.
    public init(interval: ClosedRange<Duration>, latency: UInt16 = 0, supervisionTimeout: Duration) {
        self.init(
            intervalUnits: interval.lowerBound.count(of: .interval)...interval.upperBound.count(of: .interval),
            latency: latency, timeoutUnits: supervisionTimeout.count(of: .timeout))
    }

    /// The minimum and maximum connection interval, 7.5 ms to 4 s.
    public var interval: ClosedRange<Duration> {
        get { .interval * Int(intervalUnits.lowerBound) ... .interval * Int(intervalUnits.upperBound) }
        set { intervalUnits = newValue.lowerBound.count(of: .interval)...newValue.upperBound.count(of: .interval) }
    }
    /// The supervision timeout, 100 ms to 32 s.
    public var supervisionTimeout: Duration {
        get { .timeout * Int(timeoutUnits) }
        set { timeoutUnits = newValue.count(of: .timeout) }
    }

    /// The default of a central: 15 to 30 ms, no latency, a supervision timeout of 5 s.
    public static let standard = ConnectionParametersRequest(
        interval: .milliseconds(15) ... .milliseconds(30), supervisionTimeout: .seconds(5))

    /// True if the values are in range and the supervision timeout exceeds the skipped events (Core 6.0, Vol 4, Part E,
    /// 7.8.12).
    public var isValid: Bool {
        (6...3200).contains(intervalUnits.lowerBound) && intervalUnits.upperBound <= 3200 && latency <= 499
            && (10...3200).contains(timeoutUnits)
            && UInt32(timeoutUnits) * 4 > (1 + UInt32(latency)) * UInt32(intervalUnits.upperBound)
    }
}

extension Duration {
    /// The unit of connection intervals.
    fileprivate static let interval = Duration.microseconds(1250)
    /// The unit of supervision timeouts.
    fileprivate static let timeout = Duration.milliseconds(10)

    /// Returns the nearest number of units, clamped to 16 bits.
    fileprivate func count(of unit: Duration) -> UInt16 {
        let count = (self / unit).rounded()
        return UInt16(min(max(count, 0), Double(UInt16.max)))
    }
}
