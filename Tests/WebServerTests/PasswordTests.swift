import Foundation
import Logging
import Synchronization
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(5))) struct PasswordTests {
    @Test func aPasswordFileIsReplacedByItsHash() async throws {
        let store = try TemporaryDirectory()
        let path = store.path + "/password"
        try Data("open sesame\n".utf8).write(to: URL(fileURLWithPath: path))
        try await RunningServer.with(store: store.path, change: { $0.passwordFile = path }) { running in
            let content = try String(contentsOfFile: path, encoding: .utf8)
            #expect(content.hasPrefix("$scrypt$") && !content.contains("sesame"))
            #expect(try store.mode("password") == 0o600)
            let right = try await running.send("/login", method: "POST", body: "secret=open+sesame")
            #expect(right.status == 303)
            let cookie = try #require(right.cookie)
            #expect(try await running.send("/api/v1/things/1", headers: ["Cookie": cookie]).status == 200)
            #expect(try await running.send("/login", method: "POST", body: "secret=sesame").status == 401)
        }
        let hash = try Password(file: path, logger: Logger(label: "test"))
        #expect(hash.matches("open sesame"))
        #expect(!hash.matches("open sesame "))
    }

    @Test func aShortPasswordIsRefused() throws {
        let store = try TemporaryDirectory()
        let path = store.path + "/password"
        try Data("1234567\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(
            throws: WebServerError.unusableFile(path: path, reason: "a password must have 8 characters or more")
        ) {
            try Password(file: path, logger: Logger(label: "test"))
        }
    }

    @Test func wrongPasswordsAreLimited() async throws {
        let now = Mutex(ContinuousClock.now)
        let tries = PasswordTries(limit: 3) { now.withLock { $0 } }
        let password = try Password("right")
        for _ in 0..<3 { #expect(try await !tries.check("wrong", against: password, from: "10.0.0.1")) }
        await #expect(throws: Problem.self) { try await tries.check("right", against: password, from: "10.0.0.1") }
        #expect(try await tries.check("right", against: password, from: "10.0.0.2"))
        now.withLock { $0 += .seconds(30) }
        // A correct password, perhaps of another account, permits no further wrong ones.
        for _ in 0..<2 { #expect(try await tries.check("right", against: password, from: "10.0.0.1")) }
        #expect(try await !tries.check("wrong", against: password, from: "10.0.0.1"))
        await #expect(throws: Problem.self) { try await tries.check("wrong", against: password, from: "10.0.0.1") }
    }

    @Test func wrongPasswordsOfOneAccountDoNotLockOutOthers() async throws {
        let now = Mutex(ContinuousClock.now)
        let tries = PasswordTries(limit: 3) { now.withLock { $0 } }
        let password = try Password("right")
        func check(_ text: String, _ account: String?) async throws -> Bool {
            try await tries.check(text, against: password, of: account, from: "10.0.0.1")
        }
        for _ in 0..<3 { #expect(try await !check("wrong", "anna")) }
        await #expect(throws: Problem.self) { try await check("right", "anna") }
        #expect(try await check("right", "ben"))
        #expect(try await check("right", nil))
        // Guesses at many names are limited too.
        for number in 0..<27 { #expect(try await !check("wrong", "\(number)")) }
        await #expect(throws: Problem.self) { try await check("wrong", "another") }
    }

    @Test func listeningOnTheNetworkRequiresAPassword() async throws {
        let store = try TemporaryDirectory()
        let address = WebAddress(host: "0.0.0.0", port: 0)
        await #expect(throws: WebServerError.passwordRequired(address)) {
            try await RunningServer.with(store: store.path, change: { $0.listen = address }) { _ in }
        }
    }

    @Test func aCertificateIsCreatedOnce() async throws {
        let store = try TemporaryDirectory()
        let first = try await RunningServer.with(store: store.path, change: { $0.encryption = .selfSigned }) {
            running in
            #expect(running.listening.base.hasPrefix("https://"))
            let url = try #require(running.server.makeLoginURL())
            let field = try #require(try await running.send(url).headers["set-cookie"])
            #expect(field.hasPrefix("__Host-test-") && field.contains("; Secure"))
            return running.listening.fingerprint
        }
        #expect(first?.split(separator: ":").count == 32)
        #expect(try store.mode("test-certificate-key.pem") == 0o600)
        let second = try await RunningServer.with(store: store.path, change: { $0.encryption = .selfSigned }) {
            $0.listening.fingerprint
        }
        #expect(first == second)
    }
}
