import BluetoothModel

/// The contents of one advertising packet, or of one chain of them (Core 6.0, Vol 4, Part E, 7.7.65.2 and 7.7.65.13).
public struct AdvertisingReport {
    /// The properties of an advertising packet.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits of the Event_Type parameter of an extended report.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The device accepts connections.
        public static let connectable = Properties(rawValue: 1 << 0)
        /// The device answers scan requests.
        public static let scannable = Properties(rawValue: 1 << 1)
        /// The packet is addressed to one peer.
        public static let directed = Properties(rawValue: 1 << 2)
        /// The packet is a scan response.
        public static let scanResponse = Properties(rawValue: 1 << 3)
        /// The packet is a legacy PDU, as defined by Bluetooth 4.0.
        public static let legacy = Properties(rawValue: 1 << 4)
    }

    /// The address of the advertiser.
    public var address: BluetoothAddress
    /// True if the controller resolved a private address; ``address`` is then the identity address.
    public var isResolved: Bool
    /// The properties of the packet. A legacy scan response does not indicate whether the device is connectable.
    public var properties: Properties
    /// The received signal strength in dBm, -127 to 20; nil if unknown.
    public var rssi: Int8?
    /// The transmit power in dBm from the header of an extended packet; nil if absent.
    public var txPower: Int8?
    /// The PHY of the first packet.
    public var primaryPHY: PHY
    /// The PHY of the auxiliary packets; nil if there were none.
    public var secondaryPHY: PHY?
    /// The advertising set identifier, 0 to 15; nil for legacy packets.
    public var sid: UInt8?
    /// The address to which a directed packet is addressed, if the report contains it.
    public var directAddress: BluetoothAddress?
    /// The advertising data, or the scan response data. Valid only during the call that delivers the report.
    public var data: ByteView
    /// True if the end of the data is missing.
    public var isTruncated: Bool

    /// Creates a report.
    public init(
        address: BluetoothAddress, isResolved: Bool = false, properties: Properties, rssi: Int8?, txPower: Int8? = nil,
        primaryPHY: PHY = .le1M, secondaryPHY: PHY? = nil, sid: UInt8? = nil, directAddress: BluetoothAddress? = nil,
        data: ByteView, isTruncated: Bool = false
    ) {
        self.address = address
        self.isResolved = isResolved
        self.properties = properties
        self.rssi = rssi
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.sid = sid
        self.directAddress = directAddress
        self.data = data
        self.isTruncated = isTruncated
    }

    /// True if the device accepts connections.
    @inlinable
    public var isConnectable: Bool { properties.contains(.connectable) }
    /// True if the data is scan response data.
    @inlinable
    public var isScanResponse: Bool { properties.contains(.scanResponse) }
}
