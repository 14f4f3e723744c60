import Synchronization

/// The viewers of all sessions: those with an open stream, and those that closed recently.
///
/// The key of a viewer is `SESSION/NAME`. A session is a viewer too, with the session's name as its key; it is open
/// while one of its streams is open.
package final class ViewerDirectory: Sendable {
    private struct State {
        var open: Set<String> = []
        /// The closed viewers, most recent last.
        var closed: [String] = []
        var streams: [String: Int] = [:]
        var lastNumber = 0
    }

    /// The maximum number of remembered closed viewers.
    private static let closedLimit = 256
    private let state = Mutex(State())
    private let changed: @Sendable (_ key: String, _ isOpen: Bool) -> Void

    /// - Parameter changed: called when a viewer, or a session as a whole, opens its first stream or closes its last.
    package init(changed: @escaping @Sendable (_ key: String, _ isOpen: Bool) -> Void) { self.changed = changed }

    /// Returns the key of a viewer.
    static func key(_ session: String, _ name: String) -> String { session + "/" + name }

    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x5F
            }
    }

    /// Returns true if the viewer has an open stream, or had one recently.
    func isKnown(_ key: String) -> Bool { state.withLock { $0.open.contains(key) || $0.closed.contains(key) } }

    /// Returns a name for a viewer that has none. If `comesBack` is true, the name of the session's viewer that closed
    /// last.
    func name(for session: String, comesBack: Bool) -> String {
        state.withLock { state in
            let prefix = session + "/"
            if comesBack, let key = state.closed.last(where: { $0.hasPrefix(prefix) }) {
                return String(key.dropFirst(prefix.count))
            }
            state.lastNumber += 1
            return "viewer-\(state.lastNumber)"
        }
    }

    /// Handles the opening of a viewer's first stream or the closing of its last.
    package func streamsChanged(_ key: String, isOpen: Bool) {
        guard let slash = key.lastIndex(of: "/") else { return changed(key, isOpen) }
        let session = String(key[..<slash])
        let sessionChanged = state.withLock { state in
            let before = state.streams[session, default: 0]
            state.streams[session] = isOpen ? before + 1 : max(0, before - 1)
            if isOpen {
                state.open.insert(key)
                state.closed.removeAll { $0 == key }
            } else {
                state.open.remove(key)
                state.closed.append(key)
                if state.closed.count > Self.closedLimit { state.closed.removeFirst() }
            }
            return isOpen ? before == 0 : before == 1
        }
        changed(key, isOpen)
        if sessionChanged { changed(session, isOpen) }
    }
}
