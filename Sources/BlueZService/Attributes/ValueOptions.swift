import SystemBus

/// The options of `ReadValue` and `WriteValue`.
struct ValueOptions {
    /// The kind of a write.
    enum Kind: String {
        case command, request, reliable
    }

    private(set) var offset = 0
    private(set) var kind: Kind?

    /// - Parameter hasKind: true for an operation with the option `type`.
    /// - Throws: `InvalidArguments` for a wrong type, `NotSupported` for an unknown kind of write.
    init(_ entries: [String: BusValue], hasKind: Bool = true) throws(BusError) {
        for (key, value) in entries {
            switch (key.lowercased(), value) {
            case ("type", _) where !hasKind: break
            case ("offset", .uint16(let value)): offset = Int(value)
            case ("type", .string(let text)):
                guard let kind = Kind(rawValue: text.lowercased()) else { throw .notSupported }
                self.kind = kind
            case ("offset", _), ("type", _): throw .invalidArguments
            default: break
            }
        }
    }

    /// Returns a value from the offset on.
    /// - Throws: `InvalidArguments` if the offset is behind the end.
    func part(of value: [UInt8]) throws(BusError) -> [UInt8] {
        guard offset <= value.count else { throw .invalidArguments("Invalid offset") }
        return Array(value.dropFirst(offset))
    }
}

/// An attribute with a value: reading it, with the last value as a property. Confined to the loop.
class ValueObject: ExportedObject {
    /// The last known value.
    fileprivate(set) final var value: [UInt8] = []

    /// Announces a value, even if it is that of before.
    final func received(_ value: [UInt8], _ interface: Interface) {
        self.value = value
        tree?.announce(self, interface, ["Value"])
    }
}
