import BluetoothModel

/// The parameters of an advertisement (Core 6.0, Vol 4, Part E, 7.8.5 and 7.8.53).
package struct AdvertisingParameters: Hashable, Sendable {
    /// The minimum and maximum advertising interval, in units of 0.625 ms, 32 to 16384.
    package var intervalRange: ClosedRange<UInt16> = 160...160
    /// True if centrals may connect.
    package var isConnectable = true
    /// True if scan requests are answered. A connectable legacy advertisement always answers them.
    package var isScannable = true
    /// The only peer that may connect; nil for every device. A directed advertisement carries no data in legacy
    /// packets.
    package var directedTo: BluetoothAddress?
    /// True for high duty cycle directed advertising, which ends after at most 1.28 s.
    package var isHighDuty = false
    /// The duration of advertising, 10 ms to 655.35 s; nil to advertise until stopped.
    package var duration: Duration?
    /// True to send extended packets even if the data fits into legacy ones. Requires extended advertising.
    package var usesExtendedPackets = false
    /// The PHYs of extended packets. The primary PHY is 1M or coded.
    package var primaryPHY = PHY.le1M, secondaryPHY = PHY.le1M
    /// The preferred transmit power in dBm, -127 to 20; nil leaves it to the controller.
    package var txPower: Int8?

    /// Creates parameters for connectable advertising every 100 ms until stopped.
    package init() {}

    /// Creates parameters with the most common options.
    package init(
        intervalRange: ClosedRange<UInt16> = 160...160, isConnectable: Bool = true, isScannable: Bool = true,
        directedTo: BluetoothAddress? = nil, isHighDuty: Bool = false, duration: Duration? = nil,
        usesExtendedPackets: Bool = false
    ) {
        self.intervalRange = intervalRange
        self.isConnectable = isConnectable
        self.isScannable = isScannable
        self.directedTo = directedTo
        self.isHighDuty = isHighDuty
        self.duration = duration
        self.usesExtendedPackets = usesExtendedPackets
    }
}
