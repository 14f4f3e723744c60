import BluetoothModel

/// A user of an adapter: a central, a manager, or a local device. Confined to the loop.
///
/// It contains the state of this user alone: its security policy and its pairing handler. A backend keeps its users in
/// the order of ``RadioBackend/addUser(_:)``, until ``RadioBackend/removeUser(_:)``.
package final class RadioUser {
    /// The minimum security of the links that this user shares.
    package let policy: SecurityPolicy
    /// Answers the questions of pairings that this user began. Without a handler only pairings with nothing to compare
    /// (Just Works) succeed, and only if the program itself requested them.
    package var pairingHandler: (any PairingHandler)? { didSet { onHandlerChange?() } }
    /// Called after ``pairingHandler`` changed; set by the backend.
    package var onHandlerChange: (() -> Void)?

    /// Creates a user.
    package init(policy: SecurityPolicy = .init(), pairingHandler: (any PairingHandler)? = nil) {
        self.policy = policy
        self.pairingHandler = pairingHandler
    }
}

extension [RadioUser] {
    /// Returns the oldest user with a pairing handler among those that `isMeant` selects. A handler that asks a person
    /// takes precedence over one that decides by itself.
    package func oldestWithHandler(where isMeant: (RadioUser) -> Bool) -> RadioUser? {
        let candidates = filter { $0.pairingHandler != nil && isMeant($0) }
        return candidates.first { $0.pairingHandler?.decidesAlone == false } ?? candidates.first
    }

    /// Returns true if this object is in the list.
    package func has(_ user: RadioUser) -> Bool { contains { $0 === user } }
}
