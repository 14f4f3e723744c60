import HealthHub
import PeerSupport

extension StoreLocation {
    /// Opens the store.
    func open() throws -> HubStore {
        if let address = try PostgresAddress(path) { return try HubStore(address, assessor: Assessor()) }
        return try HubStore(path: path, assessor: Assessor())
    }
}
