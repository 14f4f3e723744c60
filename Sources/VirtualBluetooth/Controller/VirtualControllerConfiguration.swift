import BluetoothHCI
import BluetoothModel

/// The properties and capabilities of a virtual controller.
public struct VirtualControllerConfiguration: Sendable {
    /// The public address; nil lets the air assign one.
    public var address: BluetoothAddress?
    /// The supported link layer features, a subset of ``supportedFeatures``. Fewer features simulate an older
    /// controller.
    public var features: LEFeatures = Self.supportedFeatures
    /// The maximum data length of an ACL packet from the host, 27 to 65535 octets.
    public var aclPacketLength: UInt16 = 251
    /// The number of ACL packets that the controller buffers, 1 to 255.
    public var aclPacketCount: UInt8 = 16
    /// The maximum number of links, 1 to 3776.
    public var linkCount = 64
    /// The maximum number of advertising sets, 1 to 240.
    public var advertisingSetCount = 16
    /// The maximum length of the advertising data of a set, 31 to 1650 octets.
    public var advertisingDataLength = 1650
    /// The capacity of the filter accept list.
    public var acceptListSize: UInt8 = 32
    /// The capacity of the resolving list; ignored without the `privacy` feature.
    public var resolvingListSize: UInt8 = 16
    /// The position of the device; nil leaves the signal strength unknown.
    public var position: AirPosition? = .origin
    /// The transmit power, -127 to 20 dBm.
    public var txPower: Int8 = 0
    /// The version of HCI and of the link layer; 0x0D is 5.4.
    public var version: UInt8 = 0x0D
    /// The company identifier of the manufacturer, which peers can read; 0xFFFF is reserved for tests.
    public var manufacturer: UInt16 = 0xFFFF

    /// All features that virtual controllers support.
    public static let supportedFeatures: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
        .ping, .dataPacketLengthExtension, .privacy, .extendedScanningFilterPolicies, .le2M, .leCoded,
        .extendedAdvertising, .channelSelectionAlgorithm2,
    ]

    /// Creates the configuration of a controller with all features and an assigned address, at the origin.
    public init() {}

    /// Creates the same configuration with this public address.
    public init(address: BluetoothAddress?) { self.address = address }

    /// The configuration with every number limited to its range.
    var clamped: Self {
        var copy = self
        copy.features.formIntersection(Self.supportedFeatures)
        copy.aclPacketLength = max(27, aclPacketLength)
        copy.aclPacketCount = max(1, aclPacketCount)
        copy.linkCount = min(max(1, linkCount), ControllerLinkTable.maximumCount)
        copy.advertisingSetCount = min(max(1, advertisingSetCount), 240)
        copy.advertisingDataLength = min(max(31, advertisingDataLength), 1650)
        copy.txPower = min(20, txPower)
        return copy
    }
}
