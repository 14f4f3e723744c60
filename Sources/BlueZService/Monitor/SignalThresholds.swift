import BluetoothRuntime
import SystemBus

/// The strengths of the signal from which on a monitor has a device in range, and below which it loses it
/// (`org.bluez.AdvertisementMonitor1`).
struct SignalThresholds: Hashable {
    private let low: Int16
    private let high: Int16
    /// The time without a signal of at least `low` after which a device is lost.
    let lowTimeout: Duration
    private let highTimeout: Duration

    /// Reads the properties of a monitor; nil if none is set: then every advertisement is of a device in range.
    ///
    /// The values in place of absent ones are those of `bluetoothd`.
    /// - Throws: `InvalidArguments` for values that are out of range.
    init?(_ properties: [String: BusValue]) throws(BusError) {
        let low = try Self.number(properties["RSSILowThreshold"], unset: 127, in: -127...20)
        let high = try Self.number(properties["RSSIHighThreshold"], unset: 127, in: -127...20)
        let lowTimeout = try Self.number(properties["RSSILowTimeout"], unset: 0, in: 1...300)
        let highTimeout = try Self.number(properties["RSSIHighTimeout"], unset: 0, in: 1...300)
        if low == nil, high == nil, lowTimeout == nil, highTimeout == nil { return nil }
        self.low = Int16(low ?? -127)
        self.high = Int16(high ?? low ?? -127)
        self.lowTimeout = .seconds(lowTimeout ?? 5)
        self.highTimeout = .seconds(highTimeout ?? 10)
        if self.low > self.high { throw .invalidArguments }
    }

    private static func number(
        _ value: BusValue?, unset: Int, in range: ClosedRange<Int>
    ) throws(BusError) -> Int? {
        guard let value, value.integer != unset else { return nil }
        guard let number = value.integer, range.contains(number) else { throw .invalidArguments }
        return number
    }

    /// The range of a device, as its signals show it.
    struct Range {
        private(set) var isInside = false
        private var lastStrong: RadioInstant?
        private var strongSince: RadioInstant?

        /// Takes a signal, and returns true if it keeps a device in range.
        mutating func hear(_ rssi: Int, at now: RadioInstant, _ thresholds: SignalThresholds) -> Bool {
            if isInside { return rssi >= thresholds.low }
            guard rssi >= thresholds.high else {
                strongSince = nil
                return false
            }
            // After a pause the time begins again.
            if let lastStrong, now - lastStrong > thresholds.highTimeout { strongSince = nil }
            lastStrong = now
            let since = strongSince ?? now
            strongSince = since
            isInside = now - since >= thresholds.highTimeout
            return isInside
        }
    }
}
