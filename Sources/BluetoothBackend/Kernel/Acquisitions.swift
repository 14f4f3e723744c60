/// The holders of one shared thing, such as a link: the first starts it, the last ends it, and each may give up while
/// it starts.
///
/// Each acquisition has its own token, so that one that fails, or ends late, releases itself and nothing else.
package struct Acquisitions<Holder: Hashable> {
    /// One acquisition of a holder.
    package struct Token: Hashable { fileprivate let number: UInt64 }

    private struct Entry {
        let token: Token
        let holder: Holder
        var isEstablished = false
    }

    private var entries: [Entry] = []
    private var last: UInt64 = 0

    /// Creates acquisitions of a thing that nobody holds.
    package init() {}

    /// True if nobody holds the thing, or waits for it.
    package var isEmpty: Bool { entries.isEmpty }

    /// The holders, including those that wait for the start; each once.
    package var holders: Set<Holder> { Set(entries.lazy.map(\.holder)) }

    /// Returns true if the holder has the thing, or waits for it.
    package func isHeld(by holder: Holder) -> Bool { entries.contains { $0.holder == holder } }

    /// Adds an acquisition, which waits until the thing is established.
    package mutating func acquire(by holder: Holder) -> Token {
        last += 1
        let token = Token(number: last)
        entries.append(Entry(token: token, holder: holder))
        return token
    }

    /// Establishes an acquisition, and joins it with an earlier one of the same holder.
    /// - Returns: false if it was released meanwhile.
    package mutating func establish(_ token: Token) -> Bool {
        guard let index = entries.firstIndex(where: { $0.token == token }) else { return false }
        entries[index].isEstablished = true
        let holder = entries[index].holder
        entries.removeAll { $0.holder == holder && $0.isEstablished && $0.token != token }
        return true
    }

    /// Removes one acquisition; returns false if it was released before.
    @discardableResult
    package mutating func release(_ token: Token) -> Bool {
        remove { $0.token == token }
    }

    /// Removes all acquisitions of a holder; returns false if there were none.
    @discardableResult
    package mutating func releaseAll(of holder: Holder) -> Bool {
        remove { $0.holder == holder }
    }

    /// Removes the acquisitions of a thing that has ended; those that wait for its next start remain.
    package mutating func releaseEstablished() {
        entries.removeAll(where: \.isEstablished)
    }

    private mutating func remove(where isReleased: (Entry) -> Bool) -> Bool {
        let count = entries.count
        entries.removeAll(where: isReleased)
        return entries.count < count
    }
}
