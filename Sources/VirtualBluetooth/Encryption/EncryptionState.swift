/// The state of one side in the procedures that start encryption, or pause it to change the key (Core 6.0, Vol 6, Part
/// B, 5.1.3). Outside `idle` the side sends no data, whichever ciphers it has.
enum EncryptionState {
    /// The encryption request of the central's host.
    struct Request {
        /// 16 octets, least significant first.
        var key: [UInt8]
        var random: UInt64
        var diversifier: UInt16
        /// True if the link was already encrypted.
        var isRefresh: Bool
    }

    /// No procedure is in progress.
    case idle

    // MARK: The central

    /// Requested the pause and waits for the response.
    case pausing(Request)
    /// Requested encryption; the peripheral has not responded.
    case requesting(Request, EncryptionShare)
    /// Received the peripheral's share; the peripheral's host is looking up the key.
    case waiting(Request, EncryptionSession)
    /// Sends and expects encrypted packets.
    case finishing(isRefresh: Bool)

    // MARK: The peripheral

    /// Agreed to the pause; waits until the central sends clear text.
    case paused
    /// Both sides send clear text.
    case resuming
    /// Waits for the key from its host.
    case askingHost(central: EncryptionShare, own: EncryptionShare, isRefresh: Bool)
    /// Expects encrypted packets.
    case starting(EncryptionSession, isRefresh: Bool)
    /// Its last packet is in flight.
    case answering
    /// Ends the link, because there is no key to resume encryption with.
    case leaving
}
