import Harald

/// Names of services and characteristics on the command line: UUIDs, or assigned names.
enum ServiceName {
    /// The service that `text` names.
    static func uuid(_ text: String) throws -> BluetoothUUID {
        guard let uuid = uuids(text, .service).first else { throw unknown(text, .service) }
        return uuid
    }

    /// Everything that `text` may name; empty for an unknown name.
    static func uuids(_ text: String, _ kind: AssignedNumbers.Kind) -> [BluetoothUUID] {
        BluetoothUUID(text).map { [$0] } ?? AssignedNumbers.uuids(named: text, kind: kind)
    }

    /// The error for a name that nobody knows, with those that are like it.
    static func unknown(_ text: String, _ kind: AssignedNumbers.Kind) -> ProgramError {
        let near = AssignedNumbers.search(text, kind: kind).prefix(3).map { "\($0.uuid) \($0.name)" }
        let meant =
            near.isEmpty ? "'harald uuid TEXT' searches the names" : "did you mean \(near.joined(separator: ", "))?"
        return ProgramError(.usage, "no \(kind.rawValue) is called '\(text)'; \(meant)")
    }
}
