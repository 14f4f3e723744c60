import BluetoothModel

/// The parameters of a scan (Core 6.0, Vol 4, Part E, 7.8.10 and 7.8.64).
package struct ScanConfiguration: Hashable, Sendable {
    /// True for active scanning, which requests scan responses.
    package var isActive = true
    /// The scan interval in units of 0.625 ms, 4 to 0x4000.
    package var interval: UInt16 = 96
    /// The scan window in units of 0.625 ms, 4 to the interval.
    package var window: UInt16 = 80
    /// True to omit reports that repeat an earlier one of this scan.
    package var filtersDuplicates = true
    /// The PHYs to scan on: 1M, coded, or both. A controller without extended scanning uses 1M.
    package var phys: Set<PHY> = [.le1M]

    /// Creates an active scan without duplicates that listens 5/6 of the time.
    package init() {}

    /// Creates a scan with these parameters.
    package init(
        isActive: Bool = true, interval: UInt16 = 96, window: UInt16 = 80, filtersDuplicates: Bool = true,
        phys: Set<PHY> = [.le1M]
    ) {
        self.isActive = isActive
        self.interval = interval
        self.window = window
        self.filtersDuplicates = filtersDuplicates
        self.phys = phys
    }

    /// The error in the values; nil if they are valid.
    var fault: RadioError? {
        guard (4...0x4000).contains(interval), (4...interval).contains(window) else {
            return .invalidArgument(
                "a scan interval must be from 4 to 16384 units of 0.625 ms, and the scan window must not be longer")
        }
        guard !phys.isEmpty, !phys.contains(.le2M) else {
            return .invalidArgument("scanning is possible on the 1M PHY and the coded PHY")
        }
        return nil
    }
}
