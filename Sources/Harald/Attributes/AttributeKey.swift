/// The key of a service, a characteristic or a descriptor: a UUID, a name from the driver, or an assigned name.
///
/// A string literal may be any of them: "180F", "temperature", "battery level".
public struct AttributeKey: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private enum Kind: Hashable, Sendable {
        case uuid(BluetoothUUID)
        case text(String)
    }

    private let kind: Kind

    /// A key that is a UUID.
    public init(_ uuid: BluetoothUUID) { kind = .uuid(uuid) }

    /// A key that is a name, or the text of a UUID.
    public init(_ text: String) { kind = .text(text) }

    /// A key that is a name, or the text of a UUID.
    public init(stringLiteral text: String) { self.init(text) }

    /// The text as it was given.
    public var description: String {
        switch kind {
        case .uuid(let uuid): uuid.description
        case .text(let text): "'\(text)'"
        }
    }

    /// Returns the UUID that the key stands for, or nil. A driver's name takes precedence over the text of a UUID, and
    /// that over an assigned name.
    func uuid(names: AttributeNames, in service: BluetoothUUID?, among space: AssignedNumbers.Kind) -> BluetoothUUID? {
        guard case .text(let text) = kind else {
            if case .uuid(let uuid) = kind { return uuid }
            return nil
        }
        if let own = service.map({ names.characteristic(text, in: $0) }) ?? names.service(text) { return own }
        if let uuid = BluetoothUUID(text) { return uuid }
        return AssignedNumbers.uuids(named: text, kind: space).first
    }
}

/// The names that a driver gives to the services and characteristics of its device.
///
///     peripheral.names = ["temperature": .init("F000AA00-0451-4000-B000-000000000000",
///                                              ["data": "F000AA01-0451-4000-B000-000000000000"])]
///     peripheral["temperature"]?["data"]
public struct AttributeNames: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A named service and the names of its characteristics.
    public struct Entry: Hashable, Sendable {
        /// The service.
        public var service: BluetoothUUID
        /// Its characteristics by name.
        public var characteristics: [String: BluetoothUUID]

        /// An entry.
        public init(_ service: BluetoothUUID, _ characteristics: [String: BluetoothUUID] = [:]) {
            self.service = service
            self.characteristics = characteristics
        }
    }

    /// The services by name.
    public var entries: [String: Entry]

    /// Names from a dictionary.
    public init(_ entries: [String: Entry] = [:]) { self.entries = entries }

    /// Names from a literal; of a name given twice, the last counts.
    public init(dictionaryLiteral elements: (String, Entry)...) {
        entries = Dictionary(elements, uniquingKeysWith: { $1 })
    }

    func service(_ name: String) -> BluetoothUUID? { entries[name]?.service }

    func characteristic(_ name: String, in service: BluetoothUUID) -> BluetoothUUID? {
        for entry in entries.values where entry.service == service {
            if let uuid = entry.characteristics[name] { return uuid }
        }
        return nil
    }
}
