/// The features of a link layer (Core 6.0, Vol 6, Part B, 4.6), as exchanged between peers and read by the host.
public struct LEFeatures: OptionSet, Hashable, Sendable {
    /// The bits of the feature set.
    public var rawValue: UInt64

    /// Creates a set from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// LE Encryption.
    public static let encryption = LEFeatures(rawValue: 1 << 0)
    /// Connection Parameters Request procedure.
    public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
    /// Extended Reject Indication.
    public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
    /// Peripheral-initiated Features Exchange.
    public static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
    /// LE Ping.
    public static let ping = LEFeatures(rawValue: 1 << 4)
    /// LE Data Packet Length Extension.
    public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
    /// LL Privacy.
    public static let privacy = LEFeatures(rawValue: 1 << 6)
    /// Extended Scanning Filter Policies.
    public static let extendedScanningFilterPolicies = LEFeatures(rawValue: 1 << 7)
    /// LE 2M PHY.
    public static let le2M = LEFeatures(rawValue: 1 << 8)
    /// Stable Modulation Index, transmitter.
    public static let stableModulationTransmitter = LEFeatures(rawValue: 1 << 9)
    /// Stable Modulation Index, receiver.
    public static let stableModulationReceiver = LEFeatures(rawValue: 1 << 10)
    /// LE Coded PHY.
    public static let leCoded = LEFeatures(rawValue: 1 << 11)
    /// LE Extended Advertising.
    public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
    /// LE Periodic Advertising.
    public static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
    /// Channel Selection Algorithm #2.
    public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
    /// LE Power Class 1.
    public static let powerClass1 = LEFeatures(rawValue: 1 << 15)
    /// Minimum Number of Used Channels procedure.
    public static let minimumNumberOfUsedChannels = LEFeatures(rawValue: 1 << 16)
    /// Isochronous Channels (Host Support).
    public static let isochronousChannelsHost = LEFeatures(rawValue: 1 << 32)
    /// Connection Subrating.
    public static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
    /// Connection Subrating (Host Support).
    public static let connectionSubratingHost = LEFeatures(rawValue: 1 << 38)
}
