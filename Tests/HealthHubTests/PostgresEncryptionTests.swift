#if os(Linux)
import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import HealthHub

@Suite("TLS to PostgreSQL", .enabled(if: PostgresServer.problem == nil), .blocksThread)
struct PostgresEncryptionTests {
    /// Returns the error of opening a store; nil if it was opened, with TLS.
    private func problem(_ address: String) throws -> String? {
        do {
            let address = try #require(try PostgresAddress(address))
            let store = try HubStore(address, assessor: Assessor(), patience: .seconds(600))
            defer { try? store.close() }
            let isEncrypted = try store.database.read { db in
                try db.isTrue("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
            }
            #expect(isEncrypted)
            return nil
        } catch let problem as HubProblem {
            return problem.description
        }
    }

    @Test("A mode of verification holds, or is an error with advice that is not retried")
    func modes() throws {
        let server = try PostgresServer(hasTLS: true)
        let (port, root, other) = (
            try #require(server.port), try #require(server.root), try #require(server.other)
        )
        let named = "postgres://harald@db.test:\(port)/postgres?hostaddr=127.0.0.1"
        let numbered = "postgres://harald@127.0.0.1:\(port)/postgres?"
        let begin = ContinuousClock.now
        #expect(try problem(numbered + "sslmode=require") == nil)
        #expect(try problem(numbered + "sslmode=require&sslrootcert=\(root)") == nil)
        #expect(try problem(numbered + "sslmode=verify-ca&sslrootcert=\(root)") == nil)
        #expect(try problem(named + "&sslmode=verify-full&sslrootcert=\(root)") == nil)
        for mode in ["require", "verify-ca", "verify-full"] {
            let wrong = try problem(named + "&sslmode=\(mode)&sslrootcert=\(other)")
            #expect(wrong?.contains("sslrootcert must contain the authority") == true, "\(mode): \(wrong ?? "none")")
        }
        let name = try problem(numbered + "sslmode=verify-full&sslrootcert=\(root)")
        #expect(name?.contains("use the name that the certificate contains") == true, "\(name ?? "none")")
        let socket = try problem(
            "postgres://harald@:\(port)/postgres?host=\(server.directory)&sslmode=verify-full&sslrootcert=\(root)")
        #expect(socket?.contains("a Unix socket has no TLS") == true, "\(socket ?? "none")")
        // An error that was retried would take as long as the patience.
        #expect(.now - begin < .seconds(600))
    }

    @Test("Parameters that libpq ignores or does not know are errors")
    func parameters() throws {
        let address = "postgres://harald@127.0.0.1:1/postgres?"
        let root = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).crt").path
        try "".write(toFile: root, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(try problem(address + "sslmode=verify")?.contains("'verify' is not an sslmode") == true)
        #expect(try problem(address + "sslmode=verify-full&sslrootcert=/none")?.contains("cannot read") == true)
        for mode in ["disable", "allow", "prefer"] {
            #expect(
                try problem(address + "sslmode=\(mode)&sslrootcert=\(root)")?.contains("has no effect") == true)
        }
        #expect(try PostgresAddress(address + "sslmode=require&sslrootcert=\(root)") != nil)
    }

    @Test("A connection to another machine is encrypted, or sslmode=disable permits that it is not")
    func otherMachine() throws {
        func encryption(_ mode: String, _ address: String, isActive: Bool) -> PostgresEncryption {
            PostgresEncryption(mode: mode, hasRoot: false, host: "db.example", address: address, isActive: isActive)
        }
        for local in ["127.0.0.1", "::1", ""] {
            try encryption("prefer", local, isActive: false).check()
            #expect(encryption("prefer", local, isActive: false).warning == nil)
        }
        for mode in ["allow", "prefer", "require"] {
            #expect(throws: PostgresError.self) { try encryption(mode, "192.0.2.1", isActive: false).check() }
            try encryption(mode, "192.0.2.1", isActive: true).check()
            let warning = encryption(mode, "192.0.2.1", isActive: true).warning
            #expect(warning?.contains("is not verified") == true)
        }
        try encryption("disable", "192.0.2.1", isActive: false).check()
        #expect(encryption("disable", "192.0.2.1", isActive: false).warning?.contains("is not encrypted") == true)
        #expect(encryption("verify-full", "192.0.2.1", isActive: true).warning == nil)
        #expect(throws: PostgresError.self) { try encryption("verify-ca", "", isActive: false).check() }
    }
}
#endif
