import BluetoothModel

/// One user's share of a link, as the link counts it.
package protocol CountedShare: PeripheralLink {
    /// The user of the share; nil for no particular user.
    var user: RadioUser? { get }
}

/// The shares of one link, in the order in which they were added. Confined to the loop.
///
/// Unretained: a share belongs to its user, and removes itself when it is released, at the latest in its `deinit`.
package final class LinkShares<Share: CountedShare> {
    private var shares: [Unmanaged<Share>] = []

    /// Creates an empty list.
    package init() {}

    /// True while the link has users.
    package var isInUse: Bool { !shares.isEmpty }
    /// The users of the shares; nil for no particular user.
    package var users: [RadioUser?] { shares.map { $0.takeUnretainedValue().user } }

    /// Adds a share, and returns it.
    package func add(_ share: Share) -> Share {
        shares.append(.passUnretained(share))
        return share
    }

    /// Removes a share, which may be in its `deinit`; returns true if it was the last one.
    package func remove(_ share: Unmanaged<Share>) -> Bool {
        shares.removeAll { $0.toOpaque() == share.toOpaque() }
        return shares.isEmpty
    }

    /// Returns the first share that satisfies `isMeant`.
    package func first(where isMeant: (Share) -> Bool) -> Share? {
        shares.lazy.map { $0.takeUnretainedValue() }.first(where: isMeant)
    }

    /// Calls `body` with each share. One that is released meanwhile, its own or another's, is left out.
    package func forEach(_ body: (Share) -> Void) {
        for share in shares where shares.contains(where: { $0.toOpaque() == share.toOpaque() }) {
            body(share.takeUnretainedValue())
        }
    }

    /// Calls `body` with the observer of each share.
    package func tell(_ body: (any LinkObserver) -> Void) {
        forEach { share in if let observer = share.observer { body(observer) } }
    }
}
