#if Programs
import Crypto
import Foundation
import Synchronization

/// The tokens of printed URLs: each is valid once, for five minutes.
final class LoginLinks: Sendable {
    private let valid = Mutex<[(digest: SHA256Digest, end: ContinuousClock.Instant)]>([])
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The time that a token is valid.
    static let lifetime = Duration.seconds(300)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Makes a token. Of more than 16, the oldest are no longer valid.
    func make() -> String {
        let token = RandomToken.make()
        let end = now() + Self.lifetime
        valid.withLock {
            $0.append((SHA256.hash(data: Data(token.utf8)), end))
            if $0.count > 16 { $0.removeFirst() }
        }
        return token
    }

    /// Uses a token up. `false` if it was used before, is too old, or was never made.
    func redeem(_ token: String) -> Bool {
        let digest = SHA256.hash(data: Data(token.utf8))
        let instant = now()
        return valid.withLock {
            $0.removeAll { $0.end <= instant }
            guard let index = $0.firstIndex(where: { $0.digest == digest }) else { return false }
            $0.remove(at: index)
            return true
        }
    }
}
#endif
