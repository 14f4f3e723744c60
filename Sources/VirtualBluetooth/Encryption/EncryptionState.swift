/// How far one side of a link is with starting encryption, or with pausing it to start it anew with another key
/// (Core 6.0, Vol 6, Part B, 5.1.3). In between, whatever the ciphers of the side say, it sends no data.
enum EncryptionState {
    /// What the central's host wants.
    struct Request {
        /// 16 octets, the least significant one first.
        var key: [UInt8]
        var random: UInt64
        var diversifier: UInt16
        /// Whether the link was encrypted before.
        var isRefresh: Bool
    }

    /// Nothing is under way.
    case idle

    // MARK: The central

    /// It asked for the pause.
    case pausing(Request)
    /// It asked for encryption, and the peripheral said nothing yet.
    case requesting(Request, EncryptionShare)
    /// The peripheral gave its share, and its host is looking for the key.
    case waiting(Request, EncryptionSession)
    /// The central sends encrypted packets and expects such.
    case finishing(isRefresh: Bool)

    // MARK: The peripheral

    /// It agreed to the pause and still has to hear that the central sends clear text.
    case paused
    /// Both send clear text.
    case resuming
    /// Its host has to give the key.
    case askingHost(central: EncryptionShare, own: EncryptionShare, isRefresh: Bool)
    /// It expects encrypted packets.
    case starting(EncryptionSession, isRefresh: Bool)
    /// Its last packet is on its way.
    case answering
    /// It ends the link, because there is no key to go on with.
    case leaving
}
