#if Programs
import Foundation
import PeerSupport

@testable import HealthHub

/// A store in a directory, or in a database, of its own.
struct TemporaryStore: ~Copyable {
    let location: StoreLocation
    let store: HubStore

    init(_ kind: StoreKind = .sqlite) throws {
        let location = try StoreLocation(kind)
        (self.location, store) = (location, try location.open())
    }

    var directory: URL { location.directory }
    /// The path or the address of the store.
    var path: String { location.path }

    deinit { try? store.close() }
}

extension StoreLocation {
    /// Opens the store.
    func open() throws -> HubStore {
        if let address = try PostgresAddress(path) { return try HubStore(address, assessor: Assessor()) }
        return try HubStore(path: path, assessor: Assessor())
    }
}
#endif
