import BluetoothModel

/// One user's share of a link, as the link counts it.
package protocol CountedShare: PeripheralLink {
    /// The user of the share; nil for no particular user.
    var user: RadioUser? { get }
}

/// The shares of one link, in the order in which they were added. Confined to the loop.
package final class LinkShares {
    private struct Entry {
        let id: ObjectIdentifier
        /// A share belongs to its user. Proof of `unowned(unsafe)`: a share removes itself when it is released, at the
        /// latest in its `deinit`.
        unowned(unsafe) let share: any CountedShare
    }

    private var entries: [Entry] = []

    /// Creates an empty list.
    package init() {}

    /// True while the link has users.
    package var isInUse: Bool { !entries.isEmpty }
    /// True while the link has several users.
    package var isShared: Bool { entries.count > 1 }
    /// The users of the shares; nil for no particular user.
    package var users: [RadioUser?] { entries.map(\.share.user) }

    /// Adds a share, and returns it.
    package func add<Share: CountedShare>(_ share: Share) -> Share {
        entries.append(Entry(id: ObjectIdentifier(share), share: share))
        return share
    }

    /// Removes a share, which may be in its `deinit`; returns true if no share is left.
    package func remove(_ share: ObjectIdentifier) -> Bool {
        entries.removeAll { $0.id == share }
        return entries.isEmpty
    }

    /// Returns the first share that satisfies `isMeant`.
    package func first(where isMeant: (any CountedShare) -> Bool) -> (any CountedShare)? {
        entries.first { isMeant($0.share) }?.share
    }

    /// Calls `body` with each share. One that is released meanwhile, by its own user or by another, is left out.
    package func forEach(_ body: (any CountedShare) -> Void) {
        for entry in entries where entries.contains(where: { $0.id == entry.id }) { body(entry.share) }
    }

    /// Calls `body` with the observer of each share.
    package func tell(_ body: (any LinkObserver) -> Void) {
        forEach { share in if let observer = share.observer { body(observer) } }
    }
}
