import Crypto
import Foundation
import Synchronization

/// The tokens of printed URLs. Each is valid once, for five minutes.
final class LoginLinks: Sendable {
    private let valid = Mutex<[(digest: SHA256Digest, end: ContinuousClock.Instant)]>([])
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The validity of a token.
    static let lifetime = Duration.seconds(300)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Creates a token. At most 16 tokens are valid; the oldest expire first.
    func make() -> String {
        let token = RandomToken.make()
        let end = now() + Self.lifetime
        valid.withLock {
            $0.append((SHA256.hash(data: Data(token.utf8)), end))
            if $0.count > 16 { $0.removeFirst() }
        }
        return token
    }

    /// Consumes a token. Returns `false` if it was used before, has expired, or was never created.
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
