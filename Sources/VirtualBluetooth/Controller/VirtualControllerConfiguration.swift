import BluetoothHCI
import BluetoothModel

/// What a virtual controller is and can do.
public struct VirtualControllerConfiguration: Sendable {
    /// The public address; nil has the air make one up.
    public var address: BluetoothAddress?
    /// The features of the link layer; ``supportedFeatures`` is all that there is, and fewer make an older controller.
    public var features: LEFeatures = Self.supportedFeatures
    /// The longest data of an ACL packet from the host, 27 to 65535 octets.
    public var aclPacketLength: UInt16 = 251
    /// How many ACL packets the controller takes before it completes one, 1 to 255.
    public var aclPacketCount: UInt8 = 16
    /// How many links it holds at once, 1 to 3776.
    public var linkCount = 64
    /// How many advertising sets it holds, 1 to 240.
    public var advertisingSetCount = 16
    /// The longest advertising data of a set, 31 to 1650 octets.
    public var advertisingDataLength = 1650
    /// How many devices fit in the filter accept list.
    public var acceptListSize: UInt8 = 32
    /// How many devices fit in the resolving list; without `privacy` among the features there is none.
    public var resolvingListSize: UInt8 = 16
    /// Where the device stands; nil leaves the signal strength unknown.
    public var position: AirPosition? = .origin
    /// The power that it sends with, in dBm, -127 to 20.
    public var txPower: Int8 = 0
    /// The version of HCI and of the link layer; 0x0D is 5.4.
    public var version: UInt8 = 0x0D
    /// The company that made it, as remote devices read it; 0xFFFF is for tests.
    public var manufacturer: UInt16 = 0xFFFF

    /// Everything that a virtual controller can do.
    public static let supportedFeatures: LEFeatures = [
        .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
        .ping, .dataPacketLengthExtension, .privacy, .extendedScanningFilterPolicies, .le2M, .leCoded,
        .extendedAdvertising, .channelSelectionAlgorithm2,
    ]

    /// A controller that can do everything, with a made-up address, in the middle of the air.
    public init() {}

    /// The same with a public address of one's own.
    public init(address: BluetoothAddress?) { self.address = address }

    /// The configuration with every number held to its range.
    var clamped: Self {
        var copy = self
        copy.features.formIntersection(Self.supportedFeatures)
        copy.aclPacketLength = max(27, aclPacketLength)
        copy.aclPacketCount = max(1, aclPacketCount)
        copy.linkCount = min(max(1, linkCount), LinkTable.maximumCount)
        copy.advertisingSetCount = min(max(1, advertisingSetCount), 240)
        copy.advertisingDataLength = min(max(31, advertisingDataLength), 1650)
        copy.txPower = min(20, txPower)
        return copy
    }
}
