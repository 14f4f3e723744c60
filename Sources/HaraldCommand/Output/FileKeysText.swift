import JSON
import VirtualDevices

/// Prints the keys of files, for `--keys`.
enum FileKeysText {
    static func show(_ all: [FileKeys], asJSON: Bool) {
        for keys in all {
            if !asJSON { Console.line("\(keys.what.uppercased())") }
            let width = keys.names.map(\.count).max() ?? 0
            for key in keys.keys {
                if asJSON {
                    Console.json(
                        .object([
                            "mapping": .string(keys.what), "key": .string(key.name), "meaning": .string(key.meaning),
                            "last": .string(keys.last), "value": .string(key.fallback),
                        ]))
                } else {
                    let name = key.name + String(repeating: " ", count: width - key.name.count)
                    let isRequired = key.fallback.hasPrefix("required")
                    let rest =
                        key.fallback.isEmpty ? "" : isRequired ? "; \(key.fallback)" : "; \(keys.last): \(key.fallback)"
                    Console.line("  \(name)  \((key.meaning + rest).filter { $0 != "`" })", indent: width + 4)
                }
            }
            if !asJSON { Console.line("") }
        }
    }
}
