import Foundation

/// The formats of `os_log`: those of `printf` and `%@`, each with an annotation in braces.
enum LogFormat {
    /// The message with its arguments. An argument that is missing shows as "<missing>"; one of another type than its
    /// conversion is shown by its description.
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
            let modifiers = rest.prefix { Self.modifiers.contains($0) }
            guard let conversion = rest.dropFirst(modifiers.count).first, conversions.contains(conversion) else {
                result += "%" + modifiers
                rest = rest.dropFirst(modifiers.count)
                continue
            }
            rest = rest.dropFirst(modifiers.count + 1)
            var specification = "%" + modifiers + String(conversion)
            // The precision or the width is an argument of its own.
            while let star = specification.firstIndex(of: "*"), let width = arguments.popFirst() {
                let columns = (width as? any BinaryInteger).map { min(max(Int(clamping: $0), -limit), limit) } ?? 0
                specification.replaceSubrange(star...star, with: "\(columns)")
            }
            guard let argument = arguments.popFirst() else {
                result += "<missing>"
                continue
            }
            result += isHidden ? "<private>" : shown(argument, conversion, specification)
        }
        return result + rest
    }

    /// Limit of a width and of a precision.
    private static let limit = 1000
    /// The characters between a percent sign and its conversion: flags, width, precision and length.
    private static let modifiers: Set<Character> = Set("-+ #0'123456789.*hlqLtjz")
    private static let integers = Set<Character>("dDiuUxXoOcC"), floats = Set<Character>("fFeEgGaA")
    private static let conversions = integers.union(floats).union("@sSp")

    private static func takeAnnotation(_ rest: inout Substring) -> Set<String> {
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return [] }
        let words = rest[..<end].dropFirst().split(separator: ",")
        rest = rest[rest.index(after: end)...]
        return Set(words.map { $0.trimmingCharacters(in: .whitespaces) })
    }

    private static func shown(_ argument: any CVarArg, _ conversion: Character, _ specification: String) -> String {
        switch conversion {
        case _ where integers.contains(conversion) && argument is any BinaryInteger,
            _ where floats.contains(conversion) && argument is any BinaryFloatingPoint,
            "p" where argument is any _Pointer || argument is OpaquePointer:
            String(format: specification, argument)
        case "s" where argument is UnsafePointer<CChar> || argument is UnsafeMutablePointer<CChar>:
            String(format: specification, argument)
        // Any other value, which a format would read as something that it is not.
        default: "\(argument)"
        }
    }
}
