import BluetoothModel

/// Asks the user, and hears what became of pairings; confined to the loop.
///
/// Every call comes with the manager's state complete, so the delegate may call it back, and answer at once.
public protocol SecurityManagerDelegate: AnyObject {
    /// Asks the user; `answer` may be called later, once. The other side waits 30 s at most. Refusing is always
    /// possible, with ``SecurityManager/cancelPairing(on:)`` too. A number that is to be shown stays until
    /// ``securityManager(_:withdrewQuestionOn:)``.
    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void)
    /// What can be asked of the user on this link; nil for what the configuration says of all links.
    func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser?
    /// The question that was asked last needs no answer any more: pairing went on or ended.
    func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink)
    /// The peer's user enters our passkey.
    func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink)
    /// A pairing succeeded. `bond` is what is kept of it; nil where nothing is.
    func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?)
    /// A pairing failed.
    func securityManager(_ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure)
    /// The last attempt that is allowed on the user's fixed passkey failed: it is refused until
    /// ``SecurityManager/allowPasskey(_:)``.
    func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink)
    /// The peer does not know the key of the bond: it forgot us, or it is somebody else. The link stays unencrypted,
    /// and no new pairing begins before ``SecurityManager/forget(_:)``.
    func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink)
    /// The store could not keep a bond.
    func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError)
}

extension SecurityManagerDelegate {
    /// What the configuration says.
    public func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser? { nil }
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink) {}
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink) {}
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?) {}
    /// Nothing.
    public func securityManager(
        _ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure
    ) {}
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink) {}
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink) {}
    /// Nothing.
    public func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError) {}
}
