import BluetoothModel
import Foundation

/// A question of pairing to the user.
public typealias PairingQuestion = BluetoothModel.PairingQuestion
/// The user's answer to a question of pairing.
public typealias PairingAnswer = BluetoothModel.PairingAnswer
/// The input and output capability of the user interface.
public typealias PairingCapability = BluetoothModel.PairingCapability

/// Answers the questions of pairing, where Apple's systems show a dialog. Pass one to a manager with
/// ``HaraldManagerOptionPairingKey``, or to all with ``HaraldDefaults/pairing``.
public struct HaraldPairing: Sendable {
    /// The input and output capability, which decides the questions.
    public var capability: PairingCapability
    /// Asks a question about the device with the given `identifier`. The answer is given once, from any thread, when
    /// the user has decided. Called on the manager's queue.
    public var asks: @Sendable (UUID, PairingQuestion, @escaping @Sendable (PairingAnswer) -> Void) -> Void
    /// Decides if a new pairing may replace the bond with the device of this identifier, which has not proved that it
    /// has the key of the bond: it was reset, or is an impostor. The answer is given once, from any thread. Called on
    /// the manager's queue. Nil, the default, keeps the bond and refuses the pairing: as with Apple's systems, the user
    /// first deletes the bond.
    public var replacesBond: (@Sendable (UUID, @escaping @Sendable (Bool) -> Void) -> Void)?
    /// The fixed passkey; nil if there is none.
    var fixedPasskey: UInt32?
    /// Called when the fixed passkey is refused; the argument allows it again.
    var passkeyBlocked: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

    /// Creates a pairing handler with an input and output capability, and a closure that answers the questions.
    public init(
        _ capability: PairingCapability,
        asks: @escaping @Sendable (UUID, PairingQuestion, @escaping @Sendable (PairingAnswer) -> Void) -> Void
    ) {
        self.capability = capability
        self.asks = asks
    }

    /// Returns a fixed passkey, 0 to 999999: one side shows it and the other enters it.
    ///
    /// Each failed attempt reveals a part of the passkey, so it is refused after three failed attempts by any devices.
    /// The count is stored in the manager's directory; without one it lasts as long as the process.
    /// - Parameter blocked: called on the manager's queue when the passkey is refused, with a function that allows it
    ///   again; the program may call the function at any time, from any thread.
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
