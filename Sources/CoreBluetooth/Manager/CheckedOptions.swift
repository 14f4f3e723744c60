import Foundation

/// The options of a call. An option of a wrong type is ignored and reported as misuse.
struct CheckedOptions {
    private let options: [String: Any]
    private let command: StaticString

    init(_ options: [String: Any]?, of command: StaticString) {
        self.options = options ?? [:]
        self.command = command
    }

    /// Returns the value of an option; nil if it is missing or of another type.
    func value<Value>(_ key: String, as type: Value.Type) -> Value? {
        guard let value = options[key] else { return nil }
        if let value = value as? Value { return value }
        Misuse.report("\(command): \(key) must be of type \(type), not \(Swift.type(of: value)); it is ignored")
        return nil
    }

    /// Returns a number, which may be of any numeric type in Swift.
    func number(_ key: String) -> NSNumber? { value(key, as: NSNumber.self) }

    /// Returns true if an option is present and true.
    func isOn(_ key: String) -> Bool { number(key)?.boolValue ?? false }

}
