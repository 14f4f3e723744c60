/// One user of an adapter: a central, a manager, or a device of our own. Confined to the loop.
///
/// It carries what belongs to this user alone: its security policy, and the handler of its pairing questions. A backend
/// knows its users in the order in which they came, from ``RadioBackend/addUser(_:)`` to
/// ``RadioBackend/removeUser(_:)``.
public final class RadioUser {
    /// Minimum security of the links that this user shares.
    public let policy: SecurityPolicy
    /// Answers the questions of pairings that this user began. Without one, such a pairing asks nobody anything: it
    /// succeeds only where there is nothing to compare, and only where the program itself asked for it.
    public var pairingHandler: (any PairingHandler)? { didSet { onHandlerChange?() } }
    /// Called after ``pairingHandler`` changed; set by the backend.
    package var onHandlerChange: (() -> Void)?

    /// A user.
    public init(policy: SecurityPolicy = .init(), pairingHandler: (any PairingHandler)? = nil) {
        self.policy = policy
        self.pairingHandler = pairingHandler
    }
}

extension [RadioUser] {
    /// The oldest user that has a pairing handler, among those that `isMeant` selects. A handler that asks a person
    /// goes before one that decides by itself.
    package func oldestWithHandler(where isMeant: (RadioUser) -> Bool) -> RadioUser? {
        let candidates = filter { $0.pairingHandler != nil && isMeant($0) }
        return candidates.first { $0.pairingHandler?.decidesAlone == false } ?? candidates.first
    }

    /// Whether this very user is in the list.
    package func has(_ user: RadioUser) -> Bool { contains { $0 === user } }
}
