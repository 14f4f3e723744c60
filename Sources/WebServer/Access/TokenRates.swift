import Foundation
import Synchronization

/// The limit of the requests of one named token.
package struct RequestRate: Sendable {
    /// The average number of requests per second.
    package var perSecond: Double
    /// The number of requests that may be sent at once after a pause.
    package var burst: Double
    /// The number of requests that may be in progress at the same time.
    package var concurrent: Int

    /// Creates a limit with ten seconds' requests as the burst.
    package init(perSecond: Double, concurrent: Int = 256) {
        (self.perSecond, burst, self.concurrent) = (perSecond, perSecond * 10, concurrent)
    }
}

/// Limits the requests of each named token, so that one of them does not take the time of the others. Each request uses
/// a credit; credits are restored at a constant rate.
final class TokenRates: Sendable {
    private struct Account {
        var credits: Double
        var since: ContinuousClock.Instant
        var inProgress = 0
    }

    private let limit: RequestRate
    private let now: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[String: Account]>([:])
    /// The number of accounts from which those with all credits are removed.
    private static let manyAccounts = 1024

    init(_ limit: RequestRate, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.limit, self.now) = (limit, now)
    }

    /// Counts a request that begins. ``end(_:)`` must follow unless this throws.
    ///
    /// - Throws: ``Problem`` 429 above the limit.
    func begin(_ name: String) throws(Problem) {
        let wait: Double? = accounts.withLock { accounts in
            let instant = now()
            if accounts.count >= Self.manyAccounts, accounts[name] == nil {
                accounts = accounts.filter { one in
                    one.value.inProgress > 0 || credits(of: one.value, at: instant) < limit.burst
                }
            }
            var account = accounts[name] ?? Account(credits: limit.burst, since: instant)
            account.credits = credits(of: account, at: instant)
            account.since = instant
            defer { accounts[name] = account }
            guard account.credits >= 1 else { return (1 - account.credits) / limit.perSecond }
            guard account.inProgress < limit.concurrent else { return 1 }
            account.credits -= 1
            account.inProgress += 1
            return nil
        }
        if let wait { throw Problem.tooManyRequests(seconds: max(1, Int(wait.rounded(.up)))) }
    }

    /// Records that a request has ended.
    func end(_ name: String) {
        accounts.withLock { $0[name]?.inProgress -= 1 }
    }

    private func credits(of account: Account, at instant: ContinuousClock.Instant) -> Double {
        min(limit.burst, account.credits + (instant - account.since) / .seconds(1) * limit.perSecond)
    }
}
