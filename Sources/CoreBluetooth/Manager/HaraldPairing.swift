import BluetoothBackend
import Foundation

/// Answers what pairing asks, where Apple's systems show a dialog: give one to a manager with
/// ``HaraldManagerOptionPairingKey``, or to all with ``HaraldDefaults/pairing``.
public struct HaraldPairing: Sendable {
    /// What can be shown to the user, and what the user can enter: this decides what is asked.
    public var capability: PairingCapability
    /// Asks about a device, which its `identifier` names; the answer is given once, from any thread, when the user has
    /// decided. Called on the manager's queue.
    public var asks: @Sendable (UUID, PairingQuestion, @escaping @Sendable (PairingAnswer) -> Void) -> Void
    /// The passkey that is the same in each pairing; nil where there is none.
    var fixedPasskey: UInt32?
    /// Told when the fixed passkey is refused; the argument sets it anew.
    var passkeyBlocked: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Pairs with what a user can see and enter.
    public init(
        _ capability: PairingCapability,
        asks: @escaping @Sendable (UUID, PairingQuestion, @escaping @Sendable (PairingAnswer) -> Void) -> Void
    ) {
        self.capability = capability
        self.asks = asks
    }

    /// A passkey that is known beforehand, 0 to 999999: it is shown by the one side and entered by the other.
    ///
    /// Each failed attempt on it reveals a part of it, so that it is refused after three, however many devices they come
    /// from. The count is kept in the manager's directory; without one it lasts as long as the process.
    /// - Parameter blocked: called on the manager's queue when the passkey is refused, with a function that sets it anew;
    ///   the program may call that whenever it wants, from any thread.
    public static func passkey(
        _ passkey: UInt32,
        blocked: (@Sendable (_ allow: @escaping @Sendable () -> Void) -> Void)? = nil
    ) -> HaraldPairing {
        var pairing = HaraldPairing(.keyboardOnly) { _, question, answer in
            answer(question == .enterPasskey ? .passkey(passkey) : question == .confirm ? .accept : .refuse)
        }
        pairing.fixedPasskey = passkey
        pairing.passkeyBlocked = blocked
        return pairing
    }
}
