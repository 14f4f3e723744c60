#if Programs
import Foundation
import PeerSupport
import Testing

@testable import HealthHub

/// The kinds of databases of a store. Each test of the store runs on all of them.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgres

    var testDescription: String { rawValue }

    #if os(Linux)
    /// All kinds; without PostgreSQL where there is no server.
    static let all: [StoreKind] = {
        guard let problem = PostgresServer.problem else { return allCases }
        print("\nTHE TESTS OF THE STORE ON POSTGRESQL ARE SKIPPED: \(problem)\n")
        return [.sqlite]
    }()
    #else
    static let all: [StoreKind] = [.sqlite]
    #endif
}

/// A store in a directory, or in a database, of its own.
struct TemporaryStore: ~Copyable {
    let directory: URL
    let store: HubStore
    /// The path or the address of the store.
    let path: String
    private let isDatabase: Bool

    init(_ kind: StoreKind = .sqlite) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let opened = try Self.open(kind, directory)
        self.directory = directory
        (store, path, isDatabase) = (opened.store, opened.path, opened.isDatabase)
    }

    private static func open(
        _ kind: StoreKind, _ directory: URL
    ) throws -> (store: HubStore, path: String, isDatabase: Bool) {
        #if os(Linux)
        if kind == .postgres {
            let path = try PostgresServer.shared.get().makeDatabase()
            let address = try #require(try PostgresAddress(path))
            return (try HubStore(address, assessor: Assessor()), path, true)
        }
        #endif
        let path = directory.appending(path: "hub.sqlite").path
        return (try HubStore(path: path, assessor: Assessor()), path, false)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(at: directory)
        #if os(Linux)
        if isDatabase { try? PostgresServer.shared.get().remove(path) }
        #endif
    }
}
#endif
