import BluetoothModel

/// Asks the user, and receives the results of pairings; confined to the loop.
///
/// The manager's state is consistent during every call, so the delegate may call the manager and answer immediately.
package protocol SecurityManagerDelegate: AnyObject {
    /// Asks the user. Call `answer` once, immediately or later; the peer waits for at most 30 s. A pairing can also be
    /// refused with ``SecurityManager/cancelPairing(on:)``. Display a passkey until
    /// ``securityManager(_:withdrewQuestionOn:)``.
    func securityManager(
        _ manager: SecurityManager, asks question: SecurityQuestion, on link: any SecurityLink,
        answer: @escaping (SecurityAnswer) -> Void)
    /// Returns the pairing capabilities of the user of this link; nil for those of the configuration.
    func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser?
    /// The last question needs no answer any more, because pairing continued or ended.
    func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink)
    /// The peer's user pressed a key while entering the displayed passkey.
    func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink)
    /// A step of a pairing begins. The delegate only reports it.
    func securityManager(_ manager: SecurityManager, reached step: PairingStep, on link: any SecurityLink)
    /// A pairing succeeded. `bond` was stored; nil if nothing was stored.
    func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?)
    /// A pairing failed.
    func securityManager(_ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure)
    /// The last permitted attempt on the fixed passkey failed. The passkey is refused until
    /// ``SecurityManager/allowPasskey(_:)``.
    func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink)
    /// The peer does not have the key of the bond: it removed the bond, or it is a different device. The link stays
    /// unencrypted, and no pairing starts before ``SecurityManager/forget(_:)``.
    func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink)
    /// A bond could not be stored.
    func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError)
}

extension SecurityManagerDelegate {
    /// Returns nil: the configuration applies.
    package func securityManager(_ manager: SecurityManager, userOf link: any SecurityLink) -> SecurityUser? { nil }
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, withdrewQuestionOn link: any SecurityLink) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, heard keypress: Keypress, on link: any SecurityLink) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, reached step: PairingStep, on link: any SecurityLink) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, pairedOn link: any SecurityLink, bond: Bond?) {}
    /// Does nothing.
    package func securityManager(
        _ manager: SecurityManager, failedToPairOn link: any SecurityLink, _ failure: PairingFailure
    ) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, blockedPasskeyOn link: any SecurityLink) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, lost bond: Bond, on link: any SecurityLink) {}
    /// Does nothing.
    package func securityManager(_ manager: SecurityManager, couldNotKeep bond: Bond, _ error: RadioError) {}
}
