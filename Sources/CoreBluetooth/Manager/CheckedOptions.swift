import Foundation

/// The options of a call. An option of a wrong type is ignored, and one line says so.
struct CheckedOptions {
    private let options: [String: Any]
    private let command: StaticString

    init(_ options: [String: Any]?, of command: StaticString) {
        self.options = options ?? [:]
        self.command = command
    }

    /// The value of an option; nil where it is missing or of another type.
    func value<Value>(_ key: String, as type: Value.Type) -> Value? {
        guard let value = options[key] else { return nil }
        if let value = value as? Value { return value }
        Misuse.report("\(command): \(key) is of type \(type), not \(Swift.type(of: value)); it is ignored")
        return nil
    }

    /// A number, whatever its type is in Swift.
    func number(_ key: String) -> NSNumber? { value(key, as: NSNumber.self) }

    /// Whether an option is there and true.
    func isOn(_ key: String) -> Bool { number(key)?.boolValue ?? false }

}
