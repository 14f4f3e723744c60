import Foundation

/// The databases in which a store of the health hub can be. Each test of the store runs on all of them.
package enum StoreKind: String, CaseIterable, Sendable {
    case sqlite, postgres

    #if os(Linux)
    /// All kinds; without PostgreSQL if there is no server.
    package static let all: [StoreKind] = {
        guard let problem = PostgresServer.problem else { return allCases }
        print("\nTHE TESTS OF THE STORE ON POSTGRESQL ARE SKIPPED: \(problem)\n")
        return [.sqlite]
    }()
    #else
    /// All kinds; PostgreSQL is tested on Linux.
    package static let all: [StoreKind] = [.sqlite]
    #endif
}

/// A directory, and a file in it or a database for a store. They are removed with the last reference.
package final class StoreLocation: Sendable {
    /// The directory.
    package let directory: URL
    /// The path of the file, or the address of the database.
    package let path: String
    private let isDatabase: Bool

    /// Creates the directory, and the database. Blocks the thread.
    package init(_ kind: StoreKind) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        #if os(Linux)
        if kind == .postgres {
            path = try PostgresServer.shared.get().makeDatabase()
            isDatabase = true
            return
        }
        #endif
        path = directory.appending(path: "hub.sqlite").path
        isDatabase = false
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
        #if os(Linux)
        if isDatabase { try? PostgresServer.shared.get().remove(path) }
        #endif
    }
}
