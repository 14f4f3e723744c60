import Foundation
import Synchronization

/// Limits wrong passwords per address: each attempt uses a credit, and one credit is restored every 30 seconds.
final class PasswordTries: Sendable {
    private struct Account {
        var tries: Double
        var since: ContinuousClock.Instant
    }

    private struct State {
        var accounts: [String: Account] = [:]
        var waiting = 0
    }

    private let limit: Double
    private let shared: (any SharedWebState)?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "passwords")
    private static let secondsPerTry = 30.0

    /// - Parameter shared: the credits, if other servers share them.
    init(
        limit: Int, shared: (any SharedWebState)? = nil,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.limit = Double(limit)
        self.shared = shared
        self.now = now
    }

    /// Checks a password, one at a time and outside the event loops. A correct one uses no credit. It restores none
    /// either: the owner of an account could otherwise try the passwords of others without a limit.
    ///
    /// - Throws: ``Problem`` 429 or 503, or an error of the shared state.
    func check(_ text: String, against password: Password, from address: String) async throws -> Bool {
        let network = Self.network(address)
        if let seconds = try await shared?.takeTry(of: network, limit: limit, secondsPerTry: Self.secondsPerTry) {
            throw Problem.tooManyTries(seconds: Int(seconds.rounded(.up)))
        }
        do { try takeOwnTry(of: network) } catch {
            // No password was checked.
            try await shared?.returnTry(of: network)
            throw error
        }
        let isRight = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: password.matches(text)) }
        }
        state.withLock { state in
            state.waiting -= 1
            if isRight { state.accounts[network]?.tries += 1 }
        }
        if isRight { try await shared?.returnTry(of: network) }
        return isRight
    }

    private func takeOwnTry(of network: String) throws {
        try state.withLock { state in
            let instant = now()
            var account = state.accounts[network] ?? Account(tries: limit, since: instant)
            let elapsed = instant - account.since
            account.tries = min(limit, account.tries + elapsed / .seconds(1) / Self.secondsPerTry)
            account.since = instant
            guard account.tries >= 1 else {
                throw Problem.tooManyTries(seconds: Int(((1 - account.tries) * Self.secondsPerTry).rounded(.up)))
            }
            guard state.waiting < 8 else { throw Problem.unavailable("Many passwords are being checked.") }
            account.tries -= 1
            state.waiting += 1
            if state.accounts.count >= 1024, state.accounts[network] == nil {
                state.accounts = state.accounts.filter { $0.value.tries < limit - 1 }
                if state.accounts.count >= 1024,
                    let oldest = state.accounts.min(by: { $0.value.since < $1.value.since })
                {
                    state.accounts[oldest.key] = nil
                }
            }
            state.accounts[network] = account
        }
    }

    /// The unit that is limited: an IPv4 address, or an IPv6 network of 64 bits.
    private static func network(_ address: String) -> String {
        guard address.contains(":") else { return address }
        return address.split(separator: ":", omittingEmptySubsequences: false).prefix(4).joined(separator: ":")
    }
}
