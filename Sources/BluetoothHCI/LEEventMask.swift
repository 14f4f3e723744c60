/// The subevents of the LE Meta event that a host enables (Core 6.0, Vol 4, Part E, 7.8.1).
public struct LEEventMask: OptionSet, Hashable, Sendable {
    /// The bits of the command parameter.
    public var rawValue: UInt64

    /// Creates a mask from its bits.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a mask with the bit of one subevent; empty for a code without a bit.
    @inlinable
    public init(_ event: LEEventCode) {
        self.init(rawValue: event.rawValue == 0 || event.rawValue > 64 ? 0 : 1 << (UInt64(event.rawValue) - 1))
    }

    /// The subevents that are enabled after a reset: 0x01 to 0x05.
    public static let standard = LEEventMask(rawValue: 0x1F)
    /// LE Connection Complete.
    public static let connectionComplete = LEEventMask(.connectionComplete)
    /// LE Advertising Report.
    public static let advertisingReport = LEEventMask(.advertisingReport)
    /// LE Connection Update Complete.
    public static let connectionUpdateComplete = LEEventMask(.connectionUpdateComplete)
    /// LE Read Remote Features Page 0 Complete.
    public static let readRemoteFeaturesComplete = LEEventMask(.readRemoteFeaturesComplete)
    /// LE Long Term Key Request.
    public static let longTermKeyRequest = LEEventMask(.longTermKeyRequest)
    /// LE Remote Connection Parameter Request.
    public static let remoteConnectionParameterRequest = LEEventMask(.remoteConnectionParameterRequest)
    /// LE Data Length Change.
    public static let dataLengthChange = LEEventMask(.dataLengthChange)
    /// LE Read Local P-256 Public Key Complete.
    public static let readLocalP256PublicKeyComplete = LEEventMask(.readLocalP256PublicKeyComplete)
    /// LE Generate DHKey Complete.
    public static let generateDHKeyComplete = LEEventMask(.generateDHKeyComplete)
    /// LE Enhanced Connection Complete [v1].
    public static let enhancedConnectionComplete = LEEventMask(.enhancedConnectionComplete)
    /// LE Directed Advertising Report.
    public static let directedAdvertisingReport = LEEventMask(.directedAdvertisingReport)
    /// LE PHY Update Complete.
    public static let phyUpdateComplete = LEEventMask(.phyUpdateComplete)
    /// LE Extended Advertising Report.
    public static let extendedAdvertisingReport = LEEventMask(.extendedAdvertisingReport)
    /// LE Periodic Advertising Sync Established.
    public static let periodicAdvertisingSyncEstablished = LEEventMask(.periodicAdvertisingSyncEstablished)
    /// LE Periodic Advertising Report.
    public static let periodicAdvertisingReport = LEEventMask(.periodicAdvertisingReport)
    /// LE Periodic Advertising Sync Lost.
    public static let periodicAdvertisingSyncLost = LEEventMask(.periodicAdvertisingSyncLost)
    /// LE Scan Timeout.
    public static let scanTimeout = LEEventMask(.scanTimeout)
    /// LE Advertising Set Terminated.
    public static let advertisingSetTerminated = LEEventMask(.advertisingSetTerminated)
    /// LE Scan Request Received.
    public static let scanRequestReceived = LEEventMask(.scanRequestReceived)
    /// LE Channel Selection Algorithm.
    public static let channelSelectionAlgorithm = LEEventMask(.channelSelectionAlgorithm)
}
