/// Limits the attempts on a passkey that is the same in each pairing.
///
/// In passkey entry of LE Secure Connections each attempt tells the peer at least one bit of the passkey
/// (Core 6.0, Vol 3, Part H, 2.3.5.6.3), so that twenty attempts find a fixed one, from whatever addresses they come.
/// Therefore attempts are counted for the passkey, and not for the peer. An attempt counts as failed before any of it
/// is evaluated; a success takes back that one and no other.
public protocol PasskeyLimiter: AnyObject {
    /// Whether a further attempt on a passkey is evaluated.
    func allows(_ passkey: UInt32) -> Bool
    /// Counts an attempt as failed; false where none is left, or the count cannot be kept: nothing is evaluated then.
    func begin(_ passkey: UInt32) -> Bool
    /// The attempt that was counted last succeeded.
    func succeed(_ passkey: UInt32)
    /// Forgets the failures, because the program sets the passkey anew.
    /// - Throws: what keeps the count from being written.
    func reset(_ passkey: UInt32) throws(RadioError)
}

extension PasskeyLimiter {
    /// The failed attempts after which a passkey is refused.
    public static var failureLimit: Int { 3 }
}
