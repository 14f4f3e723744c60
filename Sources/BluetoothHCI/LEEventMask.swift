/// The subevents of the LE Meta event that a host enables (Core 6.0, Vol 4, Part E, 7.8.1).
package struct LEEventMask: OptionSet, Hashable, Sendable {
    /// The bits of the command parameter.
    package var rawValue: UInt64

    /// Creates a mask from its bits.
    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a mask with the bit of one subevent; empty for a code without a bit.
    @inlinable
    package init(_ event: LEEventCode) {
        self.init(rawValue: event.rawValue == 0 || event.rawValue > 64 ? 0 : 1 << (UInt64(event.rawValue) - 1))
    }

    /// The subevents that are enabled after a reset: 0x01 to 0x05.
    package static let standard = LEEventMask(rawValue: 0x1F)
    /// LE Connection Complete.
    package static let connectionComplete = LEEventMask(.connectionComplete)
    /// LE Advertising Report.
    package static let advertisingReport = LEEventMask(.advertisingReport)
    /// LE Connection Update Complete.
    package static let connectionUpdateComplete = LEEventMask(.connectionUpdateComplete)
    /// LE Read Remote Features Page 0 Complete.
    package static let readRemoteFeaturesComplete = LEEventMask(.readRemoteFeaturesComplete)
    /// LE Long Term Key Request.
    package static let longTermKeyRequest = LEEventMask(.longTermKeyRequest)
    /// LE Remote Connection Parameter Request.
    package static let remoteConnectionParameterRequest = LEEventMask(.remoteConnectionParameterRequest)
    /// LE Data Length Change.
    package static let dataLengthChange = LEEventMask(.dataLengthChange)
    /// LE Read Local P-256 Public Key Complete.
    package static let readLocalP256PublicKeyComplete = LEEventMask(.readLocalP256PublicKeyComplete)
    /// LE Generate DHKey Complete.
    package static let generateDHKeyComplete = LEEventMask(.generateDHKeyComplete)
    /// LE Enhanced Connection Complete [v1].
    package static let enhancedConnectionComplete = LEEventMask(.enhancedConnectionComplete)
    /// LE Directed Advertising Report.
    package static let directedAdvertisingReport = LEEventMask(.directedAdvertisingReport)
    /// LE PHY Update Complete.
    package static let phyUpdateComplete = LEEventMask(.phyUpdateComplete)
    /// LE Extended Advertising Report.
    package static let extendedAdvertisingReport = LEEventMask(.extendedAdvertisingReport)
    /// LE Periodic Advertising Sync Established.
    package static let periodicAdvertisingSyncEstablished = LEEventMask(.periodicAdvertisingSyncEstablished)
    /// LE Periodic Advertising Report.
    package static let periodicAdvertisingReport = LEEventMask(.periodicAdvertisingReport)
    /// LE Periodic Advertising Sync Lost.
    package static let periodicAdvertisingSyncLost = LEEventMask(.periodicAdvertisingSyncLost)
    /// LE Scan Timeout.
    package static let scanTimeout = LEEventMask(.scanTimeout)
    /// LE Advertising Set Terminated.
    package static let advertisingSetTerminated = LEEventMask(.advertisingSetTerminated)
    /// LE Scan Request Received.
    package static let scanRequestReceived = LEEventMask(.scanRequestReceived)
    /// LE Channel Selection Algorithm.
    package static let channelSelectionAlgorithm = LEEventMask(.channelSelectionAlgorithm)
}
