import Foundation
import GRDB
import Synchronization

/// Caches tokens by digest until the table changes.
final class TokenCache: TransactionObserver, Sendable {
    private struct Cached {
        var version: UInt64 = 0
        var isChanging = false
        var tokens: [Data: TokenRecord] = [:]
    }

    private let cached = Mutex(Cached())

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "token" }
    func databaseDidChange(with event: DatabaseEvent) { cached.withLock { $0.isChanging = true } }
    func databaseDidRollback(_ db: Database) { cached.withLock { $0.isChanging = false } }

    func databaseDidCommit(_ db: Database) {
        cached.withLock { cached in
            guard cached.isChanging else { return }
            cached = Cached(version: cached.version + 1)
        }
    }

    func token(_ digest: Data) -> TokenRecord? { cached.withLock { $0.tokens[digest] } }

    /// Reads the token with this digest, and caches it. Unknown tokens are not cached.
    func token(_ digest: Data, read: () throws -> TokenRecord?) rethrows -> TokenRecord? {
        let version = cached.withLock { $0.version }
        guard let token = try read() else { return nil }
        cached.withLock { cached in
            // A token read before a change is not cached after it.
            if cached.version == version { cached.tokens[digest] = token }
        }
        return token
    }
}
