import BluetoothModel

/// What one advertising packet, or one chain of them, said (Core 6.0, Vol 4, Part E, 7.7.65.2 and 7.7.65.13).
public struct AdvertisingReport {
    /// What kind of packet it was.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits, as in the extended report.
        public let rawValue: UInt8

        /// A set by its bits.
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The device takes connections.
        public static let connectable = Properties(rawValue: 1 << 0)
        /// The device answers scan requests.
        public static let scannable = Properties(rawValue: 1 << 1)
        /// The packet is meant for one peer.
        public static let directed = Properties(rawValue: 1 << 2)
        /// The packet is a scan response.
        public static let scanResponse = Properties(rawValue: 1 << 3)
        /// The packet is one that Bluetooth 4.0 knows too.
        public static let legacy = Properties(rawValue: 1 << 4)
    }

    /// Who advertises.
    public var address: BluetoothAddress
    /// Whether the controller resolved a private address: ``address`` is the identity.
    public var isResolved: Bool
    /// What kind of packet it was. A legacy scan response does not tell whether the device is connectable.
    public var properties: Properties
    /// Received signal strength in dBm, -127 to 20; nil where the controller does not know.
    public var rssi: Int8?
    /// The power it was sent with in dBm, as the packet's header tells; nil where it does not.
    public var txPower: Int8?
    /// The physical layer of the first packet.
    public var primaryPHY: PHY
    /// The physical layer of the further packets; nil where there were none.
    public var secondaryPHY: PHY?
    /// The advertising set identifier, 0 to 15; nil for legacy packets.
    public var sid: UInt8?
    /// Whom a directed packet is meant for, where the report tells.
    public var directAddress: BluetoothAddress?
    /// The advertising data, or the scan response data. Valid only during the call that hands the report over.
    public var data: ByteView
    /// Whether the end of the data was lost.
    public var isTruncated: Bool

    /// A report about a packet.
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

    /// Whether the device takes connections.
    @inlinable
    public var isConnectable: Bool { properties.contains(.connectable) }
    /// Whether this is the second half of what a device says.
    @inlinable
    public var isScanResponse: Bool { properties.contains(.scanResponse) }
}
