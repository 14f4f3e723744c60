import Foundation
import JSON
import PeerSupport
import Testing

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

extension HubStore {
    /// Adds a person.
    /// - Parameter height: in metres.
    func addPerson(
        name: String, born: String, guideline: Rule.Guideline? = nil, setting: Rule.Setting? = nil,
        pregnant: Bool? = nil, height: Decimal? = nil
    ) throws -> Person {
        var new = PersonChange(name: name, born: born)
        (new.guideline, new.setting, new.pregnant) = (guideline, setting, pregnant)
        new.height = height.map { .init(stringLiteral: "\($0) m") }
        return try addPerson(new)
    }
}

extension SubmittedReading {
    /// Creates a reading of the device `D-1` at one time.
    /// - Parameter json: the decoded fields.
    static func ofOneDevice(
        _ characteristic: String? = nil, hex: String? = nil, json: String? = nil, time: String? = "2026-11-10T10:00:00"
    ) throws -> SubmittedReading {
        var reading = SubmittedReading()
        reading.device = .init(serial: "D-1")
        (reading.characteristic, reading.hex, reading.deviceTime) = (characteristic, hex, time)
        reading.fields = try json.flatMap { try JSONValue(parsing: Array($0.utf8)).members }
        return reading
    }
}

extension StoreLocation {
    /// Opens the store.
    func open() throws -> HubStore {
        if let address = try PostgresAddress(path) { return try HubStore(address, assessor: Assessor()) }
        return try HubStore(path: path, assessor: Assessor())
    }
}
