import Foundation
import TestSupport
import Testing
import WebServer

@testable import HealthHub
@testable import HealthHubWeb

@Suite("The cleaning after deletions", .timeLimit(.minutes(2)), .blocksThread)
struct CleaningTests {
    /// Calls `body` with the path of a store that was not cleaned after a deletion, then checks that it is clean.
    private func withStore(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "h\(UInt32.random(in: 0...UInt32.max))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "hub.sqlite").path
        try use(path) { store in try store.database.write(.rows) { db in try HubStore.requestErasure(db) } }
        try await body(path)
        try use(path) { store in
            let erased = try store.eraseDeleted()
            #expect(!erased)
        }
    }

    private func use(_ path: String, _ body: (HubStore) throws -> Void) throws {
        let store = try HubStore(path: path, assessor: Assessor())
        defer { try? store.close() }
        try body(store)
    }

    @Test("A hub repeats it when it starts")
    func hub() async throws {
        try await withStore { path in
            let server = try HubServer(store: path, listen: WebAddress(host: "127.0.0.1", port: 0))
            let (urls, url) = AsyncStream<String>.makeStream()
            let running = Task { try await server.run { url.yield($0.base) } }
            _ = try #require(await urls.first { _ in true })
            server.stop()
            try await running.value
        }
    }

    @Test("A command without a hub repeats it")
    func command() async throws {
        try await withStore { path in
            let result = try await AdministrationSocket.perform(.listPeople, store: path)
            #expect(result.problem == nil)
        }
    }
}
