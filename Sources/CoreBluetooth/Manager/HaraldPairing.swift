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

    /// Pairs with what a user can see and enter.
    public init(
        _ capability: PairingCapability,
        asks: @escaping @Sendable (UUID, PairingQuestion, @escaping @Sendable (PairingAnswer) -> Void) -> Void
    ) {
        self.capability = capability
        self.asks = asks
    }

    /// A passkey that is known beforehand, 0 to 999999: it is shown by the one side and entered by the other.
    public static func passkey(_ passkey: UInt32) -> HaraldPairing {
        HaraldPairing(.keyboardOnly) { _, question, answer in
            answer(question == .enterPasskey ? .passkey(passkey) : question == .confirm ? .accept : .refuse)
        }
    }
}
