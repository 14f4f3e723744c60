import BluetoothBackend

/// Answers the questions of pairing for a program's user; refusing is always possible.
public protocol PairingDelegate: Sendable {
    /// What can be shown to the user and entered, which decides what is asked; by default everything.
    var capability: PairingCapability { get }
    /// The fixed passkey, 0 to 999999, where it is printed on the device; nil, the default, for a fresh one each time,
    /// which is safer: each failed attempt on a fixed one reveals a part of it. After three failed attempts in all, from
    /// whatever devices, it is refused until ``LocalPeripheral/allowPasskey()`` or ``Central/allowPasskey()``. The
    /// count is kept beside the bonds; without a store it lasts as long as the process.
    var passkey: UInt32? { get }
    /// Whether key presses are told while a passkey is entered, where the other device wants that too; by default not.
    var tellsKeypresses: Bool { get }
    /// Asks one question about pairing with `peripheral`. The other side waits 30 s at most.
    ///
    /// The task is cancelled when no answer is needed any more. A number that is to be shown stays until
    /// ``pairingEnded(with:)``; its answer matters only where it is a refusal.
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer
    /// The question that was asked last needs no answer any more: pairing went on or ended.
    func pairingEnded(with peripheral: PeripheralID) async
    /// The fixed passkey is refused from now on, because three attempts on it failed. The program decides when it may be
    /// tried again: whoever is near can have it refused, but not find it.
    func passkeyBlocked() async
    /// The other device's user does something while entering the passkey that is shown here; one after the other.
    func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async
}

extension PairingDelegate {
    /// Everything can be shown and entered.
    public var capability: PairingCapability { .keyboardDisplay }
    /// A fresh one each time.
    public var passkey: UInt32? { nil }
    /// They are not.
    public var tellsKeypresses: Bool { false }
    /// Does nothing.
    public func pairing(with peripheral: PeripheralID, heard keypress: Keypress) async {}
    /// Does nothing.
    public func passkeyBlocked() async {}
    /// Does nothing.
    public func pairingEnded(with peripheral: PeripheralID) async {}
}

/// Pairs with whoever wants to, where there is nothing to compare, and with nobody else.
///
/// Such a link is encrypted, but nobody vouched that there is no third device in the middle.
public struct JustWorksPairing: PairingDelegate {
    /// Neither input nor output.
    public let capability = PairingCapability.noInputNoOutput

    /// A delegate.
    public init() {}

    /// Accepts where there is nothing to compare.
    public func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        question == .confirm ? .accept : .refuse
    }
}

extension PairingDelegate where Self == JustWorksPairing {
    /// Pairs with whoever wants to, where there is nothing to compare.
    public static var justWorks: JustWorksPairing { JustWorksPairing() }
}
