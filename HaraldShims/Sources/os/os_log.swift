import Foundation

/// Writes a message with a format and its arguments. `%{private}@` and `%{sensitive}@` are hidden.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: any CVarArg...
) { log.write(type.level) { LogFormat.text("\(message)", args) } }

/// Writes a message with a format and its arguments. `%{private}@` and `%{sensitive}@` are hidden.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) { log.write(type.level) { LogFormat.text("\(message)", args) } }

/// Writes a message with values in it.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage, log: OSLog = .default, type: OSLogType = .default) {
    log.write(type.level) { message.text }
}

/// Writes a message with values in it.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(type.level) { message.text }
}

/// The formats of `os_log`: those of `printf` and `%@`, each with an annotation in braces.
enum LogFormat {
    /// The message with its arguments. An argument that is missing shows as "<missing>".
    static func text(_ format: String, _ arguments: [any CVarArg]) -> String {
        var result = ""
        var rest = format[...]
        var arguments = arguments[...]
        while let start = rest.firstIndex(of: "%") {
            result += rest[..<start]
            rest = rest[start...].dropFirst()
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            let annotation = takeAnnotation(&rest)
            let isHidden = annotation.contains("private") || annotation.contains("sensitive")
            guard let end = rest.firstIndex(where: { conversions.contains($0) }) else {
                return result + "%" + rest
            }
            var specification = "%" + rest[...end]
            rest = rest[rest.index(after: end)...]
            // The precision or the width is an argument of its own.
            while let star = specification.firstIndex(of: "*"), let width = arguments.popFirst() {
                specification.replaceSubrange(star...star, with: "\(width)")
            }
            guard let argument = arguments.popFirst() else {
                result += "<missing>"
                continue
            }
            result += isHidden ? "<private>" : shown(argument, specification)
        }
        return result + rest
    }

    private static let conversions: Set<Character> = [
        "@", "d", "D", "i", "u", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G", "a", "A", "c", "C", "s", "S",
        "p",
    ]

    private static func takeAnnotation(_ rest: inout Substring) -> Set<String> {
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return [] }
        let words = rest[..<end].dropFirst().split(separator: ",")
        rest = rest[rest.index(after: end)...]
        return Set(words.map { $0.trimmingCharacters(in: .whitespaces) })
    }

    private static func shown(_ argument: any CVarArg, _ specification: String) -> String {
        // Any object is shown by its description.
        if specification.hasSuffix("@") { return "\(argument)" }
        return String(format: specification, argument)
    }
}
