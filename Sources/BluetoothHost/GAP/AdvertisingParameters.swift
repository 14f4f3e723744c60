import BluetoothModel

/// How to advertise (Core 6.0, Vol 4, Part E, 7.8.5 and 7.8.53).
public struct AdvertisingParameters: Hashable, Sendable {
    /// The shortest and the longest time between two advertising events in units of 0.625 ms, 32 to 16384.
    public var intervalRange: ClosedRange<UInt16> = 160...160
    /// Whether centrals may connect.
    public var isConnectable = true
    /// Whether scan requests are answered. A legacy advertisement that is connectable always answers them.
    public var isScannable = true
    /// The one peer that may connect; nil for everybody. Such an advertisement carries no data.
    public var directedTo: BluetoothAddress?
    /// Whether a directed advertisement is repeated as fast as possible, for 1.28 s at most.
    public var isHighDuty = false
    /// How long to advertise; nil until stopped.
    public var duration: Duration?
    /// Whether extended packets are sent even where the data fits into legacy ones. Needs extended advertising.
    public var usesExtendedPackets = false
    /// The physical layers of extended packets: the first is 1M or coded.
    public var primaryPHY = PHY.le1M, secondaryPHY = PHY.le1M
    /// The wish for the transmit power in dBm, -127 to 20; nil leaves it to the controller.
    public var txPower: Int8?

    /// Connectable, every 100 ms, until stopped.
    public init() {}

    /// The usual choices.
    public init(
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
