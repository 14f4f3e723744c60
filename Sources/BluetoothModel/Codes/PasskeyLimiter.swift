/// Limits the number of attempts on a fixed passkey.
///
/// In passkey entry of LE Secure Connections, each attempt reveals at least one bit of the passkey to the peer (Core
/// 6.0, Vol 3, Part H, 2.3.5.6.3). Twenty attempts reveal a fixed passkey, from any addresses. Attempts are therefore
/// counted per passkey and not per peer. An attempt counts as failed before any part of it is evaluated. A success
/// removes that one failure and no other.
public protocol PasskeyLimiter: AnyObject {
    /// Returns true if another attempt on a passkey may be evaluated.
    func allows(_ passkey: UInt32) -> Bool
    /// Counts an attempt as failed. Returns false if no attempt is left or the count cannot be stored; the caller must
    /// then not evaluate the attempt.
    func begin(_ passkey: UInt32) -> Bool
    /// Reports that the attempt that was counted last succeeded.
    func succeed(_ passkey: UInt32)
    /// Removes all failures, because the program has set the passkey again.
    /// - Throws: ``RadioError`` if the count cannot be stored.
    func reset(_ passkey: UInt32) throws(RadioError)
}

extension PasskeyLimiter {
    /// The failed attempts after which a passkey is refused.
    public static var failureLimit: Int { 3 }
}
