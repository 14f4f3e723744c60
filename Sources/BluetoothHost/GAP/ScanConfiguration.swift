import BluetoothModel

/// How to scan (Core 6.0, Vol 4, Part E, 7.8.10 and 7.8.64).
public struct ScanConfiguration: Hashable, Sendable {
    /// Whether scan responses are asked for.
    public var isActive = true
    /// Time between two windows in units of 0.625 ms, 4 to 0x4000.
    public var interval: UInt16 = 96
    /// How long each window is, in units of 0.625 ms, at most the interval.
    public var window: UInt16 = 80
    /// Whether a report that says the same as an earlier one of this scan is left out.
    public var filtersDuplicates = true
    /// Where to listen: 1M, coded, or both; a controller without extended scanning listens on 1M.
    public var phys: Set<PHY> = [.le1M]

    /// An active scan without duplicates, 5/6 of the time.
    public init() {}

    /// A scan with these properties.
    public init(
        isActive: Bool = true, interval: UInt16 = 96, window: UInt16 = 80, filtersDuplicates: Bool = true,
        phys: Set<PHY> = [.le1M]
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
        self.phys = phys
    }

    /// What is wrong with the values; nil where nothing is.
    var fault: RadioError? {
        guard (4...0x4000).contains(interval), (4...interval).contains(window) else {
            return .invalidArgument("a scan interval is 4 to 16384 times 0.625 ms, and its window no longer")
        }
        guard !phys.isEmpty, !phys.contains(.le2M) else {
            return .invalidArgument("scanning happens on the 1M and the coded PHY")
        }
        return nil
    }
}
