import Crypto
import Foundation
import Synchronization

/// Limits wrong passwords per address and account: each attempt uses a credit, and one credit is restored every 30
/// seconds. All accounts of an address together have ten times as many, so that one does not lock out the others.
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
    private static let accountsPerNetwork = 10.0

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
    /// - Parameter account: the name of the account; nil for the password of the server.
    /// - Throws: ``Problem`` 429 or 503, or an error of the shared state.
    func check(
        _ text: String, against password: Password, of account: String? = nil, from address: String
    ) async throws -> Bool {
        let network = Self.network(address)
        guard let account else { return try await check(text, against: password, credits: network, factor: 1) }
        // The name may be a password that was typed into the wrong field.
        let name = RandomToken.base64URL(SHA256.hash(data: Data(account.utf8)).prefix(12))
        try await take(network + " all", factor: Self.accountsPerNetwork)
        let isRight: Bool
        do {
            isRight = try await check(text, against: password, credits: network + " " + name, factor: 1)
        } catch {
            // No password was checked.
            try await giveBack(network + " all")
            throw error
        }
        if isRight { try await giveBack(network + " all") }
        return isRight
    }

    private func check(
        _ text: String, against password: Password, credits key: String, factor: Double
    ) async throws -> Bool {
        try await take(key, factor: factor)
        let isFree = state.withLock { state in
            if state.waiting < 8 { state.waiting += 1 } else { return false }
            return true
        }
        guard isFree else {
            try await giveBack(key)
            throw Problem.unavailable("Many passwords are being checked.")
        }
        let isRight = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: password.matches(text)) }
        }
        state.withLock { $0.waiting -= 1 }
        if isRight { try await giveBack(key) }
        return isRight
    }

    /// Uses a credit, here and at the other servers.
    /// - Parameter factor: the number of times that the limit applies.
    /// - Throws: ``Problem`` 429 if there is none.
    private func take(_ key: String, factor: Double) async throws {
        let (limit, secondsPerTry) = (limit * factor, Self.secondsPerTry / factor)
        if let seconds = try await shared?.takeTry(of: key, limit: limit, secondsPerTry: secondsPerTry) {
            throw Problem.tooManyTries(seconds: Int(seconds.rounded(.up)))
        }
        let seconds: Double? = state.withLock { state in
            let instant = now()
            var account = state.accounts[key] ?? Account(tries: limit, since: instant)
            account.tries = min(limit, account.tries + (instant - account.since) / .seconds(1) / secondsPerTry)
            account.since = instant
            guard account.tries >= 1 else { return (1 - account.tries) * secondsPerTry }
            account.tries -= 1
            if state.accounts.count >= 1024, state.accounts[key] == nil,
                let oldest = state.accounts.min(by: { $0.value.since < $1.value.since })
            {
                state.accounts[oldest.key] = nil
            }
            state.accounts[key] = account
            return nil
        }
        guard let seconds else { return }
        try await shared?.returnTry(of: key)
        throw Problem.tooManyTries(seconds: Int(seconds.rounded(.up)))
    }

    private func giveBack(_ key: String) async throws {
        state.withLock { $0.accounts[key]?.tries += 1 }
        try await shared?.returnTry(of: key)
    }

    /// The unit that is limited: an IPv4 address, or an IPv6 network of 64 bits.
    private static func network(_ address: String) -> String {
        guard address.contains(":") else { return address }
        return address.split(separator: ":", omittingEmptySubsequences: false).prefix(4).joined(separator: ":")
    }
}
