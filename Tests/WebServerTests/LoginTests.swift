import Foundation
import Synchronization
import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(5))) struct LoginTests {
    /// Accounts without a person, which record the logins.
    private final class RecordedLogins: WebAccounts {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }

        func passwordHash(of name: String) async throws -> String? { nil }
        func grant(of name: String) async throws -> WebGrant? { nil }
        func noteLogin(of name: String, isRight: Bool, from address: String) async {
            all.withLock { $0.append("\(name) from \(address): \(isRight)") }
        }
    }

    @Test func loginsWithoutAnAccountAreRecorded() async throws {
        let store = try TemporaryDirectory()
        let path = store.path + "/password"
        try Data("open sesame\n".utf8).write(to: URL(fileURLWithPath: path))
        let logins = RecordedLogins()
        try await RunningServer.with(
            store: store.path,
            change: {
                $0.passwordFile = path
                $0.accounts = logins
            }
        ) { running in
            let url = try #require(running.server.makeLoginURL())
            #expect(try await running.send(url).status == 303)
            let token = try running.token
            for (secret, status) in [(token, 303), ("sesame", 401), ("open+sesame", 303)] {
                #expect(try await running.send("/login", method: "POST", body: "secret=\(secret)").status == status)
            }
        }
        #expect(
            logins.texts == [
                "a browser with the login URL from 127.0.0.1: true", "a browser with the token from 127.0.0.1: true",
                "a browser with the password from 127.0.0.1: false",
                "a browser with the password from 127.0.0.1: true",
            ])
    }

    @Test func theFormLeadsToThePageThatWasAskedFor() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path) { running in
            let form = try await running.send("/people/1?days=7&x=%22", headers: ["Accept": "text/html"])
            #expect(form.body.contains("name=\"page\" value=\"/people/1?days=7&amp;x=%22\""))
            let token = try String(contentsOfFile: running.listening.tokenFile, encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            for (page, location) in [
                ("%2Fpeople%2F1%3Fdays%3D7", "/people/1?days=7"), ("", "/"), ("%2F%2Fexample.org", "/"),
                ("%2F%5Cexample.org", "/"), ("https%3A%2F%2Fexample.org", "/"), ("%2Fa%0D%0Ab", "/"),
                ("%2Flogout", "/"),
            ] {
                let answer = try await running.send("/login", method: "POST", body: "page=\(page)&secret=\(token)")
                #expect(answer.status == 303 && answer.headers["location"] == location, "\(page)")
            }
            let wrong = try await running.send("/login", method: "POST", body: "page=%2Fpeople%2F1&secret=no")
            #expect(wrong.body.contains("value=\"/people/1\""))
        }
    }

    @Test func printedURLLogsInOnce() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path) { running in
            let url = try #require(running.server.makeLoginURL())
            let first = try await running.send(url)
            #expect(first.status == 303)
            #expect(first.headers["location"] == "/")
            let field = try #require(first.headers["set-cookie"])
            #expect(field.hasPrefix("test-\(running.listening.address.port)="))
            #expect(field.contains("; HttpOnly") && field.contains("; SameSite=Strict") && !field.contains("Secure"))
            let second = try await running.send(url)
            #expect(second.status == 401)
            #expect(second.headers["set-cookie"] == nil)
            #expect(second.body.contains("already used"))
            let cookie = try #require(first.cookie)
            #expect(try await running.send("/api/v1/things/1", headers: ["Cookie": cookie]).status == 200)
            #expect(try await running.send("/api/v1/things/1", headers: ["Cookie": cookie + "x"]).status == 401)
            // With a session the used link is no error.
            #expect(try await running.send(url, headers: ["Cookie": cookie]).status == 303)
        }
    }

    /// A program would discard a token for which it received 401.
    @Test func aTokenThatCannotBeReadNowIsNotRefused() async throws {
        let store = try TemporaryDirectory()
        let tokens: @Sendable (Substring) async throws -> WebIdentity? = { text in
            guard text == "known" else { throw Problem.unavailable("The tokens cannot be read.") }
            return .token(name: "gateway", grant: WebGrant(role: "gateway"))
        }
        try await RunningServer.with(store: store.path, change: { $0.namedToken = tokens }) { running in
            for (token, status) in [("known", 200), ("other", 503)] {
                let answer = try await running.send(
                    "/api/v1/things/1", headers: ["Authorization": "Bearer \(token)"])
                #expect(answer.status == status)
            }
        }
    }

    @Test func aLinkIsValidForFiveMinutes() {
        let now = Mutex(ContinuousClock.now)
        let links = LoginLinks { now.withLock { $0 } }
        let early = links.make()
        let late = links.make()
        now.withLock { $0 += .seconds(299) }
        #expect(links.redeem(early))
        #expect(!links.redeem(early))
        now.withLock { $0 += .seconds(1) }
        #expect(!links.redeem(late))
    }

    @Test func sessionsSurviveARestart() async throws {
        // The cookie carries the port, and another test may take the port between two starts.
        for _ in 0..<10 {
            do {
                return try await sessionSurvivesARestart()
            } catch WebServerError.addressInUse {}
        }
        Issue.record("ten ports in turn were taken")
    }

    private func sessionSurvivesARestart() async throws {
        let store = try TemporaryDirectory()
        let (cookie, port) = try await RunningServer.with(store: store.path) {
            (try await $0.logIn(), $0.listening.address.port)
        }
        #expect(try store.mode("test-session-key") == 0o600)
        let (again, ended) = try await RunningServer.with(store: store.path, port: port) { running in
            let again = try await running.send("/api/v1/things/1", headers: ["Cookie": cookie]).status
            _ = try await running.send("/logout", method: "POST", headers: ["Cookie": cookie])
            return (again, try await running.send("/api/v1/things/1", headers: ["Cookie": cookie]).status)
        }
        #expect(again == 200)
        #expect(ended == 401)
        let afterLogout = try await RunningServer.with(store: store.path, port: port) {
            try await $0.send("/api/v1/things/1", headers: ["Cookie": cookie]).status
        }
        #expect(afterLogout == 401)
    }

    @Test func aSessionBelongsToOneServerAndEnds() throws {
        let now = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let sessions = try Sessions(key: Array(repeating: 7, count: 32)) { now.withLock { $0 } }
        let value = sessions.make(cookie: "a-1")
        #expect(sessions.identifier(value, cookie: "a-1") != nil)
        #expect(sessions.identifier(value, cookie: "a-2") == nil)
        #expect(try Sessions(key: Array(repeating: 8, count: 32)).identifier(value, cookie: "a-1") == nil)
        let other = try Sessions(key: Array(repeating: 7, count: 32), secret: "new password") { now.withLock { $0 } }
        #expect(other.identifier(value, cookie: "a-1") == nil)
        now.withLock { $0 += Double(Sessions.lifetime) }
        #expect(sessions.identifier(value, cookie: "a-1") == nil)
    }

    @Test func programsUseTheTokenFile() async throws {
        let store = try TemporaryDirectory()
        try await RunningServer.with(store: store.path, change: { $0.tokenFile = store.path + "/token" }) { running in
            #expect(try store.mode("token") == 0o600)
            let answer = try await running.authorized("/api/v1/things/a%2Fb")
            #expect(answer.status == 200)
            #expect(answer.problem["id"] as? String == "a/b")
            #expect(answer.problem["session"] as? String == "bearer")
            let wrong = try await running.send("/api/v1/things/1", headers: ["Authorization": "Bearer wrong"])
            #expect(wrong.status == 401)
            #expect(wrong.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
    }

    @Test func aTokenFileReadableByOthersIsRefused() async throws {
        let store = try TemporaryDirectory()
        let path = store.path + "/token"
        try Data("0123456789abcdef0123".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        await #expect(throws: WebServerError.fileNotPrivate(path: path)) {
            try await RunningServer.with(store: store.path, change: { $0.tokenFile = path }) { _ in }
        }
    }
}
