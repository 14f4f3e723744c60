import Harald

/// Resolves names of services, characteristics and descriptors on the command line: UUIDs, or assigned names.
enum ServiceName {
    /// Returns the UUID of the service that `text` names.
    /// - Throws: ``ProgramError`` for an unknown name.
    static func uuid(_ text: String) throws -> BluetoothUUID {
        guard let uuid = uuids(text, .service).first else { throw unknown(text, .service) }
        return uuid
    }

    /// Returns all UUIDs that `text` may name; empty for an unknown name.
    static func uuids(_ text: String, _ kind: AssignedNumbers.Kind) -> [BluetoothUUID] {
        BluetoothUUID(text).map { [$0] } ?? AssignedNumbers.uuids(named: text, kind: kind)
    }

    /// Returns the error for an unknown name, with similar names.
    static func unknown(_ text: String, _ kind: AssignedNumbers.Kind) -> ProgramError {
        let near = AssignedNumbers.search(text, kind: kind).prefix(3).map { "\($0.uuid) \($0.name)" }
        let meant =
            near.isEmpty ? "'harald uuid TEXT' searches the names" : "did you mean \(near.joined(separator: ", "))?"
        return ProgramError(.usage, "no \(kind.rawValue) is named '\(text)'; \(meant)")
    }
}
