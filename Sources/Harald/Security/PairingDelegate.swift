import BluetoothBackend

/// Answers the questions of pairing on behalf of the user. Every question may be refused.
public protocol PairingDelegate: Sendable {
    /// The input and output capability, which decides the questions; by default input and output.
    var capability: PairingCapability { get }
    /// The fixed passkey, 0 to 999999, for example printed on the device; nil, the default, for a new one in each
    /// pairing. A new one is safer: each failed attempt on a fixed passkey reveals a part of it. After three failed
    /// attempts in all, by any devices, it is refused until ``LocalPeripheral/allowPasskey()`` or
    /// ``Central/allowPasskey()``. The count is stored with the bonds; without a store it lasts as long as the process.
    var passkey: UInt32? { get }
    /// True to exchange keypress notifications during passkey entry, where the other device supports them too; by
    /// default false.
    var tellsKeypresses: Bool { get }
    /// Asks one question about pairing with `peripheral`. The other side waits at most 30 s.
    ///
    /// The task is cancelled when the answer is no longer needed. A displayed passkey stays until
    /// ``pairingEnded(with:)``; the answer to it matters only where it is a refusal.
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer
    /// Returns true to replace the bond with `peripheral` by a new pairing, for example because the device was reset.
    ///
    /// The other device claims to be `peripheral`, but has not proved that it has the key of the bond, so it may be an
    /// impostor: ask the user. By default the bond is kept and the pairing refused; ``Peripheral/forgetBond()`` then
    /// allows a new one. The other side waits at most 30 s, and the task is cancelled when the answer is no longer
    /// needed.
    func replacesBond(with peripheral: PeripheralID) async -> Bool
    /// Called when the last question needs no answer any more: pairing continued or ended.
    func pairingEnded(with peripheral: PeripheralID) async
    /// Called when the fixed passkey is refused from now on, because three attempts on it failed. The program decides
    /// when it is allowed again: a device in range can have the passkey blocked, but cannot find it.
    func passkeyBlocked() async
    /// Called for each keypress of the other device's user during entry of the passkey that is shown here. The calls do
    /// not overlap.
    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async
}

extension PairingDelegate {
    /// Keyboard and display.
    public var capability: PairingCapability { .keyboardDisplay }
    /// No fixed passkey.
    public var passkey: UInt32? { nil }
    /// No keypress notifications.
    public var tellsKeypresses: Bool { false }
    /// Keeps the bond.
    public func replacesBond(with peripheral: PeripheralID) async -> Bool { false }
    /// Does nothing.
    public func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async {}
    /// Does nothing.
    public func passkeyBlocked() async {}
    /// Does nothing.
    public func pairingEnded(with peripheral: PeripheralID) async {}
}

/// A delegate that decides for each peripheral whether a refused operation may start a pairing.
package protocol PairingGate: PairingDelegate {
    /// Returns false if an operation that the peripheral refuses for want of security must fail instead. Called on the
    /// adapter's loop.
    func permitsPairing(with peripheral: PeripheralID) -> Bool
}

/// A delegate that accepts pairing without a comparison (Just Works) with any device, and refuses all other pairing.
///
/// Such a link is encrypted but not authenticated: there may be a third device in the middle.
public struct JustWorksPairing: PairingDelegate {
    /// No input and no output.
    public let capability = PairingCapability.noInputNoOutput

    /// Creates a delegate.
    public init() {}

    /// Accepts a confirmation without a number; refuses all other questions.
    public func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        question == .confirm ? .accept : .refuse
    }
}

extension PairingDelegate where Self == JustWorksPairing {
    /// A delegate that accepts pairing without a comparison with any device.
    public static var justWorks: JustWorksPairing { JustWorksPairing() }
}
